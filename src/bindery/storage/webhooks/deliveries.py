import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from bindery.base.tracing import current_trace
from bindery.contract.webhooks import DeliveryStatus
from bindery.domain.messages.webhooks import IN_ORDER_FOR_TRIES
from bindery.storage.database import Connection, Tx
from bindery.storage.webhooks.delivery_claims import notify_due


@dataclass(frozen=True, slots=True, kw_only=True)
class TryRecord:
    delivery_id: int
    claimed_until: datetime
    number: int
    at: datetime
    status: int | None
    error: str | None
    duration_ms: int
    answer: str
    state: DeliveryStatus
    due_at: datetime


async def record(connection: Connection, tries: Sequence[TryRecord]) -> None:
    """Write how tries went, in one statement; nothing of a delivery whose claim was taken over.

    An endpoint that accepted anything is not failing any more.
    """
    await connection.execute(
        """
        with tried as (
            select * from json_to_recordset($1::json)
                as t(delivery_id bigint, claimed_until timestamptz, number smallint, at timestamptz,
                     status smallint, error text, duration_ms int, answer text, state text,
                     due_at timestamptz)
        ), again as (
            update deliveries d set tries = t.number, due_at = t.due_at, claimed_until = null
            from tried t
            where d.delivery_id = t.delivery_id and d.claimed_until = t.claimed_until and t.state = 'pending'
            returning d.delivery_id
        ), ended as (
            delete from deliveries d using tried t
            where d.delivery_id = t.delivery_id and d.claimed_until = t.claimed_until and t.state <> 'pending'
            returning d.delivery_id, d.webhook_id, d.event_id, d.quote_id, d.entry, d.created_at,
                      t.state, t.at
        ), kept as (
            insert into finished_deliveries
                (delivery_id, webhook_id, event_id, quote_id, entry, created_at, state, finished_at)
            select * from ended
        ), healed as (
            update webhooks set failing_since = null where webhook_id in (
                select w.webhook_id from webhooks w
                where w.failing_since is not null
                  and w.webhook_id in (select webhook_id from ended where state = 'delivered')
                order by w.webhook_id for no key update)
        ), let_go as (
            -- A ping got there: what waits for a later try goes out now, in order. Other successes do
            -- not: an endpoint may refuse one event for good and take all others. A claim that is under way
            -- is left alone, and so is what another transaction holds.
            update deliveries set due_at = (select max(at) from tried) where delivery_id in (
                select d.delivery_id from deliveries d
                where d.webhook_id in (select webhook_id from ended
                                       where state = 'delivered' and quote_id is null)
                  and d.claimed_until is null and d.due_at > (select max(at) from tried)
                for update skip locked)
        )
        insert into delivery_attempts (delivery_id, number, at, status, error, duration_ms, answer)
        select t.delivery_id, t.number, t.at, t.status, t.error, t.duration_ms, t.answer
        from tried t join (select delivery_id from again union all select delivery_id from ended) as mine
            using (delivery_id)
        """,
        # One text, not a list for each column: those are looked through value by value before they are sent.
        msgspec.json.encode(tries).decode(),
    )


async def make_all_due(tx: Tx, webhook_id: uuid.UUID) -> int:
    """Make everything due now that waits for a later try, and return how many; it goes out in order."""
    statement = """
    update deliveries set due_at = $2 where delivery_id in (
        select delivery_id from deliveries where webhook_id = $1 and claimed_until is null and due_at > $2
        for update skip locked)
    """
    count = await tx.execute(statement, webhook_id, tx.now)
    await notify_due(tx)
    return count


async def hold_back_followers(tx: Tx, failed: Sequence[TryRecord]) -> None:
    """Postpone what waits behind a quote's failed tries until those are due: no claim looks at it before."""
    waiting = [tried for tried in failed if tried.number < IN_ORDER_FOR_TRIES]
    statement = """
    update deliveries follower set due_at = t.due_at
    from unnest($1::bigint[], $2::timestamptz[]) as t(delivery_id, due_at)
        join deliveries d using (delivery_id)
    where follower.webhook_id = d.webhook_id and follower.quote_id = d.quote_id
      and follower.delivery_id > d.delivery_id and follower.claimed_until is null
      and follower.due_at < t.due_at
    """
    await tx.execute(statement, [tried.delivery_id for tried in waiting], [tried.due_at for tried in waiting])


async def replay(tx: Tx, webhook_id: uuid.UUID, event_ids: Sequence[uuid.UUID]) -> None:
    """Send events again, in the order given: pending ones are due at once, the rest is queued again."""
    make_due = """
    update deliveries set due_at = $3 where delivery_id in (
        select delivery_id from deliveries
        where webhook_id = $1 and event_id = any($2) and claimed_until is null and due_at > $3
        order by delivery_id for update skip locked)
    """
    queue_again = """
    insert into deliveries (webhook_id, event_id, quote_id, entry, created_at, due_at, trace)
    select $1, e.event_id, e.quote_id, e.entry, $3, $3, $4
    from unnest($2::uuid[]) with ordinality as asked(event_id, number) join events e using (event_id)
    where not exists (
        select from deliveries d
        where d.webhook_id = $1 and d.quote_id = e.quote_id and d.event_id = e.event_id)
    order by asked.number
    """
    await tx.execute(make_due, webhook_id, list(event_ids), tx.now)
    await tx.execute(queue_again, webhook_id, list(event_ids), tx.now, current_trace())
    await notify_due(tx)


async def add_ping(tx: Tx, webhook_id: uuid.UUID) -> uuid.UUID:
    message_id = tx.new_id()
    ping = {
        "webhook_id": webhook_id,
        "event_id": message_id,
        "created_at": tx.now,
        "due_at": tx.now,
        "trace": current_trace(),
    }
    await tx.insert("deliveries", ping)
    await notify_due(tx)
    return message_id


async def purge(tx: Tx, *, before: datetime, limit: int) -> int:
    statement = """
    with old as (
        select delivery_id from (
            select delivery_id, created_at from finished_deliveries order by delivery_id limit $2
        ) as oldest where created_at < $1
    ), gone as (
        -- As arrays, so that each is looked up by its key, however many there are.
        delete from finished_deliveries where delivery_id = any(array(select delivery_id from old))
    ), attempts as (
        delete from delivery_attempts where delivery_id = any(array(select delivery_id from old))
    )
    select count(*) from old
    """
    return await tx.value(int, statement, before, limit)


async def drop_hopeless(tx: Tx, *, before: datetime, limit: int) -> int:
    """Remove what is on its way to webhooks that were removed, or disabled for so long; return how many."""
    statement = """
    with hopeless as (
        delete from deliveries where delivery_id = any(array(
            select d.delivery_id from webhooks w join deliveries d using (webhook_id)
            where d.claimed_until is null
              and (w.status = 'removed' or w.status = 'disabled' and d.created_at < $1)
            limit $2 for update of d skip locked))
        returning delivery_id
    ), attempts as (
        delete from delivery_attempts where delivery_id = any(array(select delivery_id from hopeless))
    )
    select count(*) from hopeless
    """
    return await tx.value(int, statement, before, limit)
