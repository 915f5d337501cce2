"""Looking hosts up, once each, and telling the applicant's own from those of a shared platform."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from ipaddress import IPv4Address
from typing import Final

from bindery.outside.addresses import AddressRefused, IPAddress
from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.lookups import LookupFailed, Lookups, Reply, addresses_in
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.signatures import signatures

ADDRESSES_LOOKED_AT: Final = 2


class HostBook:
    """The hosts of one scan, each looked up once: a name cannot change its address while the scan runs."""

    def __init__(self, *, lookups: Lookups, connector: Connector, progress: ScanProgress) -> None:
        self._lookups = lookups
        self._connector = connector
        self._progress = progress
        self._hosts: dict[str, Host] = {}
        self._being_looked_up: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def look_up(self, name: str) -> Host:
        """Return a host; where any of its addresses may not be contacted, none is.

        Raises:
            LookupFailed: the DNS gave no usable answer.
        """
        async with self._being_looked_up[name]:
            if name not in self._hosts:
                await self.enter(name, await self._lookups.address_replies(name))
        return self._hosts[name]

    async def look_up_all(self, names: Sequence[str]) -> tuple[Host, ...]:
        """Look several hosts up at the same time; one that the DNS fails on is left out and noted."""

        async def look_up(name: str) -> Host | None:
            try:
                return await self.look_up(name)
            except LookupFailed as error:
                self._progress.note(str(error))
                return None

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(look_up(name)) for name in names]
        return tuple(host for task in tasks if (host := task.result()) is not None)

    async def enter(self, name: str, replies: Sequence[Reply]) -> Host:
        """Write down what the DNS said about a host."""
        addresses = addresses_in(replies)
        aliases = next((reply.aliases for reply in replies if reply.aliases), ())
        try:
            self._connector.check(name, addresses)
        except AddressRefused:
            # The address itself stays out of the note: it may tell about somebody's inside.
            self._progress.note(f"{name}: not contacted, because it leads to an address that is not public")
            addresses = ()
        host = Host(
            name,
            addresses,
            aliases,
            name_exists=any(reply.name_exists for reply in replies),
            shared_platform=await _shared_platform(aliases, addresses, self._lookups),
        )
        return self._hosts.setdefault(name, host)


def own_addresses(hosts: Sequence[Host]) -> tuple[tuple[IPAddress, Host], ...]:
    """List the addresses whose services are the applicant's, each once, with the first host that has it.

    An address that any host reaches through a shared platform is the platform's.
    """
    shared = {address for host in hosts if host.shared_platform for address in host.addresses}
    first_hosts: dict[IPAddress, Host] = {}
    for host in hosts:
        for address in preferred(host.addresses):
            if address not in shared:
                first_hosts.setdefault(address, host)
    return tuple(first_hosts.items())


def preferred(addresses: Sequence[IPAddress]) -> tuple[IPAddress, ...]:
    """Choose the few addresses of a host that are looked at: IPv4 where there is any."""
    four: tuple[IPAddress, ...] = tuple(address for address in addresses if isinstance(address, IPv4Address))
    return (four or tuple(addresses))[:ADDRESSES_LOOKED_AT]


async def _shared_platform(
    aliases: Sequence[str], addresses: Sequence[IPAddress], lookups: Lookups
) -> str | None:
    for alias in aliases:
        if platform := signatures().shared_platform_of(alias):
            return platform
    for address in preferred(addresses):
        if platform := await _platform_of_address(address, lookups):
            return platform
    return None


async def _platform_of_address(address: IPAddress, lookups: Lookups) -> str | None:
    """Ask whose address it is; its holder can write any name, so the name must lead back to it."""
    try:
        for name in await lookups.names_of(address):
            platform = signatures().shared_platform_of(name)
            if platform and address in await lookups.addresses(name):
                return platform
    except LookupFailed:
        return None
    return None
