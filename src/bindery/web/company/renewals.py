"""Policies that renew soon, and what becomes of an open renewal offer."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from starlette.responses import Response

from bindery.actions.renewal.set_renewal_type import pause_renewal, resume_renewal
from bindery.domain.access.caller import Caller
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import binds_automatically
from bindery.storage.lists import policy_list
from bindery.web.company.book import find_quote
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import day

AHEAD_DAYS: Final = 90
MOST_DAYS: Final = 400


async def show_renewals(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        days = _days(visit, tx.today)
        found = await policy_list.ending(
            tx,
            partner_id=visit.user.partner_id or 0,
            until=tx.today + timedelta(days=days),
            cursor=paging.cursor_of(visit, visit.as_id),
            limit=paging.ROWS,
        )
    return page(
        visit,
        "company/renewals.html",
        rows=found.rows,
        pager=paging.pager_of(visit, found),
        days=days,
        today=tx.today,
    )


def _days(visit: Visit, today: date) -> int:
    asked = visit.number("days") or AHEAD_DAYS
    with contextlib.suppress(ValueError):
        asked = (date.fromisoformat(visit.word("until")) - today).days
    return max(0, min(asked, MOST_DAYS))


async def send_renewal(visit: Visit) -> Response:
    form = await visit.form()
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    where = f"/quote/{quote.quote_id}"
    caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
    if form.get("renewal") == "resume":
        await resume_renewal(visit.runtime.database, caller, quote.quote_id)
        return await visit.done(where, "The policy renews automatically again.")
    await pause_renewal(visit.runtime.database, caller, quote.quote_id)
    return await visit.done(where, "The renewal is paused: the policy renews by hand only.")


@dataclass(frozen=True, slots=True)
class ShownRenewalOffer:
    sentence: str
    may_bind_from: str
    """The day from which it may be bound by hand; empty once that has come."""


def shown_renewal_offer(expiring: Policy, owed: Sequence[Contingency], *, today: date) -> ShownRenewalOffer:
    ends = expiring.term.expiration
    if binds_automatically(expiring, owed):
        sentence = f"It renews automatically on {day(ends)}: nobody has to bind it."
    elif expiring.renewal_type is RenewalType.AUTO:
        sentence = f"It renews automatically on {day(ends)} once everything open is closed, and not before."
    else:
        sentence = f"Its renewal is paused: it ends on {day(ends)} unless the renewal is bound by hand."
    opens = opens_on(ends)
    return ShownRenewalOffer(
        sentence=f"This renews policy {expiring.number}. {sentence}",
        may_bind_from=day(opens) if today < opens else "",
    )
