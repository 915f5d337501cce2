"""The only way out for the checks: through the address rule, the throttle, and the time limits."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_network
from types import MappingProxyType
from typing import Final

import structlog

from bindery.outside.addresses import PUBLIC_ONLY, AddressRule, IPAddress, check_addresses, unwrapped
from bindery.outside.guarded_connect import AddressUnreachable, Streams, open_checked

NETWORKS_REMEMBERED: Final = 10_000
log = structlog.get_logger(__name__)
WEB_PORT: Final = 443
ADDRESSES_TRIED: Final = 2
AS_LISTED: Final[Mapping[int, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ThrottleLimits:
    per_s: float
    at_once: int


PER_NETWORK: Final = ThrottleLimits(per_s=10, at_once=4)
IN_ALL: Final = ThrottleLimits(per_s=200, at_once=100)


class Gate:
    """A token bucket, filled to one second's worth, with a limit of how many are inside at once."""

    def __init__(self, limits: ThrottleLimits) -> None:
        self._limits = limits
        self._tokens = max(1.0, limits.per_s)
        self._filled_at: float | None = None
        self._inside = asyncio.Semaphore(limits.at_once)

    @contextlib.asynccontextmanager
    async def passage(self) -> AsyncIterator[None]:
        async with self._inside:
            await self._take_token()
            yield

    async def _take_token(self) -> None:
        # Monotonic time of the event loop: a throttle has nothing to do with dates.
        now = asyncio.get_running_loop().time()
        elapsed = 0.0 if self._filled_at is None else now - self._filled_at
        self._tokens = min(max(1.0, self._limits.per_s), self._tokens + elapsed * self._limits.per_s)
        self._filled_at = now
        # Taken at once, even into debt, so that later callers wait behind.
        self._tokens -= 1
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / self._limits.per_s)


class Throttle:
    """One gate for everything and one per target network: /24 of IPv4, /48 of IPv6."""

    def __init__(self, per_network: ThrottleLimits = PER_NETWORK, in_all: ThrottleLimits = IN_ALL) -> None:
        self._per_network = per_network
        self._everything = Gate(in_all)
        self._networks: dict[str, Gate] = {}

    @contextlib.asynccontextmanager
    async def passage(self, address: IPAddress) -> AsyncIterator[None]:
        async with self._gate_of(address).passage(), self._everything.passage():
            yield

    def _gate_of(self, address: IPAddress) -> Gate:
        network = network_of(address)
        gate = self._networks.pop(network, None) or Gate(self._per_network)
        self._networks[network] = gate
        while len(self._networks) > NETWORKS_REMEMBERED:
            del self._networks[next(iter(self._networks))]
        return gate


def network_of(address: IPAddress) -> str:
    inner = unwrapped(address)
    prefix = 24 if isinstance(inner, IPv4Address) else 48
    return str(ip_network((inner, prefix), strict=False))


@dataclass(frozen=True, slots=True)
class Host:
    """A name with the addresses it had when it was looked up, and the platform it shares with others."""

    name: str
    addresses: tuple[IPAddress, ...]
    aliases: tuple[str, ...] = ()
    name_exists: bool = True
    shared_platform: str | None = None

    def at(self, address: IPAddress) -> "Host":
        return Host(self.name, (address,), self.aliases, self.name_exists, self.shared_platform)


@dataclass(frozen=True, slots=True)
class ScanLimits:
    budget_s: float = 25.0
    connect_s: float = 3.0
    quick_connect_s: float = 1.2
    read_s: float = 5.0
    greeting_s: float = 1.5
    greeting_bytes: int = 256
    header_bytes: int = 16 * 1024
    body_bytes: int = 64 * 1024
    redirects: int = 3
    domains_with_ports: int = 5
    domains_at_once: int = 10
    open_ports_of_a_liar: int = 20


class Connector:
    """Opens connections to hosts that were looked up before; nothing here asks the DNS."""

    def __init__(
        self,
        *,
        rule: AddressRule = PUBLIC_ONLY,
        throttle: Throttle | None = None,
        ports: Mapping[int, int] = AS_LISTED,
        limits: ScanLimits | None = None,
    ) -> None:
        self._rule = rule
        self._throttle = throttle or Throttle()
        self._ports = ports
        self.limits = limits or ScanLimits()

    def check(self, name: str, addresses: Sequence[IPAddress]) -> None:
        check_addresses(name, addresses, self._real_port(WEB_PORT), self._rule)

    @contextlib.asynccontextmanager
    async def connection(
        self, host: Host, port: int, *, tls: ssl.SSLContext | None = None, connect_s: float | None = None
    ) -> AsyncIterator[Streams]:
        """Open a stream to a host on a listed port."""
        check_addresses(host.name, host.addresses, self._real_port(port), self._rule)
        last_refusal = AddressUnreachable(f"{host.name} has no address")
        for address in host.addresses[:ADDRESSES_TRIED]:
            async with contextlib.AsyncExitStack() as stack:
                await stack.enter_async_context(self._throttle.passage(address))
                log.info("scan_connect", host=host.name, address=str(address), port=port)
                try:
                    streams = await stack.enter_async_context(
                        self._open(host.name, address, port, tls, connect_s or self.limits.connect_s)
                    )
                except AddressUnreachable as error:
                    last_refusal = error
                    continue
                yield streams
                return
        raise last_refusal

    def _open(
        self, name: str, address: IPAddress, port: int, tls: ssl.SSLContext | None, connect_s: float
    ) -> contextlib.AbstractAsyncContextManager[Streams]:
        return open_checked(
            name,
            (address,),
            self._real_port(port),
            rule=self._rule,
            tls=tls,
            connect_timeout_s=connect_s,
            handshake_timeout_s=self.limits.read_s,
        )

    async def read_greeting(self, reader: asyncio.StreamReader) -> bytes:
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(self.limits.greeting_s):
                return await reader.read(self.limits.greeting_bytes)
        return b""

    async def read_start(self, reader: asyncio.StreamReader, most_bytes: int, within_s: float) -> bytes:
        """Read what comes until there is enough, the other side stops, or time is up."""
        read = bytearray()
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(within_s):
                while len(read) < most_bytes:
                    piece = await reader.read(most_bytes - len(read))
                    if not piece:
                        break
                    read += piece
        return bytes(read)

    def _real_port(self, port: int) -> int:
        return self._ports.get(port, port)
