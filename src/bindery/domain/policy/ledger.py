"""Premium transactions: what each step of a policy adds to the book, or takes from it."""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from bindery.base.numbers import to_cents
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.binders import FoundSection, commission_of
from bindery.domain.policy.cancellation import Cancellation
from bindery.domain.policy.changing import PricedChange
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.surcharges import Surcharge


class TransactionKind(StrEnum):
    ORIGINAL = "original"
    ENDORSEMENT = "endorsement"
    CANCELLATION = "cancellation"
    REINSTATEMENT = "reinstatement"
    LAPSE = "lapse"


@dataclass(frozen=True, slots=True, kw_only=True)
class PremiumTransaction:
    """An amount booked with an entry of a policy's journal: premium in whole dollars, charges to the cent.

    `booked_on` is the business day on which it happened and decides the accounting month; `effective` the day
    from which it holds. `reverses` is the number of the transaction of the policy that it takes back.
    Without a section it is written on no binder.
    """

    quote_id: UUID
    kind: TransactionKind
    journal_entry: int
    booked_on: date
    effective: date
    premium: int
    charges: tuple[Surcharge, ...]
    reverses: int | None = None
    section_id: int | None = None
    commission_rate: Decimal | None = None

    @property
    def commission(self) -> Decimal | None:
        return None if self.commission_rate is None else commission_of(self.premium, self.commission_rate)

    @property
    def charges_total(self) -> Decimal:
        return sum((charge.price for charge in self.charges), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked(PremiumTransaction):
    number: int
    """Its place in the policy's own count, from 1."""


def original(quote: Quote, term: Term, section: FoundSection | None, *, today: date) -> PremiumTransaction:
    """Return the premium and charges of a bind, which the last entry of the journal tells of."""
    return PremiumTransaction(
        quote_id=quote.quote_id,
        kind=TransactionKind.ORIGINAL,
        journal_entry=quote.journal.entries,
        booked_on=today,
        effective=term.effective,
        premium=quote.premium or 0,
        charges=tuple(from_record(quote.assessment).surcharges) if quote.assessment is not None else (),
        section_id=None if section is None else section.section_id,
        commission_rate=None if section is None else section.commission,
    )


def endorsement(quote: Quote, priced: PricedChange, bound: Booked, *, today: date) -> PremiumTransaction:
    """Return what a change during the term adds, or takes back."""
    return PremiumTransaction(
        quote_id=quote.quote_id,
        kind=TransactionKind.ENDORSEMENT,
        journal_entry=quote.journal.entries,
        booked_on=today,
        effective=priced.effective,
        premium=priced.premium_difference,
        charges=priced.charges,
        section_id=bound.section_id,
        commission_rate=bound.commission_rate,
    )


def cancellation(quote: Quote, decided: Cancellation, bound: Booked, *, today: date) -> PremiumTransaction:
    """Return what a cancellation takes back: all that is not earned, even where it was never paid."""
    return PremiumTransaction(
        quote_id=quote.quote_id,
        kind=TransactionKind.CANCELLATION,
        journal_entry=quote.journal.entries,
        booked_on=today,
        effective=decided.effective,
        premium=decided.earned - (quote.premium or 0),
        charges=_negated(decided.unearned_charges),
        section_id=bound.section_id,
        commission_rate=bound.commission_rate,
    )


def reversal(quote: Quote, kind: TransactionKind, of: Booked, *, today: date) -> PremiumTransaction:
    """Return what takes a transaction back whole: a lapse its bind, a reinstatement its cancellation."""
    return PremiumTransaction(
        quote_id=quote.quote_id,
        kind=kind,
        journal_entry=quote.journal.entries,
        booked_on=today,
        effective=of.effective,
        premium=-of.premium,
        charges=_negated(of.charges),
        reverses=of.number,
        section_id=of.section_id,
        commission_rate=of.commission_rate,
    )


def _negated(charges: tuple[Surcharge, ...]) -> tuple[Surcharge, ...]:
    # Taken from zero, what is nothing has no sign.
    return tuple(replace(charge, price=to_cents(0 - charge.price)) for charge in charges)
