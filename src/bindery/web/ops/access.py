"""The tokens and the brokers of all partners."""

from datetime import datetime

from starlette.responses import Response

from bindery.memory import request_counts
from bindery.memory.request_counts import WRITTEN_EVERY, ListedToken
from bindery.storage.access import partners
from bindery.storage.access.partners import TokenRecord
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.times import Times


async def show_tokens(visit: Visit) -> Response:
    now = visit.runtime.clock.real_now()
    async with visit.runtime.database.reading() as tx:
        found = await request_counts.list_tokens(
            tx, at=now, cursor=paging.cursor_of(visit, str), limit=paging.ROWS
        )
    return page(
        visit,
        "ops/tokens.html",
        rows=found.rows,
        pager=paging.pager_of(visit, found),
        state_of=token_state,
        use_of=token_use,
        times=visit.times(now),
    )


async def show_brokers(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        found = await partners.page_of_brokers(
            tx, cursor=paging.cursor_of(visit, paging.read_number), limit=paging.ROWS
        )
    return page(
        visit,
        "ops/brokers.html",
        rows=found.rows,
        pager=paging.pager_of(visit, found),
        times=visit.times(tx.now),
    )


def token_state(token: ListedToken | TokenRecord, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at < now else "in force"


def token_use(used_at: datetime, times: Times) -> str:
    """Return when a token was last used; uses soon after a recorded one are not recorded."""
    return (
        "within the last hour" if times.now - used_at < WRITTEN_EVERY else f"{times.since(used_at).text} ago"
    )
