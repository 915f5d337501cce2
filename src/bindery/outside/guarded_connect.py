"""Connections to names that an applicant or partner chose: one look-up, every address checked.

The name never reaches the socket, so nobody can change its address between the check and the connection.
"""

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from ipaddress import IPv4Address
from typing import TypeAlias

from bindery.outside.addresses import PUBLIC_ONLY, AddressRule, IPAddress, check_addresses

Resolve: TypeAlias = Callable[[str], Awaitable[Sequence[IPAddress]]]
Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AddressUnreachable(OSError):
    """Nothing accepted the connection: refused, no route, or no reply in time."""


def family_of(address: IPAddress) -> socket.AddressFamily:
    return socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6


async def system_resolve(name: str) -> tuple[IPAddress, ...]:
    infos = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ipaddress.ip_address(info[4][0]) for info in infos))


async def resolve_checked(
    name: str, port: int, *, resolve: Resolve = system_resolve, rule: AddressRule = PUBLIC_ONLY
) -> tuple[IPAddress, ...]:
    """Look a name up and return its addresses, all of which may be connected to."""
    addresses = tuple(await resolve(name))
    if not addresses:
        raise AddressUnreachable(f"{name} has no address")
    check_addresses(name, addresses, port, rule)
    return addresses


async def connect_socket(
    address: IPAddress, port: int, *, rule: AddressRule = PUBLIC_ONLY, timeout_s: float
) -> socket.socket:
    check_addresses(str(address), (address,), port, rule)
    connection = socket.socket(family_of(address), socket.SOCK_STREAM)
    connection.setblocking(False)  # noqa: FBT003 - the standard library's own signature
    try:
        async with asyncio.timeout(timeout_s):
            await asyncio.get_running_loop().sock_connect(connection, (str(address), port))
    except OSError as error:
        connection.close()
        reason = "no reply" if isinstance(error, TimeoutError) else error.strerror or "refused"
        raise AddressUnreachable(error.errno, f"{address} port {port}: {reason}") from error
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.asynccontextmanager
async def open_checked(
    name: str,
    addresses: Sequence[IPAddress],
    port: int,
    *,
    rule: AddressRule = PUBLIC_ONLY,
    tls: ssl.SSLContext | None = None,
    connect_timeout_s: float,
    handshake_timeout_s: float,
) -> AsyncIterator[Streams]:
    """Open a stream to the first of a name's addresses that accepts; TLS and SNI carry the name."""
    check_addresses(name, addresses, port, rule)
    connection = await _first_to_accept(name, addresses, port, rule=rule, timeout_s=connect_timeout_s)
    async with asyncio.timeout(handshake_timeout_s):
        # From here on the socket is the transport's to close, also where the handshake fails.
        reader, writer = await asyncio.open_connection(
            sock=connection, ssl=tls, server_hostname=name if tls else None
        )
    try:
        yield reader, writer
    finally:
        # The other side may be hostile or asleep: no polite farewell is waited for.
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _first_to_accept(
    name: str, addresses: Sequence[IPAddress], port: int, *, rule: AddressRule, timeout_s: float
) -> socket.socket:
    last_refusal = AddressUnreachable(f"{name} has no address")
    for address in addresses:
        try:
            return await connect_socket(address, port, rule=rule, timeout_s=timeout_s)
        except AddressUnreachable as error:
            last_refusal = error
    raise last_refusal
