"""One run: load, faults, calm, and the comparison."""

import asyncio
import contextlib
import math
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

from faults.lab.caller import Caller, Counts
from faults.lab.checking import check
from faults.lab.clock import STEP, Calendar, come_true
from faults.lab.gathering import gather, read_journal, unfinished
from faults.lab.kinds import KINDS, Step, kinds_for, make_plan
from faults.lab.load import Load
from faults.lab.model import Arrival, Effect, Model, Outcome, Request
from faults.lab.report import Fault, Limits, Report, measure, misbehavior
from faults.lab.world import Installation, Mode, installed
from support.receiver import Received, Receiver, receiving

CLIENTS = 4
FIRST_POLICIES = 6
CLOCK_STEPS = 30

PROBES_EVERY_S = 0.25
MOST_PROBES = 12


@dataclass
class Options:
    """What to run."""

    mode: Mode
    minutes: float
    faults: int
    seed: int
    folder: Path
    kinds: Sequence[str]
    limits: Limits = field(default_factory=Limits)
    clock_steps: int = CLOCK_STEPS
    """The most steps of the clock in a run; a short run has one after each fault."""
    longest_minutes: float = math.inf
    """After which no further fault is begun, however many the plan still has."""


async def soak(options: Options, tell: Callable[[str], None]) -> Report:
    """Run it all and return what was found."""
    counts, model = Counts(), Model()
    async with receiving() as receiver, installed(options.mode, options.folder) as installation:
        caller = Caller(installation.url, installation.token, counts)
        try:
            run = Run(options, installation, caller, counts, model, receiver, tell)
            return await run.report()
        finally:
            await caller.close()


