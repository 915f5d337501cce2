"""Reading what became of the deliveries to a webhook."""

import uuid
from operator import attrgetter

import msgspec

from bindery.contract.events import PING
from bindery.contract.webhooks import AttemptBody, DeliveryBody, DeliveryStatus
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of

_COLUMNS = "delivery_id, event_id, quote_id, entry, created_at"
read_attempts = msgspec.json.Decoder(list[AttemptBody]).decode


def attempts_on(delivery: str) -> str:
    """Return the SQL of all that was tried of a delivery, as JSON."""
    return f"""
        (select json_agg(json_build_object(
            'number', a.number, 'at', a.at, 'status_code', a.status, 'error', a.error,
            'duration_ms', a.duration_ms, 'answer', a.answer) order by a.number)
         from delivery_attempts a where a.delivery_id = {delivery}.delivery_id)::text as attempts
    """


async def list_deliveries(
    tx: Reader, webhook_id: uuid.UUID, *, cursor: Cursor | None, limit: int
) -> ListPage[DeliveryBody]:
    """List deliveries to a webhook with every try, the newest first."""
    order, sign = ("asc", ">") if cursor is not None and cursor.backward else ("desc", "<")
    wanted = f"webhook_id = $1 and ($2::bigint is null or delivery_id {sign} $2)"
    rows = await tx.connection.fetch(
        f"""
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
        """,
        webhook_id,
        None if cursor is None else cursor.key,
        limit + 1,
    )
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
