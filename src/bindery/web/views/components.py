"""Every part that pages are made of on one page, in the demo only: to look at, and to be checked."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from bindery.web.charts.dial import dial
from bindery.web.charts.waterfall import Bar, waterfall
from bindery.web.render import page
from bindery.web.shown.times import Times
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
PROBLEMS: Final = (FieldProblem("effective", "First day", "must not be more than 30 days ahead"),)


async def show_components(visit: Visit) -> Response:
    """Show the parts with invented values."""
    now = visit.runtime.clock.real_now()
    times = Times(visit.runtime.settings.zone, now)
    return page(
        visit,
        "components.html",
        words=tuple(dict.fromkeys(STATUS_WORDS.values())),
        bars=waterfall(BARS),
        dials=tuple(dial(score) for score in (0, 51, 100)),
        problems=PROBLEMS,
        at=times.at(now),
        since=times.since(now - timedelta(hours=3)),
        late=times.until(now - timedelta(hours=2)),
        step=STEPS["cancel"],
    )
