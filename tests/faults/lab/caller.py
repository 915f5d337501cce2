"""The partner's way in: sends, counts what comes back, and insists where that is safe."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from faults.lab.model import Effect, Outcome, Request

GIVES_UP_AFTER_S = 30.0
PAUSE_S = 0.2
LONGEST_PAUSE_S = 1.5


@dataclass(frozen=True)
class Waited:
    """A request that was answered 503, or not at all, and how long that took beyond the wait it asked for."""

    started: float
    seconds: float
    what: str


@dataclass
class Counts:
    """What came back, whoever asked."""

    statuses: Counter[int] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    crashes: list[str] = field(default_factory=list)
    unavailable: list[Waited] = field(default_factory=list)
    timed_out: list[Waited] = field(default_factory=list)
    successes: list[float] = field(default_factory=list)


class NotSent(Exception):
    """Nobody listened: the request cannot have taken effect."""


class Caller:
    """One partner, on any number of connections."""

    def __init__(self, url: str, token: str, counts: Counts) -> None:
        self.counts = counts
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=GIVES_UP_AFTER_S,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def get(
        self, path: str, *, timeout_s: float = GIVES_UP_AFTER_S, wait_s: int = 0
    ) -> httpx.Response | None:
        headers = {"Prefer": f"wait={wait_s}"} if wait_s else {}
        request = self._http.build_request("GET", path, headers=headers, timeout=timeout_s)
        try:
            return await self._send(request, wait_s=wait_s)
        except NotSent:
            return None

    async def send(self, request: Request, *, timeout_s: float = GIVES_UP_AFTER_S) -> httpx.Response | None:
        content: dict[str, Any] = {"json": request.json} if request.json is not None else {}
        if request.file is not None:
            content = {"data": request.form, "files": {"file": ("signed.png", request.file, "image/png")}}
        headers = {"Idempotency-Key": request.key} if request.key is not None else {}
        return await self._send(
            self._http.build_request(
                request.method, request.path, headers=headers, timeout=timeout_s, **content
            )
        )

    async def _send(self, request: httpx.Request, *, wait_s: int = 0) -> httpx.Response | None:
        started = time.monotonic()
        what = f"{request.method} {request.url.path}"
        try:
            response = await self._http.send(request)
        except httpx.TransportError as fault:
            self.counts.unanswered[type(fault).__name__] += 1
            if isinstance(fault, httpx.ConnectError):
                raise NotSent from fault
            if isinstance(fault, httpx.TimeoutException):
                self.counts.timed_out.append(Waited(started, time.monotonic() - started - wait_s, what))
            return None
        ended = time.monotonic()
        self.counts.statuses[response.status_code] += 1
        if response.status_code == 503:
            self.counts.unavailable.append(Waited(started, ended - started - wait_s, what))
        elif response.status_code >= 500:
            self.counts.crashes.append(f"{what}: {response.status_code} {response.text[:200]}")
        elif response.is_success:
            self.counts.successes.append(ended)
        return response

    async def try_once(self, effect: Effect) -> None:
        """Send a request and learn from its answer."""
        try:
            response = await self.send(effect.request)
        except NotSent:
            return
        if response is None:
            effect.learn(None, None)
        else:
            effect.learn(response.status_code, response.json() if response.status_code == 200 else None)

    async def insist(self, effect: Effect, *, until: Callable[[], bool]) -> None:
        """Send a request again until its outcome is known, or nobody waits any more.

        One without a key whose answer was lost may have taken effect unseen: it is left unknown and looked
        up at the end.
        """
        pause_s = PAUSE_S
        while True:
            await self.try_once(effect)
            if effect.outcome is not Outcome.UNKNOWN or until():
                return
            if effect.request.key is None and effect.lost:
                return
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
