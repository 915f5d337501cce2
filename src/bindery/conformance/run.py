"""A run: what has to be there before the first row is played, and what is removed after the last."""

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import urlsplit

import httpx

from bindery.conformance.play import Means, Player
from bindery.conformance.receiver import receiving
from bindery.conformance.row import CLOCK, SpecRow
from bindery.conformance.rows import ROWS
from bindery.conformance.scenes import SCENES

TIMEOUT_S: Final = 90
REFUSED_TOKEN: Final = frozenset({401, 403})
THIS_MACHINE: Final = frozenset({"127.0.0.1", "localhost", "::1"})
NOBODY: Final = "0" * 32


class CannotPlay(Exception):
    """No row can be played; the message is a sentence for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The address to play against, and how."""

    url: str
    token: str
    means: Means
    listen: tuple[str, int] = ("127.0.0.1", 0)
    endpoint: str = ""
    without_demo: bool = False


@asynccontextmanager
async def player(asked: Target, http: httpx.AsyncClient | None = None) -> AsyncIterator[Player]:
    """Open the address and a receiver; what was registered is removed at the end.

    Raises:
        CannotPlay: nobody answers, the token is refused, it is no demo, or the receiver has no port.
    """
    async with AsyncExitStack() as opened:
        if http is None:
            made = httpx.AsyncClient(base_url=asked.url, timeout=TIMEOUT_S, limits=httpx.Limits())
            http = await opened.enter_async_context(made)
        has_levers = await _has_levers(http, asked)
        port = opened.enter_context(_bound(*asked.listen))
        receiver = await opened.enter_async_context(receiving(port))
        host, number = port.getsockname()[:2]
        endpoint = asked.endpoint or f"http://{f'[{host}]' if ':' in host else host}:{number}/"
        means = replace(asked.means, has_levers=has_levers, no_deliveries=_out_of_reach(asked, endpoint))
        playing = Player(http, asked.token, means, SCENES, receiver, f"{endpoint.rstrip('/')}/")
        try:
            yield playing
        finally:
            await playing.clean_up()


def chosen_rows(patterns: Sequence[str], *, decisions: bool) -> list[SpecRow]:
    """Return the rows of the specification, and those of our decisions where they are asked for."""
    return [
        row
        for row in ROWS
        if (decisions or not row.decision)
        and (not patterns or any(_fits(row.id, pattern) for pattern in patterns))
    ]


async def _has_levers(http: httpx.AsyncClient, asked: Target) -> bool:
    bearer = {"Authorization": f"Bearer {asked.token}"}
    try:
        known = await http.get(f"/quotes/{NOBODY}", headers=bearer)
        clock = await http.get(CLOCK, headers=bearer)
    except httpx.HTTPError as fault:
        raise CannotPlay(f"{asked.url} cannot be reached: {fault or type(fault).__name__}.") from fault
    if known.status_code in REFUSED_TOKEN:
        raise CannotPlay(f"{asked.url} refuses the token: it answered {known.status_code}.")
    has_levers = clock.status_code == httpx.codes.OK
    if not has_levers and not asked.without_demo:
        raise CannotPlay(
            f"{asked.url} is no demo: {CLOCK} answered {clock.status_code}. The rows write quotes, "
            f"binds and webhooks; --without-demo plays those that need none of the demo's levers."
        )
    return has_levers


def _bound(host: str, number: int) -> socket.socket:
    try:
        return socket.create_server((host, number))
    except OSError as fault:
        raise CannotPlay(f"Cannot listen on {host}:{number}: {fault.strerror or fault}.") from fault


def _out_of_reach(asked: Target, endpoint: str) -> str:
    """Return why the service cannot deliver to the receiver; empty when it may be able to."""
    if urlsplit(endpoint).hostname not in THIS_MACHINE or urlsplit(asked.url).hostname in THIS_MACHINE:
        return ""
    return (
        f"{asked.url} cannot deliver to {endpoint}: --listen takes an address that it reaches, "
        f"--endpoint one that leads here"
    )


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*")
