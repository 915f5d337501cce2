import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from starlette.responses import Response

from bindery.actions.desk.take_case import hand_over_case, take_case, take_next_case
from bindery.domain.access.users import Role
from bindery.domain.screening.rules import all_reason_codes
from bindery.storage.access import users
from bindery.storage.database import Reader
from bindery.storage.desk import desk
from bindery.storage.desk.desk import DeskCounts, DeskItem, LastDecided
from bindery.storage.desk.desk_filter import DeskFilter, DeskOrder
from bindery.storage.list_pages import ListPage
from bindery.web.desk.desk_shown import (
    KINDS,
    grouped,
    nothing_waits,
    queue_sentences,
    reason_words,
    shown_heads,
    shown_items,
    taken_in_words,
    views,
)
from bindery.web.desk.queue_filter import case_address, desk_address, filter_of, queue_query, view_of
from bindery.web.frame.paging import cursor_of, pager_of, read_long_number
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, read_number
from bindery.web.shown.words import PRODUCTS

ROWS: Final = 50
REASONS: Final = tuple((code, reason_words(code)) for code in sorted(all_reason_codes()))


@dataclass(frozen=True, slots=True)
class _Queue:
    asked: DeskFilter
    found: ListPage[DeskItem]
    counts: DeskCounts
    others: Sequence[tuple[int, str]]
    last: LastDecided | None
    now: datetime


async def show_desk(visit: Visit) -> Response:
    view, queue_filter = view_of(visit), queue_query(visit)
    cursor, user_id = cursor_of(visit, read_long_number), visit.user.user_id

    async def read(tx: Reader) -> _Queue:
        asked = filter_of(visit, now=tx.now)
        counts = await desk.count(tx, user_id=user_id)
        return _Queue(
            asked,
            await desk.list_items(tx, asked, cursor=cursor, limit=ROWS),
            counts,
            await users.named(tx, Role.UNDERWRITER),
            await desk.last_decided(tx) if counts.waiting == 0 else None,
            tx.now,
        )

    queue = await visit.runtime.database.read(read)
    asked, found, counts = queue.asked, queue.found, queue.counts
    await visit.runtime.presence.leave(visit.user)
    times = visit.times(queue.now)
    free = [
        item for item in found.rows if item.taken_by in {None, visit.user.user_id} and item.asked_at is None
    ]
    # A user who has just decided something continues with the next case.
    following = free[:1] if visit.sign_in.banner else []
    rows = shown_items(
        found.rows,
        times,
        user_id=visit.user.user_id,
        queue_filter=queue_filter,
        here=partial(visit.runtime.presence.names_at, but=visit.user.user_id),
    )
    waits, next_free = queue_sentences(counts, found.rows, times)
    return page(
        visit,
        "desk/desk.html",
        groups=grouped(
            found.rows,
            rows,
            times,
            order=asked.order,
            is_first=found.previous is None,
            is_last=found.next is None,
        ),
        waits=waits,
        letters=counts.letters,
        next_free=next_free,
        following=shown_items(following, times, user_id=visit.user.user_id, queue_filter=queue_filter),
        said_of_nothing=nothing_waits(counts, queue.last, times),
        heads=shown_heads(asked.order, visit.request.query_params),
        kinds=tuple(KINDS.items()),
        views=views(counts, view),
        view=view,
        queue_filter=queue_filter,
        pager=pager_of(visit, found),
        asked=asked,
        products=tuple(PRODUCTS.items()),
        reasons=REASONS,
        others=tuple(other for other in queue.others if other[0] != visit.user.user_id),
        times=times,
    )


async def go_to_next(visit: Visit) -> Response:
    # What waits for its broker is nobody's next case.
    asked = replace(filter_of(visit, now=await visit.runtime.database.now()), is_asked=False)
    if asked.order is DeskOrder.ASKED:
        asked = replace(asked, order=DeskOrder.DUE)
    submission_id = await take_next_case(visit.runtime.database, asked, user_id=visit.user.user_id)
    if submission_id is None:
        return await visit.done(desk_address(visit), "There is no case here that is free to take.")
    return await visit.done(case_address(visit, submission_id))


async def send_picked(visit: Visit) -> Response:
    picked = await _picked(visit)
    if not picked:
        return await visit.done("/desk?view=mine", "Nothing was picked.")
    taken = await take_case(visit.runtime.database, picked, user_id=visit.user.user_id)
    return await visit.done("/desk?view=mine", taken_in_words(taken, "You took {}.".format))


async def send_hand_over(visit: Visit) -> Response:
    """Reassign the selected cases to another underwriter; those of colleagues stay with them."""
    picked = await _picked(visit)
    name, handed = await hand_over_case(
        visit.runtime.database,
        picked,
        user_id=visit.user.user_id,
        to=read_number((await visit.form()).get("to", "")) or 0,
    )
    return await visit.done("/desk", taken_in_words(handed, lambda number: f"{number} reassigned to {name}."))


async def _picked(visit: Visit) -> list[uuid.UUID]:
    sent = [value for name, value in await visit.form_fields() if name == "submission_id"]
    found = (visit.as_id(text) for text in sent[:ROWS])
    return [submission_id for submission_id in found if submission_id is not None]
