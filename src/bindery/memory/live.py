"""The open pages of a process, notified of changes as the database notifies the process."""

import asyncio
import contextlib
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from bindery.domain.access.users import Role, User, may_see_quotes_of
from bindery.storage.database import UNAVAILABLE, Database, Reader

DESK: Final = "bindery_desk"
READY: Final = "bindery_ready"
MOVED: Final = "bindery_moved"
OPS: Final = "bindery_ops"
SIGNED_OUT: Final = "bindery_signed_out"

AGAIN: Final = "again"
"""Sent instead of news when some may have been missed: the page then asks for itself."""
GATHER_S: Final = 0.1
"""How long news is gathered, so that a crowd of it costs one statement."""
MOST_STREAMS: Final = 1_000
MOST_STREAMS_OF_A_USER: Final = 10
MOST_UNSENT: Final = 100
MOST_COUNTED: Final = 100


class Stream:
    def __init__(self, user: User) -> None:
        self.user = user
        self.is_doubtful = False
        """Whether a sign-in of the user has ended, perhaps the one of this browser."""
        self._unsent: dict[str, None] = {}
        self._woken = asyncio.Event()

    def send(self, line: str) -> None:
        """Keep a line to send; too many lines become one that says to ask again."""
        if len(self._unsent) >= MOST_UNSENT:
            self._unsent = {AGAIN: None}
        self._unsent[line] = None
        self._woken.set()

    def wake(self) -> None:
        self._woken.set()

    async def wait(self, within_s: float) -> tuple[str, ...]:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), timeout=within_s)
        self._woken.clear()
        lines = tuple(self._unsent)
        self._unsent = {}
        return lines


class LiveRoom:
    def __init__(self, database: Database) -> None:
        self.is_closed = False
        self._database = database
        self._streams: set[Stream] = set()
        self._of_user: Counter[int] = Counter()
        self._gathered: dict[str, bool] = {}
        self._passing: asyncio.Task[None] | None = None
        watch = database.watch
        watch.on_notice(DESK, lambda submission_id: self._receive(submission_id, is_at_desk=True))
        watch.on_notice(READY, self._receive)
        watch.on_notice(MOVED, self._receive)
        watch.on_notice(OPS, self._notify_operators)
        watch.on_notice(SIGNED_OUT, self._doubt)
        watch.on_gap(self._ask_to_reload)

    @property
    def count(self) -> int:
        return len(self._streams)

    @contextlib.contextmanager
    def stream(self, user: User) -> Iterator[Stream | None]:
        """Open a stream; None if there are too many already."""
        is_full = self.count >= MOST_STREAMS or self._of_user[user.user_id] >= MOST_STREAMS_OF_A_USER
        if self.is_closed or is_full:
            yield None
            return
        stream = Stream(user)
        self._streams.add(stream)
        self._of_user[user.user_id] += 1
        try:
            yield stream
        finally:
            self._streams.discard(stream)
            self._of_user[user.user_id] -= 1

    def close(self) -> None:
        """Close all streams; browsers reconnect when another process answers."""
        self.is_closed = True
        for stream in self._streams:
            stream.wake()

    def _receive(self, submission_id: str, *, is_at_desk: bool = False) -> None:
        if not self._streams:
            return
        self._gathered[submission_id] = is_at_desk or self._gathered.get(submission_id, False)
        if self._passing is None:
            self._passing = asyncio.create_task(self._pass_on())

    async def _pass_on(self) -> None:
        await asyncio.sleep(GATHER_S)
        gathered, self._gathered, self._passing = self._gathered, {}, None
        try:
            async with self._database.reading() as tx:
                owners = await _owners(tx, gathered)
        except UNAVAILABLE:
            self._ask_to_reload()
            return
        for submission_id, company_id, partner_id in owners:
            for stream in self._streams:
                if may_see_quotes_of(stream.user, partner_id):
                    stream.send(f"company {company_id}")
                    if gathered[submission_id] and stream.user.role is Role.UNDERWRITER:
                        stream.send(f"desk {submission_id}")

    def notify_desk(self, submission_id: str) -> None:
        """Have the open pages of a case ask who is there."""
        for stream in self._streams:
            if stream.user.role is Role.UNDERWRITER:
                stream.send(f"desk {submission_id}")

    def _notify_operators(self, _: str) -> None:
        for stream in self._streams:
            if stream.user.role is Role.OPERATOR:
                stream.send("ops")

    def _doubt(self, user_id: str) -> None:
        for stream in self._streams:
            if str(stream.user.user_id) == user_id:
                stream.is_doubtful = True
                stream.wake()

    def _ask_to_reload(self) -> None:
        for stream in self._streams:
            stream.is_doubtful = True
            stream.send(AGAIN)


async def _owners(tx: Reader, submission_ids: dict[str, bool]) -> list[tuple[str, int, int]]:
    rows = await tx.connection.fetch(
        "select submission_id::text, company_id, partner_id from submissions where submission_id = any($1)",
        [uuid.UUID(text) for text in submission_ids],
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def count_desk_news(tx: Reader, since: datetime) -> int:
    """Count the items that came to the desk, among the newest only, and those that left it."""
    statement = f"""
    select (select count(*) from (select opened_at, closed_at from desk_items
                                  order by item_id desc limit {MOST_COUNTED + 1}) newest
            where opened_at > $1 and closed_at is null)
         + (select count(*) from (select from desk_items where closed_at > $1
                                  limit {MOST_COUNTED + 1}) left_it)
    """
    return await tx.value(int, statement, since)


async def count_ops_news(tx: Reader, since: datetime) -> int:
    return await tx.value(
        int,
        """
        select (select count(*) from pgq.pgqueuer where status = 'failed' and updated > $1)
             + (select count(*) from webhooks where failing_since > $2)
        """,
        since,
        # Jobs fail at real time, deliveries at that of the business. Nothing is later than now.
        min(since, tx.real_now) + tx.ahead,
    )


async def count_company_news(tx: Reader, company_id: int, since: datetime, *, partner_id: int | None) -> int:
    statement = """
    select count(*) from submissions s join quotes q using (submission_id)
    where s.company_id = $1 and (q.updated_at > $2 or exists (
            select from uploads u where u.quote_id = q.quote_id and u.uploaded_at > $2))
      and ($3::integer is null or s.partner_id = $3)
    """
    return await tx.value(int, statement, company_id, since, partner_id)
