"""A policy that ends soon as a row: what becomes of it in words of the trade, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, assert_never

from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.policy import RenewalType
from bindery.domain.policy.renewal import OFFERED_BEFORE, may_be_asked_for_from
from bindery.storage.lists.policy_list import EndingPolicy
from bindery.web.shown.renewal import (
    Outlook,
    asked_for_from,
    change_of_premium,
    dollars_of_change,
    price_of_offer,
    renewal_in_words,
)
from bindery.web.shown.words import StatusDot, day_of_year, money

SOON: Final = timedelta(days=14)
LATE: Final = timedelta(days=3)
HEADS: Final = (
    "Company",
    "Policy",
    "Product",
    "Expires",
    "Expiring premium",
    "Offered premium",
    "Change",
    "Change in percent",
    "Status",
    "What happens",
    "Broker",
)


@dataclass(frozen=True, slots=True)
class RenewalStep:
    """What to do about a policy: a link, or a sentence if there is nothing to press."""

    text: str
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEnding:
    """A row; `switch` is the step that can be taken, `pause`, `resume` or none.

    An offer is asked for where none comes by itself.
    `urgency` is that of a policy which ends unless somebody does something: `late`, `soon` or empty.
    """

    policy: EndingPolicy
    premium: str
    offered: str
    change: str
    percent: str
    dot: StatusDot
    word: str
    says: str
    next: RenewalStep
    switch: str
    may_ask: bool
    urgency: str


def shown_ending(policy: EndingPolicy, today: date) -> ShownEnding:
    offered = policy.offered_premium
    outlook = Outlook(
        ends=policy.expiration,
        state=policy.state,
        stopped_by=policy.stopped_by,
        in_force=True,
        is_owed=policy.is_owed,
        price=price_of_offer(money(offered), policy.premium, offered) if offered is not None else "",
        number=policy.renewed_as or "",
    )
    is_over = policy.state is RenewalState.BOUND or policy.expiration <= today
    switch = "resume" if policy.renewal_type is RenewalType.MANUAL else "pause"
    is_declined = policy.stopped_by is RenewalStop.NOT_RENEWED
    is_asked_for = (
        policy.state is RenewalState.ENDS and policy.renewed_by is None and not (is_over or is_declined)
    )
    dot, word = _status(outlook)
    return ShownEnding(
        policy=policy,
        premium=money(policy.premium),
        offered=money(offered) if offered is not None else "",
        change=dollars_of_change(policy.premium, offered),
        percent=change_of_premium(policy.premium, offered),
        dot=dot,
        word=word,
        says=f"{renewal_in_words(outlook)} {asked_for_from(outlook, today)}".strip(),
        next=_next(policy, outlook, today),
        switch="" if is_over or is_declined else switch,
        may_ask=is_asked_for and may_be_asked_for_from(policy.expiration) <= today,
        urgency=_urgency(policy.expiration - today) if dot in {StatusDot.BAD, StatusDot.WARN} else "",
    )


def _status(outlook: Outlook) -> tuple[StatusDot, str]:  # noqa: C901, PLR0911 - one line a state
    match outlook.state:
        case RenewalState.BOUND:
            return StatusDot.BOUND, "Renewed"
        case _ if outlook.stopped_by is RenewalStop.NOT_RENEWED:
            return StatusDot.BAD, "Not renewed by the insurer"
        case RenewalState.ENDS:
            return StatusDot.BAD, "Ends: no renewal"
        case RenewalState.REFERRED:
            return StatusDot.WAIT, "With an underwriter"
        case _ if outlook.stopped_by is RenewalStop.CANCELLATION_REQUESTED:
            return StatusDot.WARN, "Cancellation asked for"
        case RenewalState.OFFERED if outlook.stopped_by is not None:
            return StatusDot.WARN, "Ends unless bound"
        case RenewalState.OFFERED if outlook.is_owed:
            return StatusDot.WARN, "Papers owed"
        case RenewalState.OFFERED:
            return StatusDot.OPEN, "Renews by itself"
        case _ if outlook.stopped_by is RenewalStop.HELD:
            return StatusDot.WAIT, "An underwriter looks at it first"
        case RenewalState.NOT_DUE:
            return StatusDot.RUN, "Renews by itself"
        case _:
            assert_never(outlook.state)


def _next(policy: EndingPolicy, outlook: Outlook, today: date) -> RenewalStep:  # noqa: C901, PLR0911 - as above
    offer = f"/quote/{policy.renewed_by}"
    opens = opens_on(policy.expiration)
    match outlook.state:
        case RenewalState.BOUND:
            return RenewalStep(f"Policy {outlook.number}" if outlook.number else "Policy", offer)
        case _ if outlook.stopped_by is RenewalStop.NOT_RENEWED:
            return RenewalStep("See the notice", f"/quote/{policy.quote_id}/document/nonrenewal_notice")
        case RenewalState.ENDS:
            asked_from = may_be_asked_for_from(policy.expiration)
            return RenewalStep(f"Offer from {day_of_year(asked_from)} on" if today < asked_from else "")
        case RenewalState.REFERRED:
            return RenewalStep("See the renewal", offer)
        case _ if policy.cancellation_open:
            return RenewalStep("An underwriter decides on it")
        case RenewalState.OFFERED if outlook.stopped_by is not None and today < opens:
            return RenewalStep(f"Bind from {day_of_year(opens)}", offer)
        case RenewalState.OFFERED if outlook.stopped_by is not None:
            return RenewalStep("Bind the offer", f"{offer}/bind")
        case RenewalState.OFFERED if outlook.is_owed:
            return RenewalStep("Send what is open", offer)
        case RenewalState.OFFERED:
            return RenewalStep("See the offer", offer)
        case RenewalState.NOT_DUE:
            return RenewalStep(f"Offer on {day_of_year(policy.expiration - OFFERED_BEFORE)}")
        case _:
            assert_never(outlook.state)


def needing_somebody(rows: Sequence[ShownEnding]) -> str:
    """Return how many of these policies end unless somebody does something; empty for none."""
    found = sum(row.dot in {StatusDot.BAD, StatusDot.WARN} for row in rows)
    if not found:
        return ""
    return f"{found} of these {'ends' if found == 1 else 'end'} unless somebody acts."


def _urgency(left: timedelta) -> str:
    if left <= LATE:
        return "late"
    return "soon" if left <= SOON else ""


def as_cells(row: ShownEnding, product: str) -> tuple[object, ...]:
    """Return a row as the cells of a spreadsheet; amounts are numbers there."""
    policy = row.policy
    offered = policy.offered_premium
    return (
        policy.name,
        policy.policy_number,
        product,
        policy.expiration.isoformat(),
        policy.premium,
        "" if offered is None else offered,
        "" if offered is None else offered - policy.premium,
        "" if offered is None or not policy.premium else round(offered / policy.premium * 100 - 100, 1),
        row.word,
        row.says,
        policy.broker,
    )
