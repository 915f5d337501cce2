"""The delivery loop next to the queue: claims in batches, sends many at once, records as results come in."""

import asyncio
import contextlib
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable
from ssl import SSLContext
from typing import Final

import asyncpg
import structlog

from bindery.actions.webhooks.claim_deliveries import (
    BATCH,
    DeliveryToSend,
    claim_deliveries,
    release_deliveries,
    until_next_claim,
)
from bindery.actions.webhooks.record_tries import record_tries
from bindery.actions.webhooks.send_delivery import DeliveryTry, open_session, send_delivery
from bindery.domain.jobs import DELIVERIES_DUE
from bindery.outside.guarded_connect import Resolve, system_resolve
from bindery.outside.partner_http import PartnerSession
from bindery.runtime import Runtime
from bindery.storage.database import UNAVAILABLE
from bindery.worker.patient_driver import first_of

MOST_HELD: Final = 400
"""Deliveries that one worker may have claimed and not recorded."""
MOST_SENDING: Final = 48
"""Deliveries sent and not recorded at once, apart from those that have waited for an answer for a while.

Others send again what a killed worker had on its way; more places would hardly be faster.
"""
RESERVE: Final = MOST_SENDING
"""Nothing is claimed while as many wait for a place, so that under load a claim takes many."""
PROMPT_S: Final = 0.1
LOOK_EVERY_S: Final = 0.1
"""While deliveries are being claimed, or are due and cannot be claimed yet."""
DOZES_S: Final = 60.0
"""How long to wait for a notice when nothing falls due before."""
SHORTEST_PAUSE_S: Final = 0.01
"""Between two claims, so that under load a claim takes many and not one at a time."""
TAKE_OVER_EVERY_S: Final = 1.0
GRACE_S: Final = 5.0
PAUSE_AFTER_FAULT_S: Final = 1.0

log = structlog.get_logger()


async def run_deliveries(
    runtime: Runtime,
    stop: asyncio.Event,
    *,
    resolve: Resolve = system_resolve,
    tls: SSLContext | None = None,
) -> None:
    """Deliver until told to stop, through outages of the database and any other fault."""
    while not stop.is_set():
        try:
            async with open_session(runtime.settings, resolve=resolve, tls=tls) as session:
                await _Deliveries(runtime, session).work(stop)
        except (*UNAVAILABLE, asyncpg.PostgresError) as fault:
            log.warning("deliveries_interrupted", reason=str(fault))
        except Exception:
            log.exception("deliveries_crashed")
        if not stop.is_set():
            await asyncio.sleep(PAUSE_AFTER_FAULT_S)


