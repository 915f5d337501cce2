"""Surplus lines filings: what is owed to the states, one filing with its mark, reports and a calendar."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from bindery.actions.policy.make_calendar import hash_of, make_calendar, remove_calendar
from bindery.actions.policy.mark_filing import (
    AskedMark,
    MarkFlaw,
    UnfitMark,
    mark_filing,
    owed,
    unmark_filing,
)
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.business_rules import A_DAY
from bindery.domain.filings.business_days import what_is_missing
from bindery.domain.filings.calendar import calendar_of
from bindery.domain.filings.obligations import A_QUARTER, FARTHEST, FilingStanding, Obligation
from bindery.domain.filings.periods import read_period
from bindery.domain.filings.report import StateReport
from bindery.domain.filings.rules import RuleConfidence, filing_rules
from bindery.domain.rating.surcharges import charge_rules
from bindery.storage.database import Reader
from bindery.storage.policy import calendar_feeds, filings
from bindery.storage.policy.calendar_feeds import CalendarFeed
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.ops.ledger import signed
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import StatusDot, counted, day

MOST_SHOWN: Final = 100
MOST_REPORTED: Final = 100_000
A_YEAR: Final = 366 * A_DAY
DOTS: Final = {
    FilingStanding.OVERDUE: StatusDot.BAD,
    FilingStanding.DUE: StatusDot.WARN,
    FilingStanding.OPEN: StatusDot.WAIT,
    FilingStanding.UNKNOWN: StatusDot.WARN,
    FilingStanding.FILED: StatusDot.BOUND,
}
VIEWS: Final = (("", "To file"), ("unknown", "Day unknown"), ("filed", "Filed"))
LABELS: Final[Mapping[str, str]] = {
    "state": "The state",
    "period": "The period",
    "filed_on": "The day",
    "reference": "The reference",
    "filing": "The filing",
}


@dataclass(frozen=True, slots=True)
class ShownFiling:
    one: Obligation
    address: str
    dot: StatusDot
    when: str
    left: str
    doubt: str
    amount: str
    is_open: bool
    """Whether its period is not over, so that more may be booked in it."""


async def show_filings(visit: Visit) -> Response:
    user_id = visit.user.user_id

    async def read(tx: Reader) -> tuple[list[Obligation], CalendarFeed | None]:
        return await owed(tx, until=tx.today + A_QUARTER), await calendar_feeds.of_user(tx, user_id)

    found, feed = await visit.runtime.database.read(read)
    state, view = visit.word("state").upper(), visit.word("view")
    of_state = [one for one in found if not state or one.rule.state == state]
    views: dict[str, list[Obligation]] = {name: [] for name, _ in VIEWS}
    for one in of_state:
        views[_view_of(one)].append(one)
    views["filed"].sort(key=lambda one: one.mark.filed_on if one.mark else date.min, reverse=True)
    listed = views.get(view, views[""])
    overdue = sum(one.standing is FilingStanding.OVERDUE for one in views[""])
    return page(
        visit,
        "ops/filings.html",
        rows=tuple(_shown(one) for one in listed[:MOST_SHOWN]),
        left_out=max(0, len(listed) - MOST_SHOWN),
        is_empty=not found,
        links=tuple(
            ViewLink(
                address=f"/ops/filings?view={name}{f'&state={state}' if state else ''}",
                text=text,
                is_here=view == name,
                count=str(len(views[name])),
                is_late=not name and overdue > 0,
            )
            for name, text in VIEWS
        ),
        overdue=overdue,
        missing=what_is_missing(),
        state=state,
        view=view,
        states=tuple((name, name) for name in sorted(charge_rules())),
        feed=feed,
        times=visit.times(visit.runtime.clock.real_now()),
    )


async def show_filing(
    visit: Visit, *, flaws: Sequence[MarkFlaw] = (), form: Mapping[str, str] | None = None, fault: str = ""
) -> Response:
    async with visit.runtime.database.reading() as tx:
        found = await owed(tx, until=tx.today + FARTHEST)
        today = tx.today
    names = visit.request.path_params
    key = (names["state"], names["code"], names["period"])
    one = next((one for one in found if (one.rule.state, one.rule.code, str(one.period)) == key), None)
    if one is None:
        raise NotFound("There is no such filing, or nothing was booked in its period.")
    given = form or {"filed_on": str(today), "reference": ""}
    return page(
        visit,
        "ops/filing.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if flaws or fault else HTTPStatus.OK,
        it=_shown(one),
        one=one,
        is_over=one.period.is_over(today),
        policies=filing_rules().policies.get(one.rule.state, ""),
        faults=(*(f"{LABELS[flaw.field]} {flaw.text}." for flaw in flaws), *filter(None, (fault,))),
        wrong=dict.fromkeys(LABELS, "") | {flaw.field: flaw.text for flaw in flaws},
        filed_on=given.get("filed_on", ""),
        reference=given.get("reference", ""),
        times=visit.times(visit.runtime.clock.real_now()),
    )


async def send_filing(visit: Visit) -> Response:
    """Mark a filing as filed, or take that back."""
    form, names = await visit.form(), visit.request.path_params
    back = f"/ops/filings/{names['state']}/{names['code']}/{names['period']}"
    try:
        if form.get("change") == "unmark":
            await unmark_filing(
                visit.runtime.database,
                state=names["state"],
                period=names["period"],
                code=names["code"],
                by=visit.doer,
            )
            return await visit.done(back, "It is not marked as filed any more.")
        asked = AskedMark(
            state=names["state"],
            period=names["period"],
            code=names["code"],
            filed_on=form.get("filed_on", ""),
            reference=form.get("reference", ""),
        )
        marked = await mark_filing(visit.runtime.database, asked, by=visit.doer)
    except UnfitMark as fault:
        return await show_filing(visit, flaws=fault.flaws, form=form)
    except InvalidRequest as fault:
        return await show_filing(visit, fault=fault.message)
    kept = marked.mark
    on = f"filed on {day(kept.filed_on)}, {kept.reference}"
    if marked.is_new:
        return await visit.done(back, f"{kept.state} {kept.period} is {on}.")
    return await visit.done(back, f"⚠ It was already marked by {kept.marked_by}: {on}. Nothing was changed.")


async def send_report(visit: Visit) -> Response:
    """Send the report of a state and period; one that is too long for a page is for the command line."""
    state, period = visit.word("state").upper(), read_period(visit.word("period"))
    if state not in charge_rules() or period is None:
        raise NotFound("There is no such report.")

    async def read(tx: Reader) -> tuple[str, list[Sequence[object]]]:
        report = StateReport(state, period, today=tx.today)
        rows = list(report.head())
        async with aclosing(filings.transactions(tx, period.first, period.last, state=state)) as parts:
            async for part in parts:
                rows += map(report.row, part)
                if report.count > MOST_REPORTED:
                    raise InvalidRequest(
                        f"More than {MOST_REPORTED:,} transactions are for the command line: "
                        f"bindery filing report --state {state} --period {period}"
                    )
        return report.name, [*rows, report.foot()]

    name, rows = await visit.runtime.database.read(read, is_snapshot=True)
    return spreadsheet(name, rows)


async def send_calendar_change(visit: Visit) -> Response:
    """Make an address for the calendar, which is shown this once, or take it back."""
    form = await visit.form()
    if form.get("change") == "remove":
        is_gone = await remove_calendar(visit.runtime.database, visit.user.user_id, by=visit.doer)
        said = "The address is taken back: calendars find nothing there any more."
        return await visit.done("/ops/filings", said if is_gone else "There was no address to take back.")
    token = await make_calendar(visit.runtime.database, visit.user.user_id, by=visit.doer)
    return page(
        visit,
        "ops/calendar.html",
        headers={"Cache-Control": "no-store"},
        address=f"{visit.runtime.settings.platform_url}/s/{token}/filings.ics",
    )


async def send_calendar(visit: Visit) -> Response:
    """Answer a calendar program, which knows the address and nothing else."""
    token, platform = visit.request.path_params["token"], visit.runtime.settings.platform_url

    async def read(tx: Reader) -> str:
        if await calendar_feeds.find(tx, hash_of(token)) is None:
            raise NotFound("There is no such calendar, or it was taken back.")
        found = await owed(tx, until=tx.today + A_YEAR)
        coming = [one for one in found if one.due is None or one.due >= tx.today - A_YEAR]
        return calendar_of(coming, made_at=tx.real_now, platform=platform)

    text = await visit.runtime.database.read(read)
    return Response(text, media_type="text/calendar; charset=utf-8")


def _view_of(one: Obligation) -> str:
    if one.mark is not None:
        return "filed"
    return "" if one.due is not None and one.is_asked_for else "unknown"


def _shown(one: Obligation) -> ShownFiling:
    rule = one.rule
    if one.is_asked_for is None and one.mark is None:
        left = "Nothing booked; whether a zero report is due is unknown"
    else:
        left = _left(one)
    return ShownFiling(
        one,
        f"/ops/filings/{rule.state}/{rule.code}/{one.period}",
        DOTS[one.standing],
        "Unknown" if one.due is None else day(one.due),
        left,
        "" if rule.confidence is RuleConfidence.HIGH else f"{rule.confidence} confidence",
        "report" if one.amount is None else signed(one.amount),
        one.standing is FilingStanding.OPEN,
    )


def _left(one: Obligation) -> str:
    if one.mark is not None:
        return f"Filed on {day(one.mark.filed_on)}"
    if one.days_left is None:
        return "The day is unknown"
    if one.days_left < 0:
        return f"{counted(-one.days_left, 'day')} late"
    return "due today" if not one.days_left else f"in {counted(one.days_left, 'day')}"
