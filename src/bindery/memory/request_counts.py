"""Counting the requests of partners, in memory, and across processes once a partner sends many."""

import asyncio
import contextlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.base.clock import Clock
from bindery.domain.access.caller import WINDOW_S, Quota, Standing
from bindery.storage.database import Database, Reader, is_outage
from bindery.storage.list_pages import Cursor, ListPage, page_of_list

SHARED_FROM: Final = 0.05
"""The share of a limit that a process counts for itself; beyond it, processes exchange their counts."""
SHARE_EVERY_S: Final = 1.0

_Key = tuple[int, Quota]

_SHARE = """
with mine as (
    insert into request_counts (partner_id, quota, minute, process_id, requests)
    select partner_id, quota, $1, $2, requests from unnest($3::int[], $4::text[], $5::int[])
        as counted(partner_id, quota, requests)
    on conflict (minute, process_id, partner_id, quota) do update set requests = excluded.requests
), old as (
    delete from request_counts where minute < $1
)
select partner_id, quota, sum(requests)::int from request_counts
where minute = $1 and process_id <> $2 group by 1, 2
"""


class RequestCounts(contextlib.AbstractAsyncContextManager["RequestCounts"]):
    """Count by the minute, without asking the database.

    Once a process counts more than a twentieth of a limit, it writes its count down every second and reads
    the counts of the others. No request waits for that, and the limit holds over all processes except for
    requests let through within that second, and the twentieth of each.
    """

    def __init__(self, database: Database, clock: Clock, limits: Mapping[Quota, int]) -> None:
        self.limits = limits
        self._database = database
        self._clock = clock
        self._process_id = uuid.UUID(int=database.rng.getrandbits(128))
        self._minute = 0
        self._own: dict[_Key, int] = {}
        self._others: dict[_Key, int] = {}
        self._sharing: asyncio.Task[None] | None = None

    async def __aexit__(self, *_: object) -> None:
        if self._sharing is not None:
            self._sharing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sharing

    def count(self, partner_id: int, quota: Quota) -> Standing:
        """Count a request, unless it is one too many."""
        minute, second = divmod(int(self._clock.real_now().timestamp()), WINDOW_S)
        if minute != self._minute:
            self._minute, self._own, self._others = minute, {}, {}
        key, limit = (partner_id, quota), self.limits[quota]
        own = self._own.get(key, 0) + 1
        remaining = limit - own - self._others.get(key, 0)
        if remaining < 0:
            return Standing(limit, 0, WINDOW_S - second, is_over=True)
        self._own[key] = own
        if own > limit * SHARED_FROM and self._sharing is None:
            self._sharing = asyncio.create_task(self._share())
        return Standing(limit, remaining, WINDOW_S - second, is_over=False)

    async def _share(self) -> None:
        try:
            shared: dict[_Key, int] = {}
            while self._many() != shared:
                await asyncio.sleep(SHARE_EVERY_S)
                minute, shared = self._minute, self._many()
                others = await self._exchange(minute, shared)
                if minute == self._minute:
                    self._others = others
        except Exception as fault:
            # While the database is away each process counts for itself.
            if not is_outage(fault):
                raise
        finally:
            self._sharing = None

    def _many(self) -> dict[_Key, int]:
        return {key: own for key, own in self._own.items() if own > self.limits[key[1]] * SHARED_FROM}

    async def _exchange(self, minute: int, shared: dict[_Key, int]) -> dict[_Key, int]:
        async with self._database.connection() as connection:
            rows = await connection.fetch(
                _SHARE,
                minute,
                self._process_id,
                [partner_id for partner_id, _ in shared],
                [quota for _, quota in shared],
                list(shared.values()),
            )
        return {(row[0], Quota(row[1])): row[2] for row in rows}


WRITTEN_EVERY: Final = timedelta(hours=1)
"""How often the use of a token is written down at most: nobody asks for the minute."""
GATHER_S: Final = 5.0
"""How long uses are gathered, so that no request waits for one and many cost one statement."""

# Several processes notice the same token; the first within the hour writes.
_WRITE = """
insert into token_uses (token_id, used_at)
select * from unnest($1::text[], $2::timestamptz[])
on conflict (token_id) do update set used_at = excluded.used_at
where token_uses.used_at < excluded.used_at - $3::interval
"""


class TokenUses(contextlib.AbstractAsyncContextManager["TokenUses"]):
    """Notice in memory that tokens are used, and write it down now and then.

    A use noticed in the last seconds of a process, or while the database was away, is not written:
    the next use an hour later is.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._noticed: dict[str, datetime] = {}
        self._unwritten: dict[str, datetime] = {}
        self._writing: asyncio.Task[None] | None = None

    async def __aexit__(self, *_: object) -> None:
        if self._writing is not None:
            self._writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writing

    def notice(self, token_id: str, *, at: datetime) -> None:
        before = self._noticed.get(token_id)
        if before is not None and at - before < WRITTEN_EVERY:
            return
        self._noticed[token_id] = self._unwritten[token_id] = at
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        try:
            while self._unwritten:
                await asyncio.sleep(GATHER_S)
                uses, self._unwritten = self._unwritten, {}
                # In one order, so that two processes never wait for each other.
                token_ids = sorted(uses)
                async with self._database.connection() as connection:
                    await connection.execute(
                        _WRITE, token_ids, [uses[token_id] for token_id in token_ids], WRITTEN_EVERY
                    )
        except Exception as fault:
            if not is_outage(fault):
                raise
        finally:
            self._writing = None


async def last_uses(tx: Reader, partner_id: int) -> dict[str, datetime]:
    statement = "select token_id, used_at from token_uses join tokens using (token_id) where partner_id = $1"
    rows = await tx.connection.fetch(statement, partner_id)
    return {row["token_id"]: row["used_at"] for row in rows}


@dataclass(frozen=True, slots=True)
class ListedToken:
    token_id: str
    partner_name: str
    partner_key: str
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None


_IS_OVER: Final = "(t.revoked_at is not null or t.expires_at <= $1)"


async def list_tokens(
    tx: Reader, *, at: datetime, cursor: Cursor | None, limit: int
) -> ListPage[ListedToken]:
    # A page sorts all tokens: which are in force changes from moment to moment, so no index has this order.
    # There are few. Each was issued by an operator, for a year by default: for 2,000 partners with one
    # token each it takes 3 ms, with ten each 70 ms, on a page that only operators open.
    return await page_of_list(
        tx,
        ListedToken,
        """
        select t.token_id, p.name as partner_name, p.partner_key, t.expires_at, t.revoked_at, u.used_at
        from tokens t join partners p using (partner_id) left join token_uses u using (token_id)
        where $1::timestamptz is not null
        """,
        at,
        order=(_IS_OVER, "t.expires_at", "t.token_id"),
        place=f"select {_IS_OVER}, t.expires_at, t.token_id from tokens t where t.token_id = {{}}",
        key="token_id",
        cursor=cursor,
        limit=limit,
    )
