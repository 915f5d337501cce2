"""Claims on deliveries: who may try which, and until when.

A claim is a lease in the real time of the database. Its end also names it: the worker that records a
try compares it, so that nothing is written over a claim that another worker has taken since.
"""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg
import structlog

from bindery.domain.jobs import DELIVERIES_DUE
from bindery.domain.messages.webhooks import IN_ORDER_FOR_TRIES, Event
from bindery.storage.conditions import leaps
from bindery.storage.database import Reader, Tx
from bindery.storage.webhooks.events import EVENT_COLUMNS, event_from_row, event_source

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A delivery that one worker may try until then; `event` is None for a ping.

    `sealed_secrets` are those that sign for the partner now, the newest first. `is_readable` is false where
    the event that is stored cannot be read back: there is nothing to send.
    """

    delivery_id: int
    claimed_until: datetime
    webhook_id: uuid.UUID
    partner_id: int
    endpoint: str
    message_id: uuid.UUID
    created_at: datetime
    try_number: int
    made_to_fail: bool
    event: Event | None
    sealed_secrets: tuple[bytes, ...]
    is_readable: bool
    trace: str | None = None
    """Where the trace stood that the event came about in."""

    @property
    def is_ping(self) -> bool:
        return self.event is None and self.is_readable


_CLAIM = f"""
with recursive {leaps("waiting", "webhook_id", "deliveries", "claimed_until is null")},
rooms as materialized (
    select w.webhook_id,
           case when w.failing_since is null then $3::int else $4::int end - coalesce(b.count, 0) as room
    from waiting join webhooks w using (webhook_id)
    left join unnest($5::uuid[], $6::int[]) as b(webhook_id, count) on b.webhook_id = w.webhook_id
    -- A claim that a crash of the server loses is as good as one that was never made.
    cross join (select set_config('synchronous_commit', 'off', true)) as hasty
    where w.status = 'active' and w.paused_at is null
    -- Where there is more to do than one batch takes, everybody has the same chance.
    order by random()
), chosen as materialized (
    select due.delivery_id from rooms cross join lateral (
        select d.delivery_id from deliveries d
        where d.webhook_id = rooms.webhook_id and d.claimed_until is null and d.due_at <= $2
          -- A quote's events go in sequence, as long as they are accepted.
          -- Written so that it is always one look into an index, also while statistics are old.
          and (select earlier.delivery_id from deliveries earlier
               where earlier.webhook_id = d.webhook_id and earlier.quote_id = d.quote_id
                 and earlier.delivery_id < d.delivery_id and earlier.tries < {IN_ORDER_FOR_TRIES}
               limit 1) is null
        order by d.due_at, d.delivery_id
        limit rooms.room
        for update skip locked
    ) as due
    where rooms.room > 0
    limit $7
), claimed as (
    update deliveries d set claimed_until = now() + $1::interval from chosen
    where d.delivery_id = chosen.delivery_id
    returning d.delivery_id, d.claimed_until, d.webhook_id, d.event_id as message_id, d.quote_id, d.entry,
              d.tries, d.created_at, d.trace
), signing as materialized (
    select partner_id, array_agg(sealed order by secret_id desc) as sealed from webhook_secrets
    where (retires_at is null or retires_at > $2)
      and partner_id in (select w.partner_id from claimed join webhooks w using (webhook_id))
    group by partner_id
)
select e.delivery_id, e.claimed_until, e.webhook_id, e.message_id, e.tries, e.created_at, e.trace,
       w.partner_id, w.endpoint, w.fail_next > 0 as made_to_fail, signing.sealed, {EVENT_COLUMNS}
from claimed e join webhooks w using (webhook_id) left join signing using (partner_id)
{event_source("left join")}
order by e.delivery_id
"""


async def claim(
    tx: Tx,
    *,
    lease: timedelta,
    limit: int,
    room: int,
    failing_room: int,
    under_way: Mapping[uuid.UUID, int],
) -> list[Claimed]:
    """Claim due deliveries for that long, in one statement: no more for a webhook than it has room for."""
    rows = await tx.connection.fetch(
        _CLAIM, lease, tx.now, room, failing_room, list(under_way), list(under_way.values()), limit
    )
    return [claimed_from_row(row) for row in rows]


def claimed_from_row(row: asyncpg.Record) -> Claimed:
    """Turn a row of a delivery, its webhook and its event into a claim, even if the event cannot be read.

    The other claims of the batch are committed already, and an operator's page has to show this one too.
    """
    event, is_readable = None, True
    if row["event_id"] is not None:
        try:
            event = event_from_row(row)
        except Exception:
            log.exception("delivery_unreadable", delivery_id=row["delivery_id"])
            is_readable = False
    return Claimed(
        delivery_id=row["delivery_id"],
        claimed_until=row["claimed_until"],
        webhook_id=row["webhook_id"],
        partner_id=row["partner_id"],
        endpoint=row["endpoint"],
        message_id=row["message_id"],
        created_at=row["created_at"],
        try_number=row["tries"] + 1,
        made_to_fail=row["made_to_fail"],
        event=event,
        sealed_secrets=tuple(row["sealed"] or ()),
        is_readable=is_readable,
        trace=row.get("trace"),
    )


async def free_expired(tx: Tx) -> int:
    """Release the claims that have expired, and return how many; their holder is dead or too slow."""
    statement = """
    update deliveries set claimed_until = null where delivery_id in (
        select delivery_id from deliveries where claimed_until < now() for update skip locked)
    """
    return await tx.execute(statement)


async def release(tx: Tx, claims: Collection[Claimed]) -> None:
    await tx.execute(
        """
        update deliveries d set claimed_until = null
        from unnest($1::bigint[], $2::timestamptz[]) as c(delivery_id, claimed_until)
        where d.delivery_id = c.delivery_id and d.claimed_until = c.claimed_until
        """,
        [claimed.delivery_id for claimed in claims],
        [claimed.claimed_until for claimed in claims],
    )
    await notify_due(tx)


async def notify_due(tx: Tx) -> None:
    await tx.execute("select pg_notify($1, '')", DELIVERIES_DUE)


async def until_next(tx: Reader) -> timedelta | None:
    statement = f"""
    with recursive {leaps("waiting", "webhook_id", "deliveries", "claimed_until is null")}
    select least(
        (select min(next.due_at) from waiting join webhooks w using (webhook_id)
         cross join lateral (select d.due_at from deliveries d
                             where d.webhook_id = w.webhook_id and d.claimed_until is null
                             order by d.due_at limit 1) as next
         where w.status = 'active' and w.paused_at is null) - $1::timestamptz,
        (select min(claimed_until) from deliveries where claimed_until is not null) - now())
    """
    return await tx.find_value(timedelta, statement, tx.now)


async def anything_due(tx: Reader) -> bool:
    statement = """
    select exists (select from webhooks w join deliveries d using (webhook_id)
                   where w.status = 'active' and w.paused_at is null and d.due_at <= $1)
    """
    return await tx.value(bool, statement, tx.now)


async def anything_under_way(tx: Reader) -> bool:
    statement = "select exists (select from deliveries where claimed_until is not null and due_at <= $1)"
    return await tx.value(bool, statement, tx.now)