class _Deliveries:
    """Claims, sends and records deliveries, each at its own pace.

    Three loops share this object. `_claim` takes due deliveries from the database, so many that sending
    never runs dry: it stops while `RESERVE` of them are ready to go or `MOST_HELD` are held in all.
    `_record` writes the results of all sends that have ended since it last wrote. `_let_others_pass` keeps
    slow endpoints from using up the places.

    A place is the right to have a delivery on its way. There are `MOST_SENDING`, since all of them are sent
    again if this worker is killed. A send takes a place when it starts and leaves it when its result is
    recorded, not when the answer comes: otherwise unrecorded results could pile up behind a slow database. A
    send that has waited for its answer for longer than `PROMPT_S` gives its place up early and goes on
    without one, so that 48 silent endpoints do not stop deliveries to all others for 15 seconds. A place is
    left once, by whichever of the two comes first. Deliveries without a place still count as held, and no
    webhook has more under way than a claim allows it, so `MOST_HELD` bounds them all.
    """

    def __init__(self, runtime: Runtime, session: PartnerSession) -> None:
        self._runtime = runtime
        self._session = session
        self._ready: deque[DeliveryToSend] = deque()
        self._free_places = MOST_SENDING
        self._places: deque[_Place] = deque()
        self._sending: set[asyncio.Task[None]] = set()
        self._under_way: Counter[uuid.UUID] = Counter()
        self._results: list[tuple[DeliveryToSend, DeliveryTry, _Place]] = []
        self._held: set[DeliveryToSend] = set()
        self._takes_over_at = 0.0
        self._something_sent = asyncio.Event()
        self._something_tried = asyncio.Event()
        self._something_new = asyncio.Event()
        self._something_recorded = asyncio.Event()

    async def work(self, stop: asyncio.Event) -> None:
        """Deliver until told to stop; what is under way then gets a few seconds to end."""
        with self._runtime.database.watch.receiving(
            DELIVERIES_DUE, lambda _: self._something_new.set(), self._something_new.set
        ):
            await self._work(stop)

    async def _work(self, stop: asyncio.Event) -> None:
        recording = asyncio.create_task(self._record())
        claiming = asyncio.create_task(self._claim(stop))
        passing = asyncio.create_task(self._let_others_pass())
        loops = (claiming, recording, passing)
        try:
            await asyncio.wait(loops, return_when=asyncio.FIRST_COMPLETED)
            if claiming.done() and claiming.exception() is None:
                await self._finish()
        finally:
            # No send starts any more, even if a place becomes free.
            self._ready.clear()
            for task in (*loops, *self._sending):
                task.cancel()
            outcomes = await asyncio.gather(*loops, *self._sending, return_exceptions=True)
            await self._release()
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _claim(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            self._something_recorded.clear()
            self._something_new.clear()
            deliveries: list[DeliveryToSend] = []
            pause_s = LOOK_EVERY_S
            room = MOST_HELD - len(self._held)
            if room and len(self._ready) < RESERVE:
                deliveries = await claim_deliveries(
                    self._runtime,
                    under_way=self._under_way,
                    limit=min(room, BATCH),
                    takes_over=self._takes_over(),
                )
                self._take_in(deliveries)
                if not deliveries:
                    pause_s = max(pause_s, await until_next_claim(self._runtime.database, within_s=DOZES_S))
            await asyncio.sleep(SHORTEST_PAUSE_S)
            if len(deliveries) < BATCH:
                await first_of(self._something_recorded, self._something_new, stop, within_s=pause_s)

    def _takes_over(self) -> bool:
        """Whether it is time to look again for claims that ran out."""
        now = time.monotonic()
        if now < self._takes_over_at:
            return False
        self._takes_over_at = now + TAKE_OVER_EVERY_S
        return True

    def _take_in(self, deliveries: Iterable[DeliveryToSend]) -> None:
        for delivery in deliveries:
            self._held.add(delivery)
            self._under_way[delivery.claimed.webhook_id] += 1
            self._ready.append(delivery)
        self._start()

    def _start(self) -> None:
        """Begin to send as many as there are places for, in the order of their claims."""
        while self._ready and self._free_places:
            delivery = self._ready.popleft()
            if time.monotonic() >= delivery.send_by:
                # Its claim ends by itself, and then it is claimed again.
                log.warning("delivery_waited_too_long", delivery_id=delivery.claimed.delivery_id)
                self._end_sending(delivery)
                self._let_go([delivery])
                continue
            self._free_places -= 1
            task = asyncio.create_task(self._send(delivery))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, delivery: DeliveryToSend) -> None:
        place = _Place(time.monotonic(), self._make_room)
        self._places.append(place)
        self._something_sent.set()
        tried = await send_delivery(self._runtime.clock, self._session, delivery)
        self._end_sending(delivery)
        self._results.append((delivery, tried, place))
        self._something_tried.set()

    async def _let_others_pass(self) -> None:
        """Free the places of sends that have waited for an answer for a while."""
        while True:
            if not self._places:
                self._something_sent.clear()
                await self._something_sent.wait()
            await asyncio.sleep(PROMPT_S / 2)
            while self._places and self._places[0].since < time.monotonic() - PROMPT_S:
                self._places.popleft().leave()

    def _make_room(self) -> None:
        self._free_places += 1
        self._start()

    def _end_sending(self, delivery: DeliveryToSend) -> None:
        webhook_id = delivery.claimed.webhook_id
        self._under_way[webhook_id] -= 1
        if not self._under_way[webhook_id]:
            del self._under_way[webhook_id]

    async def _record(self) -> None:
        while True:
            await self._something_tried.wait()
            self._something_tried.clear()
            results, self._results = self._results, []
            await self._record_all([tried for _, tried, _ in results])
            for _, _, place in results:
                place.leave()
            self._let_go(delivery for delivery, _, _ in results)

    def _let_go(self, done: Iterable[DeliveryToSend]) -> None:
        self._held.difference_update(done)
        self._something_recorded.set()

    async def _record_all(self, tries: list[DeliveryTry]) -> None:
        """Record, however long that takes: what is not recorded would be sent again."""
        while True:
            try:
                await record_tries(self._runtime.database, self._runtime.rules, tries)
            except (*UNAVAILABLE, asyncpg.PostgresError) as fault:
                log.warning("tries_not_recorded", count=len(tries), reason=str(fault))
                await asyncio.sleep(PAUSE_AFTER_FAULT_S)
            else:
                return

    async def _finish(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while self._held:
                    self._something_recorded.clear()
                    await self._something_recorded.wait()

    async def _release(self) -> None:
        """Release the claims still held, so that nobody has to wait for their leases to end."""
        if self._held:
            with contextlib.suppress(*UNAVAILABLE, asyncpg.PostgresError):
                await release_deliveries(self._runtime.database, self._held)


class _Place:
    """The right to have a delivery on its way; it can be left once."""

    def __init__(self, since: float, make_room: Callable[[], None]) -> None:
        self.since = since
        self._make_room: Callable[[], None] | None = make_room

    def leave(self) -> None:
        if self._make_room is not None:
            make_room, self._make_room = self._make_room, None
            make_room()
