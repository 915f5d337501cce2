"""What the service needs, as these pages' process finds it now and as workers found it last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from starlette.responses import Response

from bindery.actions.timetable.check_service import last_report, worker_reports
from bindery.domain.service_check import CheckLine, Report, Verdict, differing
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.ops.states_shown import Lede
from bindery.web.shown.words import StatusDot, counted

AT_MOST_EVERY: Final = timedelta(seconds=5)
"""However often the page is loaded."""
DOTS: Final[Mapping[Verdict, StatusDot]] = {
    Verdict.OK: StatusDot.OPEN,
    Verdict.NOTE: StatusDot.WAIT,
    Verdict.WRONG: StatusDot.BAD,
}
HERE: Final = "these pages"
BOTH: Final = "pages and workers"


@dataclass(frozen=True, slots=True)
class ShownLine:
    dot: StatusDot
    name: str
    found: str
    to_do: str
    where: str


async def show_check(visit: Visit) -> Response:
    own = await last_report(visit.runtime, fresh_for=AT_MOST_EVERY)
    async with visit.runtime.database.reading() as tx:
        reports = await worker_reports(tx)
    shown = views_of(own, reports)
    wrong = sum(line.dot is StatusDot.BAD for line in shown)
    return page(
        visit,
        "ops/check.html",
        checks=shown,
        checked_at=visit.times(visit.runtime.clock.real_now()).since(own.at),
        lede=Lede("Everything that was checked is fine.")
        if not wrong
        else Lede(
            f"{counted(wrong, 'thing')} {'is' if wrong == 1 else 'are'} wrong:", "what to do is below."
        ),
    )


def views_of(own: Report, workers: Sequence[Report]) -> tuple[ShownLine, ...]:
    """Lay what the pages' process found beside what workers did: what they see alike is one line."""
    shown = [_shown(line, HERE) for line in differing(own, workers)]
    for line in own.lines:
        theirs = [
            (report.host, seen) for report in workers for seen in report.lines if seen.name == line.name
        ]
        others = dict.fromkeys(
            (host, seen) for host, seen in theirs if (seen.verdict, seen.to_do) != (line.verdict, line.to_do)
        )
        is_alike = bool(theirs) and not others
        shown.append(_shown(line, BOTH if is_alike else HERE))
        shown += [_shown(seen, f"worker on {host}") for host, seen in others]
    return tuple(shown)


def _shown(line: CheckLine, where: str) -> ShownLine:
    return ShownLine(DOTS[line.verdict], line.name, line.found, line.to_do, where)
