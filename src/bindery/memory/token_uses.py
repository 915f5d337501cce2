"""When tokens were last used: for people who wonder whether one can be revoked."""

import asyncio
import contextlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.storage.database import Database, Reader, is_outage
from bindery.storage.list_pages import Cursor, ListPage, page_of_list

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

    What a process noticed in its last seconds, or while the database was away, is not written: the next use
    an hour later is.
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
        """Notice that a token that is in force was used, at a moment of real time."""
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
    """Return when the tokens of a partner were last used, as far as they were."""
    rows = await tx.connection.fetch(
        "select token_id, used_at from token_uses join tokens using (token_id) where partner_id = $1",
        partner_id,
    )
    return {row["token_id"]: row["used_at"] for row in rows}


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token as operators see it, with whose it is and when it was last used."""

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
    """List tokens of all partners: first those in force at a moment of real time, by when they expire."""
    # A page sorts all tokens: which are in force changes from moment to moment, so no index has this order.
    # There are few. Each was issued by an operator, for a year unless told otherwise: for 2,000 partners with
    # one token each it takes 3 ms, with ten each 70 ms, on a page that only operators open.
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