@dataclass
class Run:
    """The parts of one run."""

    options: Options
    installation: Installation
    caller: Caller
    counts: Counts
    model: Model
    receiver: Receiver
    tell: Callable[[str], None]
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.calendar = Calendar(self.caller, self.model)
        self.load = Load(
            self.caller,
            self.model,
            self.calendar,
            self.receiver.url,
            self.options.seed,
            finish_within_s=self.options.limits.gives_up_s,
        )
        self.started = time.monotonic()

    async def report(self) -> Report:
        await self._prepare()
        world = self.installation.world
        possible = [name for name in kinds_for(world) if name in self.options.kinds]
        plan = make_plan(possible, self.options.faults, self.options.seed)
        async with self._background():
            await self._break_things(plan)
        self._measure()
        load_s = time.monotonic() - self.started
        await self._resend_unknown()
        return await self._compare(load_s, await self._settle())

    async def _prepare(self) -> None:
        """Set up a secret, a webhook and a few policies before anything breaks."""
        asked = Effect(request=Request(path="/v2/settings/webhook_secret", key="secret"))
        # On a machine that is busy enough the database seems to be away.
        await self.caller.insist(asked, until=lambda: False)
        verifier = Webhook(asked.answer["secret"])
        self.receiver.answer = lambda received: self._take(received, verifier)
        await self.calendar.look()
        chance = random.Random(f"{self.options.seed}:first")
        await self.load.register("all", chance)
        await asyncio.gather(*(self.load.tell("issue", chance) for _ in range(FIRST_POLICIES)))
        # Nothing was broken yet: a machine that is busy enough makes callers wait by itself.
        self.counts.unavailable.clear()
        self.counts.timed_out.clear()
        self.started = time.monotonic()

    def _take(self, received: Received, verifier: Webhook) -> web.Response:
        try:
            verifier.verify(received.body, received.headers)
        except WebhookVerificationError:
            self.model.bad_signatures += 1
            return web.Response(status=400)
        data = received.json["data"]
        arrival = Arrival(
            path=received.path,
            event_id=received.id,
            type=received.type,
            quote=data["quote_identifier"],
            at=received.at,
        )
        self.model.arrivals.append(arrival)
        return web.Response()

    @contextlib.asynccontextmanager
    async def _background(self) -> AsyncIterator[None]:
        """Keep clients, probes and the progress line going; what the clients have begun is finished."""
        clients = [asyncio.create_task(self.load.run(number)) for number in range(CLIENTS)]
        others = [asyncio.create_task(self._probe()), asyncio.create_task(self._show())]
        try:
            yield
            self.load.stop()
            await asyncio.gather(*clients)
        finally:
            for task in (*clients, *others):
                task.cancel()
            await asyncio.gather(*clients, *others, return_exceptions=True)

    async def _probe(self) -> None:
        """Ask for something that needs the database, all the time, to see when it answers again."""
        asking: set[asyncio.Task[object]] = set()
        while True:
            if len(asking) < MOST_PROBES:
                probe = asyncio.create_task(self.caller.get("/v2/events?limit=1", timeout_s=10))
                asking.add(probe)
                probe.add_done_callback(asking.discard)
            await asyncio.sleep(PROBES_EVERY_S)

    async def _show(self) -> None:
        while True:
            binds = sum(bind.is_acknowledged for bind in self.model.binds)
            seconds = time.monotonic() - self.started
            self.tell(f"{seconds:.0f} s: {len(self.faults)} faults, {binds} binds")
            await asyncio.sleep(1)

    async def _break_things(self, plan: Sequence[Step]) -> None:
        """Do one fault after the other, spread over the time, and move the clock in between."""
        pace_s = self.options.minutes * 60 / max(1, len(plan))
        clock_every = max(1, len(plan) // self.options.clock_steps)
        moving: asyncio.Task[None] | None = None
        for number, step in enumerate(plan):
            if time.monotonic() > self.started + self.options.longest_minutes * 60:
                break
            await asyncio.sleep(max(step.rest_s, self.started + number * pace_s - time.monotonic()))
            self.faults.append(await self._do(step))
            if self.faults[-1].whole_s == math.inf:
                break
            if (number + 1) % clock_every == 0 and (moving is None or moving.done()):
                moving = asyncio.create_task(self.calendar.step())
        await asyncio.sleep(max(0.0, self.started + self.options.minutes * 60 - time.monotonic()))
        if moving is not None:
            await moving

    def _measure(self) -> None:
        assert self.load.stopped_at is not None, "the load is over"
        measure(
            self.faults,
            successes=self.counts.successes,
            deliveries=[arrival.at for arrival in self.model.arrivals],
            until=self.load.stopped_at,
        )

    async def _do(self, step: Step) -> Fault:
        started = time.monotonic()
        world, kind = self.installation.world, KINDS[step.kind]
        await kind.perform(world, step)
        fault = Fault(step.kind, started, time.monotonic())
        if kind.mend is not None:
            is_whole = await kind.mend(world)
            fault.whole_s = time.monotonic() - fault.ended if is_whole else math.inf
        await come_true(lambda: self._is_well_since(fault.ended), within_s=self.options.limits.gives_up_s)
        return fault

    def _is_well_since(self, moment: float) -> bool:
        """Whether a request has been answered and an event delivered since then."""
        successes, arrivals = self.counts.successes, self.model.arrivals
        return bool(successes and arrivals) and min(successes[-1], arrivals[-1].at) >= moment

    async def _resend_unknown(self) -> None:
        """Ask again, under the same key, for what nobody answered while things were broken."""
        until = time.monotonic() + self.options.limits.gives_up_s
        for effect in self.model.effects():
            if effect.outcome is Outcome.UNKNOWN and effect.request.key is not None:
                await self.caller.insist(effect, until=lambda: time.monotonic() > until)

    async def _settle(self) -> float:
        """Wait until nothing is left to do; return how long that took."""
        started = time.monotonic()
        connection = await self.installation.world.postgres.connect()
        try:
            while (left := await unfinished(connection)) and self._may_wait(started):
                self.tell(f"settling, {time.monotonic() - started:.0f} s: {left}")
                await asyncio.sleep(0.5)
        finally:
            await connection.close()
        return time.monotonic() - started

    def _may_wait(self, started: float) -> bool:
        return time.monotonic() < started + self.options.limits.settles_s

    async def _compare(self, load_s: float, all_done_s: float) -> Report:
        world = self.installation.world
        ended = await asyncio.to_thread(self.installation.run, "journal", "verify", "--json")
        await self.calendar.look()
        connection = await world.postgres.connect()
        try:
            found = await gather(
                self.caller,
                connection,
                blobs=world.blobs,
                today=self.calendar.today,
                journal=read_journal(ended.code, ended.stdout, ended.stderr),
            )
        finally:
            await connection.close()
        findings = [
            *check(self.model, found),
            *misbehavior(self.faults, self.counts, world.processes.ended, self.options.limits),
        ]
        options = self.options
        headline = (
            f"{load_s / 60:.1f} minutes of load, mode {options.mode}, seed {options.seed}, "
            f"{self.calendar.steps * STEP.days} days of business clock."
        )
        return Report(
            headline=headline,
            faults=self.faults,
            counts=self.counts,
            model=self.model,
            found=found,
            all_done_s=all_done_s,
            findings=findings,
        )
