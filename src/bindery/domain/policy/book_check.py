"""Checks that the ledger of a policy says what its journal, the policy itself and its papers say."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from itertools import zip_longest
from typing import Final

import msgspec

from bindery.base.numbers import in_dollars
from bindery.contract.policy_ending import CancellationReason
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.ledger import TransactionKind
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.rating.surcharges import Surcharge

K = TransactionKind
KIND_OF: Final = {
    Trigger.BIND: K.ORIGINAL,
    Trigger.CHANGE_POLICY: K.ENDORSEMENT,
    Trigger.CANCEL: K.CANCELLATION,
    Trigger.REINSTATE: K.REINSTATEMENT,
    Trigger.LAPSE: K.LAPSE,
}
"""The steps of a policy that move premium."""
_REVERSED_BY: Final = {K.REINSTATEMENT: K.CANCELLATION, K.LAPSE: K.ORIGINAL}


class BookPart(StrEnum):
    TRANSACTIONS = "transactions"
    JOURNAL = "journal"
    POLICIES = "policies"
    PAPERS = "papers"
    BINDERS = "binders"
    SUMS = "sums"


class KeptTransaction(msgspec.Struct, frozen=True, array_like=True):
    number: int
    kind: TransactionKind
    entry: int
    booked_on: date
    effective: date
    premium: int
    charges: Decimal
    lines: tuple[Surcharge, ...]
    reverses: int | None


class ToldCancellation(msgspec.Struct, frozen=True):
    earned: int | None = None


class ToldStep(msgspec.Struct, frozen=True):
    """What an entry of the journal tells of premium."""

    premium: int | None = None
    premium_difference: int | None = None
    cancellation: ToldCancellation | None = None


class KeptStep(msgspec.Struct, frozen=True, array_like=True):
    entry: int
    trigger: Trigger
    told: ToldStep


class KeptNotice(msgspec.Struct, frozen=True):
    """A notice of cancellation; the oldest do not say what was earned, or what became of the charges."""

    on: date
    effective: date
    earned: int | None = None
    reason_code: str | None = None
    charges_returned: Decimal | None = None
    charges_due: Decimal | None = None


class KeptEndorsement(msgspec.Struct, frozen=True):
    number: int
    premium_difference: int
    charges: tuple[Surcharge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    premium: int
    charges: tuple[Surcharge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPolicy:
    """A policy with all that says how much premium it brought; `printed` is None where nothing was frozen."""

    quote_id: uuid.UUID
    policy_number: str
    status: QuoteStatus
    quoted: Priced
    printed: Priced | None
    transactions: Sequence[KeptTransaction]
    steps: Sequence[KeptStep]
    notices: Sequence[KeptNotice]
    endorsements: Sequence[KeptEndorsement] = ()


def flaws_of_book(policy: KeptPolicy) -> Iterator[tuple[BookPart, str]]:
    for part, check in (
        (BookPart.TRANSACTIONS, _flaws_of_transactions),
        (BookPart.JOURNAL, _flaws_of_journal),
        (BookPart.POLICIES, _flaws_of_policy),
        (BookPart.PAPERS, _flaws_of_papers),
    ):
        for flaw in check(policy):
            yield part, flaw


def _flaws_of_transactions(policy: KeptPolicy) -> Iterator[str]:
    by_number = {booked.number: booked for booked in policy.transactions}
    for place, booked in enumerate(policy.transactions, start=1):
        if booked.number != place:
            yield f"transaction {booked.number} is the {place}. of the policy"
        lines = _total(booked.lines)
        if booked.charges != lines:
            yield (
                f"transaction {booked.number} has charges of {in_dollars(booked.charges)}, "
                f"and they add up to {in_dollars(lines)}"
            )
        if booked.reverses is None:
            continue
        back = by_number.get(booked.reverses)
        if back is None or back.kind is not _REVERSED_BY.get(booked.kind) or back.number > booked.number:
            yield f"transaction {booked.number} ({booked.kind}) takes back what it cannot"
        elif (booked.premium, booked.charges) != (-back.premium, -back.charges):
            yield f"transaction {booked.number} takes back another amount than transaction {back.number} has"


def _flaws_of_journal(policy: KeptPolicy) -> Iterator[str]:
    by_entry = {booked.entry: booked for booked in policy.transactions}
    for step in policy.steps:
        booked = by_entry.pop(step.entry, None)
        if booked is None:
            yield f"entry {step.entry} ({step.trigger}) has no transaction"
            continue
        if booked.kind is not KIND_OF[step.trigger]:
            yield f"entry {step.entry} ({step.trigger}) is booked as {booked.kind}"
        told = _TELLS.get(step.trigger, _nothing)(step.told)
        if step.trigger is Trigger.CANCEL and told is not None:
            told -= _written(policy, booked).premium
        if told is not None and told != booked.premium:
            yield (
                f"entry {step.entry} ({step.trigger}) tells of {in_dollars(told)}, "
                f"transaction {booked.number} has {in_dollars(booked.premium)}"
            )
    for booked in by_entry.values():
        yield f"transaction {booked.number} belongs to entry {booked.entry}, which moves no premium"


def _nothing(_told: ToldStep) -> None:
    return None


_TELLS: Final[Mapping[Trigger, Callable[[ToldStep], int | None]]] = {
    Trigger.BIND: lambda told: told.premium,
    Trigger.CHANGE_POLICY: lambda told: told.premium_difference,
    Trigger.CANCEL: lambda told: None if told.cancellation is None else told.cancellation.earned,
}


def _written(policy: KeptPolicy, before: KeptTransaction) -> Priced:
    """Return the premium and charges that a policy was written for until a transaction."""
    rows = [
        booked
        for booked in policy.transactions
        if booked.kind in {K.ORIGINAL, K.ENDORSEMENT} and booked.number < before.number
    ]
    return Priced(
        premium=sum(booked.premium for booked in rows),
        charges=tuple(line for row in rows for line in row.lines),
    )


def _flaws_of_policy(policy: KeptPolicy) -> Iterator[str]:
    premium = sum(booked.premium for booked in policy.transactions)
    charges = sum((booked.charges for booked in policy.transactions), Decimal(0))
    whole = _total(policy.quoted.charges)
    match policy.status:
        case QuoteStatus.POLICY_ACTIVE | QuoteStatus.POLICY_EXPIRED:
            is_right = (premium, charges) == (policy.quoted.premium, whole)
            due = f"{in_dollars(policy.quoted.premium)} and {in_dollars(whole)}"
        case QuoteStatus.POLICY_CANCELED:
            is_right = 0 <= premium <= policy.quoted.premium and 0 <= charges <= whole
            due = f"at most {in_dollars(policy.quoted.premium)} and {in_dollars(whole)}"
        case _:
            is_right = premium == 0 and charges == 0
            due = "nothing"
    if not is_right:
        yield (
            f"{policy.status}: the ledger has {in_dollars(premium)} and charges of {in_dollars(charges)}, "
            f"the policy {due}"
        )


def _flaws_of_papers(policy: KeptPolicy) -> Iterator[str]:
    originals = [booked for booked in policy.transactions if booked.kind is K.ORIGINAL]
    if policy.printed is not None:
        premium, charges = policy.printed.premium, _total(policy.printed.charges)
        for booked in originals:
            if (premium, charges) != (booked.premium, booked.charges):
                has = f"{in_dollars(booked.premium)} and {in_dollars(booked.charges)}"
                said = f"{in_dollars(premium)} and {in_dollars(charges)}"
                yield f"its papers say {said}, transaction {booked.number} has {has}"
    endorsed = [booked for booked in policy.transactions if booked.kind is K.ENDORSEMENT]
    for paper, booked in zip_longest(policy.endorsements, endorsed):
        if paper is None or booked is None:
            yield "not every change has an endorsement and a transaction"
        elif (paper.premium_difference, _total(paper.charges)) != (booked.premium, booked.charges):
            yield f"endorsement {paper.number} and transaction {booked.number} differ"
    canceled = [booked for booked in policy.transactions if booked.kind is K.CANCELLATION]
    for notice, taken in zip_longest(policy.notices, canceled):
        if notice is None or taken is None:
            yield "not every cancellation has a notice and a transaction"
        elif not _agrees(notice, taken, _written(policy, taken)):
            yield f"its notice of cancellation of {notice.on} and transaction {taken.number} differ"


def _agrees(notice: KeptNotice, taken: KeptTransaction, quoted: Priced) -> bool:
    if (notice.on, notice.effective) != (taken.booked_on, taken.effective):
        return False
    if notice.earned is not None and notice.earned - quoted.premium != taken.premium:
        return False
    if notice.reason_code == CancellationReason.NONPAYMENT:
        back = None if notice.charges_due is None else _total(quoted.charges) - notice.charges_due
    else:
        back = notice.charges_returned
    return back is None or back == -taken.charges


def _total(charges: Sequence[Surcharge]) -> Decimal:
    return sum((charge.price for charge in charges), Decimal(0))
