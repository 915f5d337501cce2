"""Which user has which case open right now: sent from process to process, and kept in no table."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bindery.domain.access.users import User
from bindery.storage.database import Database

HERE: Final = "bindery_here"
LASTS_S: Final = 150.0
"""How long a user counts as present after the last beat; an open page sends one every minute."""
AGAIN_AFTER_S: Final = 45.0
"""A beat sooner than this after the last one is not passed on."""


@dataclass(frozen=True, slots=True)
class _Place:
    submission_id: str
    name: str
    at: float


class Presence:
    """Know which user looks at which case: one case a user, the newest.

    Every process receives all notices and keeps them in memory. A notice that a process missed comes again
    with the next beat, so that nothing has to be read from the database to show a queue.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._places: dict[int, _Place] = {}
        self._moved: list[Callable[[str], None]] = []
        database.watch.on_notice(HERE, self._receive)

    async def come(self, user: User, submission_id: uuid.UUID) -> None:
        place = self._places.get(user.user_id)
        is_known = place is not None and place.submission_id == str(submission_id)
        if is_known and place is not None and self._clock() - place.at < AGAIN_AFTER_S:
            return
        await self._notify(f"{user.user_id} {submission_id} {user.name}")

    def on_move(self, moved: Callable[[str], None]) -> None:
        """Call this with the submission of a case that somebody opened or left."""
        self._moved.append(moved)

    async def leave(self, user: User, submission_id: uuid.UUID | None = None) -> None:
        """Note that a user has left a case: that one, if the user is still there, or whichever it is."""
        place = self._places.get(user.user_id)
        if place is not None and submission_id in {None, uuid.UUID(place.submission_id)}:
            await self._notify(str(user.user_id))

    def names_at(self, submission_id: uuid.UUID, *, but: int) -> tuple[str, ...]:
        """Return the names of other users who have a case open; `but` is the user who asks."""
        if not self._places:
            return ()
        since = self._clock() - LASTS_S
        return tuple(
            sorted(
                place.name
                for user_id, place in self._places.items()
                if place.submission_id == str(submission_id) and user_id != but and place.at > since
            )
        )

    async def _notify(self, notice: str) -> None:
        # Here at once: the notice of our own comes back a moment later.
        self._receive(notice)
        async with self._database.connection() as connection:
            await connection.execute("select pg_notify($1, $2)", HERE, notice)

    def _receive(self, notice: str) -> None:
        number, _, rest = notice.partition(" ")
        submission_id, _, name = rest.partition(" ")
        before = self._places.get(int(number))
        was_at = before.submission_id if before is not None else ""
        if submission_id:
            self._places[int(number)] = _Place(submission_id, name, self._clock())
        else:
            self._places.pop(int(number), None)
        if submission_id != was_at:
            for case in filter(None, (was_at, submission_id)):
                for moved in self._moved:
                    moved(case)
