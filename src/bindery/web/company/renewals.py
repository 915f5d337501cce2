"""Policies that end soon, what becomes of each, and of an open renewal offer."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from starlette.responses import Response

from bindery.actions.renewal.request_renewal import request_renewal
from bindery.actions.renewal.set_renewal_type import pause_renewal, resume_renewal
from bindery.contract.quote import RenewalState, RenewalStop
from bindery.domain.access.caller import Caller
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import binds_automatically, may_be_asked_for_from, stopped_by
from bindery.storage.lists import policy_list
from bindery.storage.lists.policy_list import EndingPolicy
from bindery.web.company.book import find_quote
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.renewal import (
    Outlook,
    asked_for_from,
    change_of_premium,
    price_of_offer,
    renewal_in_words,
)
from bindery.web.shown.words import day, money

AHEAD_DAYS: Final = 90
MOST_DAYS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEnding:
    """A row: what becomes of a policy, and the step that can be taken, `pause`, `resume` or none."""

    policy: EndingPolicy
    change: str
    says: str
    step: str
    may_ask: bool


async def show_renewals(visit: Visit) -> Response:
    mine = visit.word("mine") != "0"
    async with visit.runtime.database.reading() as tx:
        days = _days(visit, tx.today)
        found = await policy_list.ending(
            tx,
            partner_id=visit.user.partner_id or 0,
            until=tx.today + timedelta(days=days),
            broker=visit.user.email if mine else None,
            cursor=paging.cursor_of(visit, visit.as_id),
            limit=paging.ROWS,
        )
    return page(
        visit,
        "company/renewals.html",
        rows=[_row(policy, tx.today) for policy in found.rows],
        pager=paging.pager_of(visit, found),
        days=days,
        mine=mine,
        back=f"/renewals?{visit.request.url.query}",
        today=tx.today,
    )


def _row(policy: EndingPolicy, today: date) -> ShownEnding:
    offered = policy.offered_premium
    outlook = Outlook(
        ends=policy.expiration,
        state=policy.state,
        stopped_by=stopped_by(policy.renewal_type, cancellation_open=policy.cancellation_open),
        in_force=True,
        is_owed=policy.is_owed,
        price=price_of_offer(money(offered), policy.premium, offered) if offered is not None else "",
        number=policy.renewed_as or "",
    )
    is_over = policy.state is RenewalState.BOUND or policy.expiration <= today
    switch = "resume" if policy.renewal_type is RenewalType.MANUAL else "pause"
    is_open_to_ask = policy.renewed_by is None and may_be_asked_for_from(policy.expiration) <= today
    return ShownEnding(
        policy=policy,
        change=change_of_premium(policy.premium, offered),
        says=f"{renewal_in_words(outlook)} {asked_for_from(outlook, today)}".strip(),
        step="" if is_over else switch,
        may_ask=is_open_to_ask and not is_over,
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
    back = form.get("back", "")
    where = back if back.startswith("/renewals?") else f"/quote/{quote.quote_id}"
    caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
    match form.get("renewal"):
        case "resume":
            await resume_renewal(visit.runtime.database, caller, quote.quote_id)
            said = "The policy renews by itself again."
        case "request":
            await request_renewal(visit.runtime.database, caller, quote.quote_id)
            said = "The renewal is being worked out: its offer appears on the company's page."
        case _:
            await pause_renewal(visit.runtime.database, caller, quote.quote_id)
            said = "The renewal is paused: the policy does not renew by itself."
    return await visit.done(where, said)


@dataclass(frozen=True, slots=True)
class ShownRenewalOffer:
    sentence: str
    may_bind_from: str
    """The day from which it may be bound by hand; empty once that has come."""
    renews_by_itself: bool


def shown_renewal_offer(expiring: Policy, owed: Sequence[Contingency], *, today: date) -> ShownRenewalOffer:
    ends = day(expiring.term.expiration)
    renews_by_itself = binds_automatically(expiring, owed)
    stop = stopped_by(expiring.renewal_type, cancellation_open=expiring.cancellation_open)
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
