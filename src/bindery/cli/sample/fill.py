"""Playing the stories of the invented companies on an empty demo, from almost a year ago up to today.

Everything is done by the API and the demo's own levers, on a clock that is set back first and then moves as
it always does; only the worker's part of a submission is done on the spot, and what an underwriter takes and
notes is what the desk's pages do. So what the pages and lists show has the history, the journal and the
prices that it would have.
"""

import asyncio
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any, Final

from bindery.actions.submission.process_submission import Pipeline
from bindery.actions.timetable.move_clock import move_clock
from bindery.actions.timetable.sweep import MOST_AT_ONCE, figure_days
from bindery.cli.sample.applicants import BROKERAGES
from bindery.cli.sample.stories import (
    LONGEST_AGO,
    SampleDay,
    SampleStep,
    Underwriter,
    planned_steps,
    underwriter_of,
)
from bindery.client import ApiError, AsyncBindery
from bindery.client.in_process import in_process
from bindery.contract.quote import QuoteBody
from bindery.runtime import Runtime
from bindery.server.app import create_app
from bindery.storage import service_clock
from bindery.storage.access import partners
from bindery.storage.access.partners import Partner
from bindery.storage.quote import quotes

SEED: Final = 20_260_101
ADDRESS: Final = "http://demo.example/v2"
"""Nobody is called: requests go to the service in this process."""
AT_ONCE: Final = 4
A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Filled:
    companies: int
    given_up: int


async def fill_with_samples(
    runtime: Runtime, partner: Partner, token: str, progress: Callable[[int, int], None]
) -> Filled | None:
    """Play every story; None if the demo is not empty. `progress` takes the steps done, and of how many."""
    real_now = runtime.clock.real_now()
    async with runtime.database.transaction() as tx:
        if not await service_clock.begin_at(tx, real_now - LONGEST_AGO, real_now=real_now):
            return None
        for email, firm in BROKERAGES.items():
            await partners.add_broker(tx, partner, email, firm=firm)
    try:
        transport = in_process(create_app(runtime))
        async with AsyncBindery(token, ADDRESS, transport=transport) as bindery:
            return await _Player(runtime, bindery, await underwriter_of(runtime)).play(progress)
    finally:
        # Also when it is interrupted: no demo lives in the past.
        async with runtime.database.transaction() as tx:
            now = runtime.clock.real_now()
            await service_clock.advance_to(tx, now, real_now=now)


class _Player:
    def __init__(self, runtime: Runtime, bindery: AsyncBindery, underwriter: Underwriter) -> None:
        self._runtime = runtime
        self._bindery = bindery
        self._underwriter = underwriter
        self._pipeline = Pipeline(runtime)
        self._places = asyncio.Semaphore(AT_ONCE)

    async def play(self, progress: Callable[[int, int], None]) -> Filled:
        steps = planned_steps(random.Random(SEED))  # noqa: S311 - invented companies, the same every time
        done, left = 0, LONGEST_AGO
        for ago, of_then in groupby(steps, key=lambda step: step.ago):
            await move_clock(self._runtime, (left - ago) / A_DAY)
            left = ago
            today = await self._runtime.database.today()
            moment = SampleDay(self._bindery, self._quote, self._underwriter, today)
            together = list(of_then)
            await asyncio.gather(*(self._do(moment, step) for step in together))
            done += len(together)
            progress(done, len(steps))
        await move_clock(self._runtime, left / A_DAY)
        for _ in range(0, LONGEST_AGO.days, MOST_AT_ONCE):
            await figure_days(self._runtime.database, self._runtime.rules)
        cases = {id(step.case): step.case for step in steps}.values()
        return Filled(len(cases), sum(case.is_given_up for case in cases))

    async def _do(self, moment: SampleDay, step: SampleStep) -> None:
        async with self._places:
            if not step.case.is_given_up:
                try:
                    await step.deed(moment, step.case)
                except ApiError:
                    step.case.is_given_up = True

    async def _quote(self, body: dict[str, Any]) -> list[QuoteBody]:
        receipt = await self._bindery.create_quotes(body)
        async with self._runtime.database.reading() as tx:
            first = await quotes.get(tx, uuid.UUID(receipt.quotes[0].quote_identifier))
        while await self._pipeline.process(first.submission_id) is not None:
            pass
        return [await self._bindery.wait_for_quote(option) for option in receipt.quotes]
