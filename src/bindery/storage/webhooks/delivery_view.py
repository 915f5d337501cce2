import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

import msgspec

from bindery.contract.events import PING
from bindery.contract.webhooks import AttemptBody, DeliveryBody, DeliveryStatus
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of
from bindery.storage.webhooks.delivery_claims import Claimed, claimed_from_row
from bindery.storage.webhooks.events import EVENT_COLUMNS, event_source

_COLUMNS = "delivery_id, event_id, quote_id, entry, created_at"
read_attempts = msgspec.json.Decoder(list[AttemptBody]).decode


def attempts_on(delivery: str) -> str:
    return f"""
        (select json_agg(json_build_object(
            'number', a.number, 'at', a.at, 'status_code', a.status, 'error', a.error,
            'duration_ms', a.duration_ms, 'answer', a.answer) order by a.number)
         from delivery_attempts a where a.delivery_id = {delivery}.delivery_id)::text as attempts
    """


async def list_deliveries(
    tx: Reader, webhook_id: uuid.UUID, *, cursor: Cursor | None, limit: int
) -> ListPage[DeliveryBody]:
    order, sign = ("asc", ">") if cursor is not None and cursor.backward else ("desc", "<")
    wanted = f"webhook_id = $1 and ($2::bigint is null or delivery_id {sign} $2)"
    statement = f"""
    select d.*, j.type,
        {attempts_on("d")}
    from (
        (select {_COLUMNS}, 'pending' as state, due_at as next_attempt_at, null as finished_at
         from deliveries where {wanted} order by delivery_id {order} limit $3)
        union all
        (select {_COLUMNS}, state, null, finished_at
         from finished_deliveries where {wanted} order by delivery_id {order} limit $3)
    ) as d left join journal j on j.quote_id = d.quote_id and j.entry = d.entry
    order by d.delivery_id {order} limit $3
    """
    rows = await tx.connection.fetch(statement, webhook_id, None if cursor is None else cursor.key, limit + 1)
    found = [
        DeliveryBody(
            id=str(row["delivery_id"]),
            event_id=str(row["event_id"]),
            type=row["type"] or PING,
            quote_identifier=str(row["quote_id"]) if row["quote_id"] else None,
            status=DeliveryStatus(row["state"]),
            created_at=row["created_at"],
            next_attempt_at=row["next_attempt_at"],
            finished_at=row["finished_at"],
            attempts=read_attempts(row["attempts"] or "[]"),
        )
        for row in rows
    ]
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("id"))


HOURS: Final = 24
NEWEST_LOOKED_AT: Final = 1_000
"""How many of its newest deliveries the state of an endpoint is read from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDelivery:
    claimed: Claimed
    status: DeliveryStatus
    is_sent_to: bool
    """Whether anything is sent to its webhook, which may be disabled or removed."""
    next_attempt_at: datetime | None
    attempts: Sequence[AttemptBody]


async def find(tx: Reader, delivery_id: int) -> SeenDelivery | None:
    statement = f"""
    select e.*, w.status = 'active' as is_sent_to,
        w.partner_id, w.endpoint, false as made_to_fail, $2::timestamptz as claimed_until,
        (select count(*) from delivery_attempts a where a.delivery_id = e.delivery_id) as tries,
        {EVENT_COLUMNS},
        (select array_agg(s.sealed order by s.secret_id desc) from webhook_secrets s
         where s.partner_id = w.partner_id and (s.retires_at is null or s.retires_at > $2)) as sealed,
        {attempts_on("e")}
    from (
        select delivery_id, webhook_id, event_id as message_id, quote_id, entry, created_at,
               'pending' as state, due_at as next_attempt_at
        from deliveries where delivery_id = $1
        union all
        select delivery_id, webhook_id, event_id, quote_id, entry, created_at, state, null
        from finished_deliveries where delivery_id = $1
    ) as e join webhooks w using (webhook_id) {event_source("left join")}
    """
    row = await tx.connection.fetchrow(statement, delivery_id, tx.now)
    if row is None:
        return None
    return SeenDelivery(
        claimed=claimed_from_row(row),
        status=DeliveryStatus(row["state"]),
        is_sent_to=row["is_sent_to"],
        next_attempt_at=row["next_attempt_at"],
        attempts=read_attempts(row["attempts"] or "[]"),
    )


@dataclass(frozen=True, slots=True)
class Fares:
    hours: tuple[tuple[int, int], ...]
    next_try: datetime | None


async def how_fares(tx: Reader, webhook_id: uuid.UUID) -> Fares:
    statement = f"""
    select floor(extract(epoch from $2 - a.at) / 3600)::int as ago,
           count(*) filter (where a.status between 200 and 299) as good, count(*) as count
    from (
        (select delivery_id from deliveries where webhook_id = $1
         order by delivery_id desc limit {NEWEST_LOOKED_AT})
        union all
        (select delivery_id from finished_deliveries where webhook_id = $1
         order by delivery_id desc limit {NEWEST_LOOKED_AT})
    ) as newest join delivery_attempts a using (delivery_id)
    where a.at > $2::timestamptz - interval '{HOURS} hours' group by 1
    """
    rows = await tx.connection.fetch(statement, webhook_id, tx.now)
    by_hour = {row["ago"]: (row["good"], row["count"] - row["good"]) for row in rows}
    pending = "from deliveries where webhook_id = $1 and claimed_until is null"
    next_try = await tx.find_value(datetime, f"select min(due_at) {pending}", webhook_id)
    return Fares(tuple(by_hour.get(ago, (0, 0)) for ago in range(HOURS - 1, -1, -1)), next_try)


async def failed_since(tx: Reader, webhook_id: uuid.UUID, since: datetime, *, limit: int) -> list[uuid.UUID]:
    """Return the events that failed for good since then and did not get there later, the oldest first."""
    statement = """
    select last.event_id from (
        select distinct on (event_id) event_id, delivery_id, quote_id, state from finished_deliveries
        where webhook_id = $1 and finished_at >= $2 and quote_id is not null
        order by event_id, delivery_id desc
    ) as last
    where last.state = 'failed'
      and not exists (select from deliveries d
                      where d.webhook_id = $1 and d.quote_id = last.quote_id
                        and d.event_id = last.event_id)
    order by last.delivery_id limit $3
    """
    return await tx.column(uuid.UUID, statement, webhook_id, since, limit)
