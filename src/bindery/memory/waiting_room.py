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
"""How often one who waits looks again while no notice can be heard."""


class Waiter:
    """One who waits, as soon as it is known for what."""

    def __init__(self, room: "WaitingRoom") -> None:
        self.submission_id: str | None = None
        self._room = room
        self._woken = asyncio.Event()

    def wait_for(self, submission_id: uuid.UUID) -> None:
        """Hear of a submission's quotes from now on; one may have become ready just before, so look again."""
        self.submission_id = str(submission_id)
        self._room.seats[self.submission_id].add(self)

    def wake(self) -> None:
        """Wake it to look again."""
        self._woken.set()

    async def wait(self, within_s: float) -> None:
        """Wait until there may be something new, for so long at most."""
        if not self._room.is_hearing:
            within_s = min(within_s, LOOK_EVERY_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), timeout=within_s)
        self._woken.clear()


class WaitingRoom:
    """Wake those who wait, and let no partner take all the seats."""

    def __init__(self, watch: Watch, *, most_of_a_partner: int) -> None:
        self.is_closed = False
        self.seats: defaultdict[str, set[Waiter]] = defaultdict(set)
        self._watch = watch
        self._most_of_a_partner = most_of_a_partner
        self._of_partner: Counter[int] = Counter()
        watch.on_notice(CHANNEL, self._wake)
        watch.on_gap(self._wake_everybody)

    @property
    def is_hearing(self) -> bool:
        """Whether a notice would be heard."""
        return self._watch.is_hearing

    @property
    def count(self) -> int:
        """Return how many are waiting for something."""
        return sum(map(len, self.seats.values()))

    @contextlib.contextmanager
    def seat(self, partner_id: int) -> Iterator[Waiter]:
        """Take a seat.

        Raises:
            TooManyWaiting: the partner has as many as it may.
        """
        if self._of_partner[partner_id] >= self._most_of_a_partner:
            raise TooManyWaiting(self._most_of_a_partner)
        self._of_partner[partner_id] += 1
        seat = Waiter(self)
        try:
            with self._watch.waited_for():
                yield seat
        finally:
            self._leave(seat, partner_id)

    def close(self) -> None:
        """Answer everybody with what there is, and keep nobody waiting from now on."""
        self.is_closed = True
        self._wake_everybody()

    def _leave(self, seat: Waiter, partner_id: int) -> None:
        self._of_partner[partner_id] -= 1
        if not self._of_partner[partner_id]:
            del self._of_partner[partner_id]
        if seat.submission_id is not None:
            self.seats[seat.submission_id].discard(seat)
            if not self.seats[seat.submission_id]:
                del self.seats[seat.submission_id]

    def _wake(self, submission_id: str) -> None:
        for seat in self.seats.get(submission_id, ()):
            seat.wake()

    def _wake_everybody(self) -> None:
        for seats in self.seats.values():
            for seat in seats:
                seat.wake()
