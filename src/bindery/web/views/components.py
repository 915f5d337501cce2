"""Every part that pages are made of on one page, in the demo only: to look at, and to be checked."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from bindery.web.charts.bars import BarPart, LabeledBar, bars
from bindery.web.charts.dial import dial
from bindery.web.charts.line import Line, lines
from bindery.web.charts.spark import spark
from bindery.web.charts.waterfall import Bar, waterfall
from bindery.web.paging import Pager
from bindery.web.render import page
from bindery.web.shown.comparison import Cell
from bindery.web.shown.reasons import DECLINE_ADVISED, SEVERE, TO_LOOK_AT
from bindery.web.shown.words import STATUS_WORDS
from bindery.web.views.bind import FieldProblem
from bindery.web.views.sure import STEPS
from bindery.web.visit import Visit

BARS: Final = (
    Bar("Base premium", "$1,850", 0, 1850, is_total=True),
    Bar("Retention", "\u2212$93", 1850, 1757),
    Bar("Scan", "+$286", 1757, 2043),
    Bar("Premium", "$2,043", 0, 2043, is_total=True),
)
ADDRESS: Final = "/demo/components"
FUNNEL: Final = (
    LabeledBar("submitted", "40", (BarPart(40),)),
    LabeledBar("published", "31", (BarPart(31),)),
    LabeledBar("bound", "12", (BarPart(12),)),
)
DAYS: Final = ("Nov 10", "Nov 11", "Nov 12", "Nov 13")
READY: Final = (Line("half", (0.4, 0.5, None, 0.4)), Line("nine of ten", (0.8, 1.1, None, 0.9)))
TRIES: Final = ((3, 0), (5, 1), (0, 4), (6, 0))
RAISED: Final = Cell(
    "$10,000", differs=True, corrections=("$10,000 is the lowest retention; $5,000 was asked for",)
)
PROBLEMS: Final = (FieldProblem("effective", "First day", "must not be more than 30 days ahead"),)


async def show_components(visit: Visit) -> Response:
    """Show the parts with invented values."""
    now = visit.runtime.clock.real_now()
    times = visit.times(now)
    return page(
        visit,
        "components.html",
        words=tuple(dict.fromkeys(STATUS_WORDS.values())),
        bars=waterfall(BARS),
        funnel=bars(FUNNEL),
        ready=lines("ready", DAYS, READY, lambda value: f"{value:g} s"),
        tries=spark(TRIES, "14 of 19 tries succeeded."),
        gravities=(DECLINE_ADVISED, SEVERE, TO_LOOK_AT),
        raised=RAISED,
        pager=Pager(ADDRESS, ADDRESS),
        dials=tuple(dial(score) for score in (0, 51, 100)),
        problems=PROBLEMS,
        at=times.at(now),
        since=times.since(now - timedelta(hours=3)),
        late=times.until(now - timedelta(hours=2)),
        step=STEPS["cancel"],
    )
