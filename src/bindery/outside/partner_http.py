"""The HTTP client for endpoints that partners choose: webhooks above all.

Two locks: the resolver refuses a name when any of its addresses is refused, and the socket factory refuses
again where the connection is made, because aiohttp asks no resolver about addresses written as numbers.
"""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from ssl import SSLContext, SSLError
from typing import Final, TypeAlias

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from bindery.outside.addresses import PUBLIC_ONLY, AddressRule, check_addresses
from bindery.outside.guarded_connect import Resolve, family_of, resolve_checked, system_resolve

ANSWER_KEPT_BYTES: Final = 4_096
"""The part of a partner's answer that is read: enough for people to see what went wrong."""
ADDRESS_KEPT_S: Final = 30


PartnerSession: TypeAlias = aiohttp.ClientSession


class NoAnswer(OSError):
    """The endpoint could not be reached, may not be, or does not answer in HTTP; the text says which."""


@dataclass(frozen=True, slots=True)
class PartnerAnswer:
    """An answer: its status, its `Retry-After` if any, and the start of its body."""

    status: int
    retry_after: str | None
    body_start: bytes


def open_partner_session(
    *,
    timeout_s: float,
    user_agent: str,
    rule: AddressRule = PUBLIC_ONLY,
    resolve: Resolve = system_resolve,
    tls: SSLContext | None = None,
) -> PartnerSession:
    """Make a session that can reach only addresses the rule allows; the caller closes it.

    It opens as many connections as there are calls: waiting for one would count against the timeout, and the
    callers limit their calls.
    """
    connector = aiohttp.TCPConnector(
        resolver=CheckedResolver(resolve, rule),
        socket_factory=checked_socket_factory(rule),
        ssl=tls if tls is not None else True,
        limit=0,
        ttl_dns_cache=ADDRESS_KEPT_S,
    )
    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=timeout_s),
        headers={"User-Agent": user_agent},
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
    )


async def post_to_partner(
    session: PartnerSession,
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    kept_bytes: int = ANSWER_KEPT_BYTES,
) -> PartnerAnswer:
    """Send one request and read the start of its answer; a redirect is an answer, never followed.

    Raises:
        NoAnswer: the endpoint could not be reached, or may not be.
        TimeoutError: the endpoint took too long.
    """
    try:
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            body_start = await _read_start(response.content, kept_bytes)
            if not response.content.at_eof():
                # Otherwise aiohttp would read the rest before it uses the connection again.
                response.close()
            return PartnerAnswer(response.status, response.headers.get("Retry-After"), body_start)
    except TimeoutError:
        raise
    except (aiohttp.ClientError, OSError, ValueError) as fault:
        # Without the library's own words around it.
        cause = fault.os_error if isinstance(fault, aiohttp.ClientConnectorError) else fault
        raise NoAnswer(_in_words(cause)) from fault


def _in_words(cause: Exception) -> str:
    if isinstance(cause, SSLError) or not isinstance(cause, OSError) or not cause.errno:
        return str(cause) or type(cause).__name__
    return os.strerror(cause.errno) if cause.errno > 0 else str(cause.strerror)


async def _read_start(content: aiohttp.StreamReader, kept_bytes: int) -> bytes:
    read = bytearray()
    while len(read) < kept_bytes:
        piece = await content.read(kept_bytes - len(read))
        read += piece
        if not piece or content.at_eof():
            break
    return bytes(read)


class CheckedResolver(AbstractResolver):
    """Looks a name up once and returns its addresses only if every one of them is allowed."""

    def __init__(self, resolve: Resolve, rule: AddressRule) -> None:
        self._resolve = resolve
        self._rule = rule

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await resolve_checked(host, port, resolve=self._resolve, rule=self._rule)
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=family_of(address),
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
            if family in {socket.AF_UNSPEC, family_of(address)}
        ]

    async def close(self) -> None:
        """There is nothing to close."""


def checked_socket_factory(rule: AddressRule) -> aiohttp.SocketFactoryType:
    """Make sockets for allowed addresses only, also if the address was not looked up."""

    def make_socket(address_info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, socket_address = address_info
        address = ip_address(socket_address[0])
        check_addresses(str(address), (address,), socket_address[1], rule)
        return socket.socket(family=family, type=kind, proto=protocol)

    return make_socket
