"""Counting the requests of partners, in memory, and across processes once a partner sends many."""

import asyncio
import contextlib
import uuid
from collections.abc import Mapping
from typing import Final

from bindery.base.clock import Clock
from bindery.domain.access.quotas import WINDOW_S, Quota, Standing
from bindery.storage.database import Database, is_outage

SHARED_FROM: Final = 0.05
"""Which part of a limit a process counts for itself; with more, it tells the others."""
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

    What a process counts beyond a twentieth of a limit it writes down once a second, and reads what the
    others wrote: no request waits for that, and the limit holds over all processes but for what they let
    through within that second, and the twentieth of each.
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
            told: dict[_Key, int] = {}
            while self._many() != told:
                await asyncio.sleep(SHARE_EVERY_S)
                minute, told = self._minute, self._many()
                others = await self._tell(minute, told)
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

    async def _tell(self, minute: int, told: dict[_Key, int]) -> dict[_Key, int]:
        async with self._database.connection() as connection:
            rows = await connection.fetch(
                _SHARE,
                minute,
                self._process_id,
                [partner_id for partner_id, _ in told],
                [quota for _, quota in told],
                list(told.values()),
            )
        return {(row[0], Quota(row[1])): row[2] for row in rows}
