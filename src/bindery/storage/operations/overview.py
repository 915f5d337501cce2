import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.domain.jobs import WORKER_MISSED_AFTER
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of_list

MOST_ROWS: Final = 100


RECENT: Final = timedelta(days=7)
"""Mail that could not be sent needs a look for this long; the list of mail has all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What may need a look; counts of rows that may be many go up to one more than `MOST_ROWS`."""

    open_cases: int
    late_cases: int
    failed_jobs: int
    oldest_job: datetime | None
    webhooks: int
    failing_webhooks: int
    unsent_mails: int
    recent_unsent_mails: int
    refused_mails: int
    """Those of the recent unsent ones that the mail server did not take."""
    marked_binders: int
    highest_mark: int | None
    """In percent of a premium limit."""
    sends_mail: bool | None
    """Whether a worker that is running has a mail server; None if no worker is running."""


def first_id_at(at: datetime) -> uuid.UUID:
    """Return the smallest id that was made then or later: ids begin with their time."""
    return uuid.UUID(int=(int(at.timestamp() * 1000) & 0xFFFF_FFFF_FFFF) << 80)


async def attention(tx: Reader) -> Attention:
    # Of a backlog of mail the newest are looked at: an index by time holds those that were not sent.
    statement = f"""
    select
        (select count(*) from (select from desk_items where closed_at is null and asked_at is null
                               limit {MOST_ROWS + 1}) t)
            as open_cases,
        (select count(*) from (select from desk_items
                               where closed_at is null and asked_at is null and due_at < $1
                               limit {MOST_ROWS + 1}) t) as late_cases,
        (select count(*) from (select from pgq.pgqueuer where status = 'failed' limit {MOST_ROWS + 1}) t)
            as failed_jobs,
        (select min(created) from pgq.pgqueuer where status = 'queued' and execute_after < now())
            as oldest_job,
        endpoints.*, marked.*,
        (select count(*) from (select from mails where sent_at is null limit {MOST_ROWS + 1}) t)
            as unsent_mails,
        recent.*,
        (select bool_or(sends_mail) from workers where seen_at > now() - $3::interval) as sends_mail
    from
        (select count(*) as webhooks,
                count(*) filter (where status = 'disabled' or failing_since is not null) as failing_webhooks
         from webhooks where status <> 'removed') endpoints,
        (select count(distinct m.binder_id) as marked_binders, max(m.mark) as highest_mark
         from binder_marks m join binders b using (binder_id) where $4 < b.expiry) marked,
        (select count(*) as recent_unsent_mails, count(last_error) as refused_mails
         from (select last_error from mails where sent_at is null and created_at > $2
               order by created_at desc limit {MOST_ROWS + 1}) t) recent
    """
    (found,) = await tx.rows(Attention, statement, tx.now, tx.now - RECENT, WORKER_MISSED_AFTER, tx.today)
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
    paused_at: datetime | None
    paused_by: str | None
    pending: int


_WEBHOOKS: Final = """
select w.webhook_id, w.partner_id, p.name as partner_name, w.endpoint, w.quote_level, w.policy_level,
       w.status, w.failing_since, w.disabled_because, w.paused_at, w.paused_by,
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
