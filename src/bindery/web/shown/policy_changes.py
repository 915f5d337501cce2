"""Changes of a policy during its term in words: where each stands, what it comes to, and what is to come."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

import msgspec

from bindery.contract.changes import ChangeStatus
from bindery.domain.access.caller import PARTNER_ACTOR
from bindery.domain.documents.endorsing import TERM_LABELS
from bindery.domain.policy.changing import PricedChange
from bindery.domain.policy.kept_change import KeptChange
from bindery.web.shown.words import Moment, StatusDot, StatusWord, Times, Tone, cents, counted, day, money

MINUS: Final = "\N{MINUS SIGN}"
LABELS: Final[Mapping[str, str]] = {
    **TERM_LABELS,
    "name": "Named insured",
    "dba": "Doing business as",
    "address": "Address",
    "domains": "Domains",
    "contacts": "Contacts",
    "additional_insured": "Additional insureds",
}
CHANGE_WORDS: Final[Mapping[ChangeStatus, StatusWord]] = {
    ChangeStatus.QUOTED: StatusWord("Open", Tone.PLAIN, StatusDot.OPEN, "It can be accepted."),
    ChangeStatus.REFERRED: StatusWord(
        "With an underwriter", Tone.WARN, StatusDot.WAIT, "An underwriter will decide on it."
    ),
    ChangeStatus.ISSUED: StatusWord("Issued", Tone.GOOD, StatusDot.BOUND, "The policy is changed."),
    ChangeStatus.DECLINED: StatusWord("Declined", Tone.BAD, StatusDot.BAD, "An underwriter declined it."),
    ChangeStatus.WITHDRAWN: StatusWord("Withdrawn", Tone.PLAIN, StatusDot.OVER, "It was withdrawn."),
    ChangeStatus.EXPIRED: StatusWord(
        "Expired", Tone.PLAIN, StatusDot.OVER, "Nobody accepted it in time. Ask for it again."
    ),
}


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """What happens when a change is sent, and the button that is named after it."""

    title: str
    text: str
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChange:
    change_id: str
    effective: str
    status: StatusWord
    what: tuple[str, ...]
    premium: str
    total: str
    asked: Moment
    asked_by: str
    reason: str
    answer: str
    """What an underwriter said, or why one decides."""
    endorsement: int | None
    is_open: bool
    may_accept: bool


def by(amount: int | Decimal) -> str:
    """Write what is due more with a plus, what is returned with a minus."""
    text = money(abs(amount)) if isinstance(amount, int) else cents(abs(amount))
    return text if amount == 0 else f"{'+' if amount > 0 else MINUS}{text}"


def outcome_of(priced: PricedChange) -> ChangeOutcome:
    if priced.referrals:
        return ChangeOutcome(
            "An underwriter decides",
            f"{_why(priced)}. Until then the policy stays as it is.",
            "Send to an underwriter",
        )
    price = f" for {by(priced.total)}" if priced.total else ""
    return ChangeOutcome(
        "The policy is changed at once",
        "With an endorsement and new declarations.",
        f"Change the policy from {day(priced.effective)}{price}",
    )


def _why(priced: PricedChange) -> str:
    return "; ".join(referral.text for referral in priced.referrals)


def price_rows(priced: PricedChange) -> tuple[tuple[str, str], ...]:
    charges = tuple((charge.title, by(charge.price)) for charge in priced.charges if charge.price)
    return (
        ("Premium of the term", f"{money(priced.premium_before)} to {money(priced.premium_after)}"),
        ("For", f"{priced.days_left} of {counted(priced.days, 'day')}"),
        ("Premium", by(priced.premium_difference)),
        *charges,
    )


def change_in_words(change: KeptChange, times: Times) -> str:
    """Return in a sentence where a change stands."""
    on, until = day(change.effective), day(change.valid_until)
    match change.status_on(times.today):
        case ChangeStatus.QUOTED:
            return f"A change from {on} for {by(change.priced.total)} can be accepted until {until}."
        case ChangeStatus.REFERRED:
            return f"A change from {on} is with an underwriter. Until then the policy stays as it is."
        case ChangeStatus.ISSUED:
            return f"The policy is changed from {on} on, by endorsement {change.endorsement}."
        case ChangeStatus.DECLINED:
            return f"An underwriter declined the change from {on}: {change.answer}"
        case ChangeStatus.WITHDRAWN:
            return f"The change from {on} was withdrawn."
        case ChangeStatus.EXPIRED:
            return f"The change from {on} was not accepted by {until}."
        case status:
            assert_never(status)


def asked_by(change: KeptChange, times: Times) -> str:
    return f"{_who(change.requested_by)} asked for it on {times.at(change.requested_at).text}."


def _who(actor: str) -> str:
    return "The partner's system" if actor.startswith(PARTNER_ACTOR) else actor


def listed_change(change: KeptChange, times: Times) -> ListedChange:
    status, priced = change.status_on(times.today), change.priced
    return ListedChange(
        change_id=str(change.change_id),
        effective=day(change.effective),
        status=CHANGE_WORDS[status],
        what=tuple(_what(change)),
        premium=by(priced.premium_difference),
        total=by(priced.total),
        asked=times.at(change.requested_at),
        asked_by=_who(change.requested_by),
        reason=change.asked.reason,
        answer=_why(priced) if status is ChangeStatus.REFERRED else change.answer or "",
        endorsement=change.endorsement,
        is_open=status in {ChangeStatus.QUOTED, ChangeStatus.REFERRED},
        may_accept=status is ChangeStatus.QUOTED,
    )


def _what(change: KeptChange) -> list[str]:
    asked = msgspec.to_builtins(change.asked.changes)
    return [
        f"{label} {money(asked[name])}" if isinstance(asked[name], int) else label
        for name, label in LABELS.items()
        if asked.get(name) is not None
    ]
