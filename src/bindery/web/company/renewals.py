"""Policies that end soon, what becomes of each, and of an open renewal offer."""

import contextlib
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from starlette.responses import Response

from bindery.actions.renewal.request_renewal import request_renewal
from bindery.actions.renewal.set_renewal_type import pause_renewal, resume_renewal
from bindery.base.errors import BinderyError, InvalidRequest, Unpausable, WrongState
from bindery.contract.policy_ending import RenewalStop
from bindery.domain.access.caller import Caller
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import binds_automatically, stopped_by
from bindery.storage.database import Database, Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.lists import policy_list
from bindery.storage.lists.policy_list import EndingPolicy
from bindery.web.company.book import see_quote
from bindery.web.company.renewals_shown import HEADS, as_cells, needing_somebody, shown_ending
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import Cells, long_spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.shown.links import ViewLink
from bindery.web.shown.owed import WARNING
from bindery.web.shown.words import american, day, product_name

AHEAD: Final = (30, 90, 180, 365)
AHEAD_DAYS: Final = 90
MOST_DAYS: Final = 400


async def show_renewals(visit: Visit) -> Response:
    cursor, read = paging.cursor_of(visit, visit.as_id), _reader(visit)
    asked = await visit.runtime.database.read(lambda tx: read(tx, cursor, paging.ROWS))
    rows = [shown_ending(policy, asked.today) for policy in asked.found.rows]
    return page(
        visit,
        "company/renewals.html",
        rows=rows,
        needing=needing_somebody(rows),
        pager=paging.pager_of(visit, asked.found),
        days=asked.days,
        until=asked.today + timedelta(days=asked.days),
        mine=asked.mine,
        ahead=[
            ViewLink(address=_address(n, mine=asked.mine), text=f"{n} days", is_here=n == asked.days)
            for n in AHEAD
        ],
        whose=[
            ViewLink(address=_address(asked.days, mine=mine), text=text, is_here=mine == asked.mine)
            for mine, text in ((True, "Mine"), (False, "Everyone's"))
        ],
        csv=_address(asked.days, mine=asked.mine).replace("/renewals", "/renewals.csv", 1),
        back=f"/renewals?{visit.request.url.query}",
    )


async def send_csv(visit: Visit) -> Response:
    read = _reader(visit)

    async def read_part(tx: Reader, *, after: Cursor | None, together: int) -> ListPage[Cells]:
        asked = await read(tx, after, together)
        rows = [
            as_cells(shown_ending(policy, asked.today), product_name(policy.product))
            for policy in asked.found.rows
        ]
        return ListPage(rows, next=asked.found.next)

    return await long_spreadsheet(visit.runtime.database, "renewals", HEADS, read_part)


@dataclass(frozen=True, slots=True)
class _Asked:
    found: ListPage[EndingPolicy]
    days: int
    mine: bool
    today: date


def _reader(visit: Visit) -> Callable[[Reader, Cursor | None, int], Awaitable[_Asked]]:
    """Return what reads a part of the list that is asked for."""
    mine = visit.word("mine") != "0"
    partner_id, broker = visit.user.partner_id or 0, visit.user.email if mine else None

    async def read(tx: Reader, cursor: Cursor | None, limit: int) -> _Asked:
        days = _days(visit, tx.today)
        until = tx.today + timedelta(days=days)
        found = await policy_list.ending(
            tx, partner_id=partner_id, until=until, broker=broker, cursor=cursor, limit=limit
        )
        return _Asked(found, days, mine, tx.today)

    return read


def _address(days: int, *, mine: bool) -> str:
    return f"/renewals?days={days}" + ("" if mine else "&mine=0")


def _days(visit: Visit, today: date) -> int:
    asked = visit.number("days") or AHEAD_DAYS
    with contextlib.suppress(ValueError):
        asked = (date.fromisoformat(visit.word("until")) - today).days
    return max(0, min(asked, MOST_DAYS))


async def send_renewal(visit: Visit) -> Response:
    """Pause or resume a renewal, or ask for its offer, and say what it led to where the button was."""
    form = await visit.form()
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    back = form.get("back", "")
    where = back if back.startswith("/renewals?") else f"/quote/{seen.quote.quote_id}"
    step = _STEPS.get(form.get("renewal", ""), _STEPS["pause"])
    caller = Caller(partner_id=seen.quote.partner_id, actor=visit.actor)
    about = f"{seen.client['name']}, {seen.policy_number}:"
    try:
        await step.take(visit.runtime.database, caller, seen.quote.quote_id)
    except (Unpausable, WrongState, InvalidRequest) as fault:
        return await visit.done(where, f"{WARNING} {about} {_why_not(fault)}")
    said = step.was_done if step.leaves and seen.renewal_type == step.leaves else step.done
    return await visit.done(where, f"{about} {said}")


def _why_not(fault: BinderyError) -> str:
    listed = fault.problems if isinstance(fault, InvalidRequest) else ()
    return american(" ".join(problem.message for problem in listed) or fault.message)


@dataclass(frozen=True, slots=True)
class _Step:
    """A step, what is said after it, and what where somebody had taken it before."""

    take: Callable[[Database, Caller, uuid.UUID], Awaitable[bytes]]
    done: str
    leaves: str = ""
    was_done: str = ""


_STEPS: Final[Mapping[str, _Step]] = {
    "pause": _Step(
        pause_renewal,
        "the renewal is paused. The policy does not renew by itself.",
        RenewalType.MANUAL,
        "the renewal was paused already. The policy does not renew by itself.",
    ),
    "resume": _Step(
        resume_renewal,
        "the policy renews by itself again.",
        RenewalType.AUTO,
        "it was resumed already. The policy renews by itself again.",
    ),
    "request": _Step(
        request_renewal,
        "the renewal is being worked out. Its offer appears on the company's page.",
    ),
}


@dataclass(frozen=True, slots=True)
class ShownRenewalOffer:
    sentence: str
    may_bind_from: str
    """The day from which it may be bound by hand; empty once that has come."""
    renews_by_itself: bool


def shown_renewal_offer(expiring: Policy, owed: Sequence[Contingency], *, today: date) -> ShownRenewalOffer:
    ends = day(expiring.term.expiration)
    renews_by_itself = binds_automatically(expiring, owed)
    stop = stopped_by(
        expiring.renewal_type, cancellation_open=expiring.cancellation_open, ruling=expiring.renewal_ruling
    )
    if renews_by_itself:
        sentence = f"It renews by itself on {ends}: nobody has to bind it."
    elif stop is RenewalStop.CANCELLATION_REQUESTED:
        sentence = (
            "Its cancellation is asked for and not decided yet: until that is decided against, it ends on "
            f"{ends} unless the renewal is bound by hand."
        )
    elif stop is RenewalStop.PAUSED:
        sentence = f"Its renewal is paused: it ends on {ends} unless the renewal is bound by hand."
    else:
        sentence = f"It renews by itself on {ends} once everything open is closed, and not before."
    opens = opens_on(expiring.term.expiration)
    return ShownRenewalOffer(
        sentence=f"This renews policy {expiring.number}. {sentence}",
        may_bind_from=day(opens) if today < opens else "",
        renews_by_itself=renews_by_itself,
    )
