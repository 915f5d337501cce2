"""Every component of the stylesheets in every state on one page, with invented values; in the demo only."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from starlette.responses import Response

from bindery.contract.vocabulary import QuoteStatus
from bindery.web.frame.icons import ICONS
from bindery.web.frame.paging import Pager
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import LAPSED, STATUS_WORDS, WAITS, WITHDRAWN, StatusDot, Times, status_word

ADDRESS: Final = "/demo/components"
LONG_NAME: Final = "Zażółć Gęślą Jaźń and the Sons of the Very Old Harbor Warehouse " * 3
SERIES: Final = (
    ("Submitted", 136, "f1"),
    ("Published", 101, "f1"),
    ("Referred", 51, "f2"),
    ("Bound", 17, "f1"),
)


NOW: Final = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)
_ON: Final = NOW.date() + timedelta(days=30)
_DATED: Final = (
    status_word(QuoteStatus.POLICY_ACTIVE, binder_due=_ON),
    status_word(QuoteStatus.POLICY_ACTIVE, begins_ahead=_ON),
    status_word(QuoteStatus.POLICY_CANCELED, canceled_ahead=_ON),
)


async def show_components(visit: Visit) -> Response:
    return page(visit, "demo/components.html", **invented(visit.times(NOW)))


def invented(times: Times) -> dict[str, Any]:
    return {
        "icons": tuple(ICONS),
        "families": tuple(StatusDot),
        "words": tuple(dict.fromkeys((*STATUS_WORDS.values(), *_DATED, LAPSED, WITHDRAWN, WAITS))),
        "views": (
            ViewLink(address=ADDRESS, text="All open", is_here=True, count="27", key="1"),
            ViewLink(address=f"{ADDRESS}?view=mine", text="Mine", count="7", key="2"),
            ViewLink(address=f"{ADDRESS}?view=late", text="Late", count="4", is_late=True, key="3"),
            ViewLink(address=f"{ADDRESS}?view=papers", text="Papers", count="0", key="4"),
        ),
        "periods": tuple(
            ViewLink(address=f"{ADDRESS}?days={days}", text=f"{days} days", is_here=is_here)
            for days, is_here in ((7, False), (30, True), (90, False))
        ),
        "pager": Pager(ADDRESS, ADDRESS),
        "series": SERIES,
        "matrix": (("$2,405", "$3,390"), ("$2,176", "$3,075"), ("$1,948", "$2,760")),
        "long_name": LONG_NAME.strip(),
        "at": times.at(NOW),
        "since": times.at(NOW - timedelta(hours=3)),
    }
