"""Those who wait for a quote, woken when the database says that it is ready."""

import asyncio
import contextlib
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from bindery.base.errors import TooManyWaiting
from bindery.storage.watch import Watch

CHANNEL: Final = "bindery_ready"
LOOK_EVERY_S: Final = 1.5
"""How often a waiter looks again while notices cannot be received."""


class Waiter:
    """A request waiting for a submission."""

    def __init__(self, room: "WaitingRoom") -> None:
        self.submission_id: str | None = None
        self._room = room
        self._woken = asyncio.Event()

    def wait_for(self, submission_id: uuid.UUID) -> None:
        """Receive notices from now on; a quote may have become ready just before, so look again."""
        self.submission_id = str(submission_id)
        self._room.waiters[self.submission_id].add(self)

    def wake(self) -> None:
        self._woken.set()

    async def wait(self, within_s: float) -> None:
        if not self._room.is_receiving:
            within_s = min(within_s, LOOK_EVERY_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), timeout=within_s)
        self._woken.clear()


class WaitingRoom:
    def __init__(self, watch: Watch, *, most_of_a_partner: int) -> None:
        self.is_closed = False
        self.waiters: defaultdict[str, set[Waiter]] = defaultdict(set)
        self._watch = watch
        self._most_of_a_partner = most_of_a_partner
        self._of_partner: Counter[int] = Counter()
        watch.on_notice(CHANNEL, self._wake)
        watch.on_gap(self._wake_everybody)

    @property
    def is_receiving(self) -> bool:
        return self._watch.is_receiving

    @property
    def count(self) -> int:
        return sum(map(len, self.waiters.values()))

    @contextlib.contextmanager
    def waiter(self, partner_id: int) -> Iterator[Waiter]:
        if self._of_partner[partner_id] >= self._most_of_a_partner:
            raise TooManyWaiting(self._most_of_a_partner)
        self._of_partner[partner_id] += 1
        waiter = Waiter(self)
        try:
            with self._watch.waited_for():
                yield waiter
        finally:
            self._leave(waiter, partner_id)

    def close(self) -> None:
        """Answer every waiting request with the current state, and let none wait from now on."""
        self.is_closed = True
        self._wake_everybody()

    def _leave(self, waiter: Waiter, partner_id: int) -> None:
        self._of_partner[partner_id] -= 1
        if not self._of_partner[partner_id]:
            del self._of_partner[partner_id]
        if waiter.submission_id is not None:
            self.waiters[waiter.submission_id].discard(waiter)
            if not self.waiters[waiter.submission_id]:
                del self.waiters[waiter.submission_id]

    def _wake(self, submission_id: str) -> None:
        for waiter in self.waiters.get(submission_id, ()):
            waiter.wake()

    def _wake_everybody(self) -> None:
        for waiters in self.waiters.values():
            for waiter in waiters:
                waiter.wake()
