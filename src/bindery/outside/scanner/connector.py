"""The only way out for the checks: through the address rule, the throttle, and the time limits."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import structlog

from bindery.outside.addresses import PUBLIC_ONLY, AddressRule, IPAddress, check_addresses
from bindery.outside.guarded_connect import AddressUnreachable, Streams, open_checked
from bindery.outside.scanner.throttle import Throttle

log = structlog.get_logger(__name__)

WEB_PORT: Final = 443
ADDRESSES_TRIED: Final = 2
AS_LISTED: Final[Mapping[int, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Host:
    """A name with the addresses it had when it was looked up, and the platform it shares with others."""

    name: str
    addresses: tuple[IPAddress, ...]
    aliases: tuple[str, ...] = ()
    name_exists: bool = True
    shared_platform: str | None = None

    def at(self, address: IPAddress) -> "Host":
        """Narrow the host to one of its addresses."""
        return Host(self.name, (address,), self.aliases, self.name_exists, self.shared_platform)


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """The time and size limits of a scan."""

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
        """Refuse a host of which any address is refused.

        Raises:
            AddressRefused: one of the addresses may not be contacted.
        """
        check_addresses(name, addresses, self._real_port(WEB_PORT), self._rule)

    @contextlib.asynccontextmanager
    async def connection(
        self, host: Host, port: int, *, tls: ssl.SSLContext | None = None, connect_s: float | None = None
    ) -> AsyncIterator[Streams]:
        """Open a stream to a host on a listed port.

        Raises:
            AddressRefused: one of the host's addresses may not be contacted.
            Unreachable: no address accepted the connection.
            TimeoutError: the TLS handshake took too long.
            OSError: the TLS handshake failed.
        """
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
        """Wait a moment for whatever a service says first."""
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
