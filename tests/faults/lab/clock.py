"""The demo's business clock, moved in steps so that policies renew while faults come in."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from bindery.settings import Settings
from faults.lab.caller import PAUSE_S, Caller, NotSent
from faults.lab.model import Model, Request

LOOKS_EVERY_S = 0.05
STEP = timedelta(days=20)
A_STEP_TAKES_S = 120.0
PAPERS_WITHIN_S = 30.0


async def come_true(condition: Callable[[], bool], *, within_s: float) -> bool:
    """Wait until something is so, and return whether it came to be."""
    until = time.monotonic() + within_s
    while not (true := condition()) and time.monotonic() < until:  # noqa: ASYNC110 - nobody tells when it is
        await asyncio.sleep(LOOKS_EVERY_S)
    return true


@dataclass
class Calendar:
    """The business date as the partner knows it."""

    caller: Caller
    model: Model
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    steps: int = 0
    overdue: set[str] = field(default_factory=set)

    @property
    def today(self) -> date:
        return self.now.astimezone(ZoneInfo(Settings().business_zone)).date()

    async def look(self) -> bool:
        """Read the service's clock."""
        answer = await self.caller.get("/v2/demo/clock")
        if answer is None or answer.status_code != 200:
            return False
        self.now = datetime.fromisoformat(answer.json()["now"])
        return True

    async def step(self) -> None:
        """Move the clock ahead by a step, however often that has to be asked for.

        Twenty days are an age for a job that waits for a database. So what was bound is first given a while
        to get its papers, as it would have on any real day; once, for papers may never come.
        """
        await come_true(lambda: not self._waits_for_papers(), within_s=PAPERS_WITHIN_S)
        self.overdue |= self._waits_for_papers()
        await self._see()
        target = self.now + STEP
        while (days := (target - self.now + timedelta(hours=1)).days) > 0:
            request = Request(path="/v2/demo/clock", json={"advance_days": days})
            with contextlib.suppress(NotSent):
                await self.caller.send(request, timeout_s=A_STEP_TAKES_S)
            await self._see()
        self.steps += 1

    def _waits_for_papers(self) -> set[str]:
        return self.model.binds_without_papers() - self.overdue

    async def _see(self) -> None:
        """Read the service's clock as soon as it answers."""
        while True:
            if await self.look():
                return
            await asyncio.sleep(PAUSE_S)
