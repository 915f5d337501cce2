"""The part of the queue that an underwriter works through; addresses carry its view, filters and order."""

import uuid
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.desk.desk_filter import DeskFilter, DeskKind, DeskOrder
from bindery.web.frame.visit import Visit

ASKED: Final = "waiting"
"""The view of the cases that wait for their brokers."""
VIEWS: Final = frozenset({"all", "mine", "late", "binds", "papers", ASKED})
FILTERS: Final = ("view", "kind", "product", "reason", "taken", "sort")
SORTS: Final = frozenset(DeskOrder) - {DeskOrder.ASKED}
_KIND_OF_VIEW: Final = {"binds": DeskKind.BIND, "papers": DeskKind.PAPER}


def view_of(visit: Visit) -> str:
    return visit.word("view") if visit.word("view") in VIEWS else "all"


def filter_of(visit: Visit, *, now: datetime) -> DeskFilter:
    kind, product, order = visit.word("kind"), visit.word("product"), visit.word("sort")
    view = view_of(visit)
    return DeskFilter(
        kind=_KIND_OF_VIEW.get(view) or (DeskKind(kind) if kind in set(DeskKind) else None),
        product=InsuranceProduct(product) if product in set(InsuranceProduct) else None,
        reason=visit.word("reason") or None,
        taken_by=visit.user.user_id if view == "mine" else None,
        is_free=visit.word("taken") == "nobody",
        is_asked=view == ASKED,
        late_at=now if view == "late" else None,
        order=order_of(view, order),
    )


def order_of(view: str, asked_for: str) -> DeskOrder:
    """Return the order of a view; cases that wait for their brokers have no due time, and one order."""
    if view == ASKED:
        return DeskOrder.ASKED
    return DeskOrder(asked_for) if asked_for in SORTS else DeskOrder.DUE


def queue_query(visit: Visit) -> str:
    """Return the query that names the part of the queue; empty for all of it by due date."""
    given = visit.request.query_params
    asked = {name: visit.word(name) for name in FILTERS if name in given}
    usual = {"view": "all", "sort": DeskOrder.DUE}
    return urlencode({name: text for name, text in asked.items() if text and text != usual.get(name)})


def desk_address(visit: Visit) -> str:
    return with_query("/desk", queue_query(visit))


def case_address(visit: Visit, submission_id: uuid.UUID) -> str:
    return with_query(f"/desk/case/{submission_id}", queue_query(visit))


def to_option(visit: Visit, submission_id: uuid.UUID) -> str:
    """Return the address of an option of a case; its number comes last."""
    return with_query(f"/desk/case/{submission_id}", queue_query(visit), "option=")


def to_preview(visit: Visit, submission_id: uuid.UUID) -> str:
    """Return where a form that was begun is sent to be shown with another option; its number comes last."""
    return with_query(f"/desk/case/{submission_id}/preview", queue_query(visit), "option=")


def with_query(path: str, *queries: str) -> str:
    asked = "&".join(query for query in queries if query)
    return f"{path}?{asked}" if asked else path
