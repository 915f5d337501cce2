"""The underwriters' queue."""

from dataclasses import replace
from typing import Final

from starlette.responses import Response

from bindery.actions.take_case import take_case
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.screening.rules import all_reason_codes
from bindery.storage import desk
from bindery.storage.desk import DeskFilter, DeskKind, DeskOrder
from bindery.web.render import page
from bindery.web.shown.desk import reason_words, shown_items, tabs
from bindery.web.shown.times import Times
from bindery.web.shown.words import PRODUCTS
from bindery.web.visit import Visit

ROWS: Final = 50
VIEWS: Final = frozenset({"all", "mine", "late", "binds", "papers"})


async def show_desk(visit: Visit) -> Response:
    """Show what waits, what is due first on top."""
    view = _view(visit)
    async with visit.runtime.database.reading() as tx:
        asked = _filter(visit, view)
        if view == "late":
            asked = replace(asked, late_at=tx.now)
        found = await desk.list_items(tx, asked, limit=ROWS + 1)
        counts = await desk.count(tx, user_id=visit.user.user_id)
    times = Times(visit.runtime.settings.zone, tx.now)
    rows = found[:ROWS]
    more = ""
    if len(found) > ROWS:
        more = str(visit.request.url.include_query_params(after=rows[-1].item_id).query)
    return page(
        visit,
        "desk.html",
        rows=shown_items(rows, times, user_id=visit.user.user_id),
        tabs=tabs(counts, view),
        view=view,
        more=more,
        late=counts.late,
        asked=asked,
        products=tuple(PRODUCTS.items()),
        reasons=tuple((code, reason_words(code)) for code in sorted(all_reason_codes())),
        orders=tuple(DeskOrder),
        zone=times.zone_name,
        at=times.now.isoformat(),
    )


async def go_to_next(visit: Visit) -> Response:
    """Take the first case that nobody has, and open it."""
    async with visit.runtime.database.reading() as tx:
        found = await desk.list_items(tx, _filter(visit, _view(visit)), limit=ROWS)
    free = next((item for item in found if item.taken_by in {None, visit.user.user_id}), None)
    if free is None:
        return await visit.done("/desk", "Nothing waits that nobody has taken.")
    await take_case(visit.runtime, free.submission_id, user_id=visit.user.user_id)
    return await visit.done(f"/desk/case/{free.submission_id}")


async def send_picked(visit: Visit) -> Response:
    """Take the cases that were picked."""
    picked = [value for name, value in await visit.form_fields() if name == "submission_id"]
    taken = 0
    for text in picked[:ROWS]:
        submission_id = visit.as_id(text)
        if submission_id is not None:
            await take_case(visit.runtime, submission_id, user_id=visit.user.user_id)
            taken += 1
    return await visit.done("/desk?view=mine", f"Taken: {taken}." if taken else "Nothing was picked.")


def _view(visit: Visit) -> str:
    return visit.word("view") if visit.word("view") in VIEWS else "all"


def _filter(visit: Visit, view: str) -> DeskFilter:
    kind = {"binds": DeskKind.BIND, "papers": DeskKind.PAPER}.get(view)
    product, order = visit.word("product"), visit.word("sort")
    return DeskFilter(
        kind=kind,
        product=InsuranceProduct(product) if product in set(InsuranceProduct) else None,
        reason=visit.word("reason") or None,
        taken_by=visit.user.user_id if view == "mine" else None,
        order=DeskOrder(order) if order in set(DeskOrder) else DeskOrder.DUE,
        after=visit.number("after"),
    )
