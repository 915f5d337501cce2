"""What is waiting in one case, and which cases come before and after it in the queue."""

import uuid

from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.desk.desk import ITEM_COLUMNS, DeskItem
from bindery.storage.desk.desk_filter import ORDERS, DeskFilter, where_wanted
from bindery.storage.records import of_table


async def items_with_neighbors(tx: Reader, submission_id: uuid.UUID, asked: DeskFilter) -> list[DeskItem]:
    """List what of a submission waits, what is asked for first, each with the cases before and after it.

    The case itself need not be in that part of the queue: whoever takes one leaves those that nobody has.
    """
    conditions = Conditions()
    own, way = conditions.value(submission_id), ORDERS[asked.order]
    where_wanted(conditions, asked)
    found = await tx.rows(
        DeskItem,
        f"""
        select {of_table("a", ITEM_COLUMNS)}, u.name as taker,
               (select d.submission_id from desk_items d
                {conditions.clause} and {way.precedes} and d.submission_id <> a.submission_id
                order by {way.backward} limit 1) as previous,
               (select d.submission_id from desk_items d
                {conditions.clause} and {way.follows} and d.submission_id <> a.submission_id
                order by {way.forward} limit 1) as following
        from desk_items a left join users u on u.user_id = a.taken_by
        where a.submission_id = {own} and a.closed_at is null order by a.item_id
        """,
        *conditions.values,
    )
    return sorted(found, key=lambda item: asked.kind not in {None, item.kind})
