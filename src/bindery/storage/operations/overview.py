import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of_list

MOST_ROWS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    open_cases: int
    failed_jobs: int
    oldest_job: datetime | None
    failing_webhooks: int
    unsent_mails: int


def first_id_at(at: datetime) -> uuid.UUID:
    """Return the smallest id that was made then or later: ids begin with their time."""
    return uuid.UUID(int=(int(at.timestamp() * 1000) & 0xFFFF_FFFF_FFFF) << 80)


async def attention(tx: Reader) -> Attention:
    statement = """
    select
        (select count(*) from (select from desk_items where closed_at is null limit 101) t) as open_cases,
        (select count(*) from (select from pgq.pgqueuer where status = 'failed' limit 101) t)
            as failed_jobs,
        (select min(created) from pgq.pgqueuer where status = 'queued' and execute_after < now())
            as oldest_job,
        (select count(*) from webhooks where status = 'disabled' or failing_since is not null)
            as failing_webhooks,
        (select count(*) from (select from mails where sent_at is null limit 101) t) as unsent_mails
    """
    (found,) = await tx.rows(Attention, statement)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedWebhook:
    webhook_id: uuid.UUID
    partner_id: int
    partner_name: str
    endpoint: str
    quote_level: bool
    policy_level: bool
    status: str
    failing_since: datetime | None
    disabled_because: str | None
    pending: int


_WEBHOOKS: Final = """
select w.webhook_id, w.partner_id, p.name as partner_name, w.endpoint, w.quote_level, w.policy_level,
       w.status, w.failing_since, w.disabled_because,
       (select count(*) from (select from deliveries d where d.webhook_id = w.webhook_id limit 101) t)
           as pending
from webhooks w join partners p using (partner_id)
"""


async def list_webhooks(tx: Reader, *, cursor: Cursor | None, limit: int) -> ListPage[ListedWebhook]:
    # A page sorts all endpoints, by columns of two tables. There are few: a partner may have a hundred and
    # has one or two; for 2,000 partners with two each it takes 6 ms. Those that were removed, which may be
    # many, are not read: the index that keeps an endpoint single leaves them out.
    order = ("coalesce(w.failing_since, 'infinity')", "p.name", "w.endpoint", "w.webhook_id")
    return await page_of_list(
        tx,
        ListedWebhook,
        f"{_WEBHOOKS} where w.status <> 'removed'",
        order=order,
        place=f"""
        select {", ".join(order)} from webhooks w join partners p using (partner_id) where w.webhook_id = {{}}
        """,
        key="webhook_id",
        cursor=cursor,
        limit=limit,
    )


async def webhooks_of(tx: Reader, partner_id: int) -> list[ListedWebhook]:
    statement = f"""
    {_WEBHOOKS} where w.status <> 'removed' and w.partner_id = $1
    order by w.failing_since nulls last, w.endpoint limit {MOST_ROWS}
    """
    return await tx.rows(ListedWebhook, statement, partner_id)


async def newest_events(tx: Reader, partner_id: int, *, limit: int) -> list[tuple[datetime, str, uuid.UUID]]:
    statement = "select at, type, quote_id from events where partner_id = $1 order by position desc limit $2"
    rows = await tx.connection.fetch(statement, partner_id, limit)
    return [(row["at"], row["type"], row["quote_id"]) for row in rows]


async def find_webhook(tx: Reader, webhook_id: uuid.UUID) -> ListedWebhook | None:
    return await tx.row(
        ListedWebhook, f"{_WEBHOOKS} where w.status <> 'removed' and w.webhook_id = $1", webhook_id
    )
