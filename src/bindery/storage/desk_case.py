"""What is waiting in one case, and which cases come before and after it in the queue."""

import uuid

from bindery.storage.database import Reader
from bindery.storage.desk import DeskItem, item_of
from bindery.storage.desk_filter import ORDERS, DeskFilter, wanted


async def items_with_neighbors(tx: Reader, submission_id: uuid.UUID, asked: DeskFilter) -> list[DeskItem]:
    """List what of a submission waits, what is asked for first, each with the cases before and after it.

    The case itself need not be in that part of the queue: whoever takes one leaves those that nobody has.
    """
    values: list[object] = [submission_id]
    among = " and ".join(wanted(asked, values))
    way = ORDERS[asked.order]
    rows = await tx.connection.fetch(
        f"""
        select a.item_id, a.submission_id, a.kind, a.company_id, a.product, a.name, a.aggregate_limit,
               a.at_stake, a.reasons, a.is_decline_advised, a.opened_at, a.due_at, a.taken_by,
               u.name as taker,
               (select d.submission_id from desk_items d
                where {among} and {way.precedes} and d.submission_id <> a.submission_id
                order by {way.backward} limit 1) as previous,
               (select d.submission_id from desk_items d
                where {among} and {way.follows} and d.submission_id <> a.submission_id
                order by {way.forward} limit 1) as following
        from desk_items a left join users u on u.user_id = a.taken_by
        where a.submission_id = $1 and a.closed_at is null order by a.item_id
        """,
        *values,
    )
    found = [item_of(row) for row in rows]
    return sorted(found, key=lambda item: asked.kind not in {None, item.kind})
