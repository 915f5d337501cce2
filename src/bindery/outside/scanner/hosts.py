"""Which names may be scanned, which hosts are tried, and which of them are the applicant's own."""

import asyncio
import ipaddress
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address
from typing import Final

import idna
from publicsuffixlist import PublicSuffixList

from bindery.outside.addresses import AddressRefused, IPAddress
from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.lookups import LookupFailed, Lookups, Reply, addresses_in
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.signatures import is_under, signatures

ADDRESSES_LOOKED_AT: Final = 2
LONGEST_NAME: Final = 253
MOST_HOSTS: Final = 15
HOST_LABELS: Final = ("www", "mail", "autodiscover", "vpn", "remote", "owa", "ftp")
"""The only names tried under a domain: nothing is guessed."""
HOST_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+")
SPECIAL_USE: Final = ("localhost", "local", "internal", "test", "example", "invalid", "onion", "arpa", "alt")
"""Names that mean something else than a host on the internet (RFC 6761 and its followers)."""


class HostBook:
    """The hosts of one scan, each looked up once: a name cannot change its address while the scan runs."""

    def __init__(self, *, lookups: Lookups, connector: Connector, progress: ScanProgress) -> None:
        self._lookups = lookups
        self._connector = connector
        self._progress = progress
        self._hosts: dict[str, Host] = {}
        self._being_looked_up: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def look_up(self, name: str) -> Host:
        """Return a host; where any of its addresses may not be contacted, none is."""
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
        addresses = addresses_in(replies)
        aliases = next((reply.aliases for reply in replies if reply.aliases), ())
        try:
            self._connector.check(name, addresses)
        except AddressRefused:
            # The address itself stays out of the note: it may reveal an internal network.
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
            if platform and address in addresses_in(await lookups.address_replies(name)):
                return platform
    except LookupFailed:
        return None
    return None


class NotScannable(ValueError):
    """A name that is no public domain."""


def scannable_name(domain: str) -> str:
    """Return a domain as the DNS spells it."""
    try:
        ipaddress.ip_address(domain)
    except ValueError:
        pass
    else:
        raise NotScannable(f"{domain} is an address, not a domain")
    try:
        name = idna.encode(domain.strip().rstrip("."), uts46=True).decode("ascii").lower()
    except idna.IDNAError as error:
        raise NotScannable(f"{domain} is not a domain name") from error
    if len(name) > LONGEST_NAME:
        raise NotScannable(f"{domain} is too long")
    if any(is_under(name, special) for special in SPECIAL_USE):
        raise NotScannable(f"{domain} is a special-use name")
    if registrable_of(name) is None:
        raise NotScannable(f"{domain} is not under a public suffix")
    return name


def registrable_of(name: str) -> str | None:
    return _public_suffixes().privatesuffix(name)


def hosts_to_try(domain: str, mail_exchangers: Sequence[str], *, thorough: bool) -> tuple[str, ...]:
    """List the host names of a domain that are looked at, the domain itself first.

    Mail exchangers count where they are the applicant's own, that is of the same registrable domain.
    """
    labels = HOST_LABELS if thorough else HOST_LABELS[:1]
    own_exchangers = [
        exchanger
        for exchanger in mail_exchangers
        if thorough and HOST_NAME.fullmatch(exchanger) and registrable_of(exchanger) == registrable_of(domain)
    ]
    names = (domain, *(f"{label}.{domain}" for label in labels), *own_exchangers)
    return tuple(dict.fromkeys(names))[:MOST_HOSTS]


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)
