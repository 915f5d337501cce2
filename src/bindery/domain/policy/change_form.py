"""What a person can choose when a policy is changed on a form, and what was shown before it is sent."""

import hashlib
from dataclasses import dataclass
from datetime import date, timedelta
from typing import get_args

import msgspec

from bindery.base.errors import BinderyError
from bindery.contract.changes import ChangeStatus, PolicyChangeAsk
from bindery.contract.vocabulary import AggregateRetention
from bindery.domain.policy.change_checks import first_day
from bindery.domain.policy.changing import PricedChange, tariff_of
from bindery.domain.policy.kept_change import KeptChange
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.counter_offer import choices_for
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record


class ChangeMoved(BinderyError):
    """What a change is or costs is not what its sender saw."""

    code = "change_moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeChoices:
    """The days and terms that there are to choose from; `terms` are empty where nobody can price others."""

    first: date
    last: date
    default: date
    terms: dict[str, tuple[int, ...]]


def choices_of(quote: Quote, policy: Policy, today: date) -> ChangeChoices:
    """Return what can be chosen; the terms that hold now are always among it."""
    record = from_record(quote.assessment or "")
    term = policy.term
    first, last = first_day(policy, record, today), term.expiration - timedelta(days=1)
    return ChangeChoices(first=first, last=last, default=min(max(first, today), last), terms=_terms_of(quote))


def _terms_of(quote: Quote) -> dict[str, tuple[int, ...]]:
    tariff, now = tariff_of(from_record(quote.assessment or "")), quote.terms
    assert now is not None, "a policy has terms"
    if tariff is None:
        return {}
    choices = choices_for(tariff, quote.product)
    offered = {
        "aggregate_limit": choices.aggregate_limits,
        "per_claim_limit": choices.per_claim_limits,
        choices.retention_field: choices.retentions,
    }
    if now.aggregate_retention is not None and "aggregate_retention" not in offered:
        offered["aggregate_retention"] = get_args(AggregateRetention)
    return {name: tuple(sorted({*amounts, getattr(now, name)})) for name, amounts in offered.items()}


@dataclass(frozen=True, slots=True)
class Shown:
    """What a form showed: what is changed, and what it comes to."""

    asked: str
    price: str

    @classmethod
    def of(cls, ask: PolicyChangeAsk, priced: PricedChange) -> "Shown":
        codes = [referral.code for referral in priced.referrals]
        price = (priced.premium_difference, str(priced.total), priced.premium_after, codes)
        return cls(asked=_digest((ask.effective, ask.changes)), price=_digest(price))

    @classmethod
    def read(cls, text: str) -> "Shown":
        asked, _, price = text.partition(" ")
        return cls(asked, price)

    def __str__(self) -> str:
        return f"{self.asked} {self.price}"

    def check(self, now: "Shown") -> None:
        """Check that it is still what would be done.

        Raises:
            ChangeMoved: it is not; the message says which of the two is another.
        """
        if self.asked != now.asked:
            raise ChangeMoved(
                "This price is for what the form says now, which was not on the page when you pressed. "
                "Look at it and press again."
            )
        if self.price != now.price:
            raise ChangeMoved("What it costs has changed since it was shown. Look at it and press again.")


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:32]


def is_same(change: KeptChange, ask: PolicyChangeAsk) -> bool:
    """Whether somebody has asked for the same already, and it is issued or waits for an underwriter."""
    is_done = change.status in {ChangeStatus.ISSUED, ChangeStatus.REFERRED}
    return is_done and (change.effective, change.asked.changes) == (ask.effective, ask.changes)
