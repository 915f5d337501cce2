"""Checks that the ledger of a policy says what its journal, the policy itself and its papers say."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

K = TransactionKind
ZERO: Final = Decimal(0)
KIND_OF: Final = {
    Trigger.BIND: K.ORIGINAL,
    Trigger.CHANGE_POLICY: K.ENDORSEMENT,
    Trigger.CANCEL: K.CANCELLATION,
    Trigger.REINSTATE: K.REINSTATEMENT,
    Trigger.LAPSE: K.LAPSE,
}
"""The steps of a policy that move premium."""
_REVERSED_BY: Final = {K.REINSTATEMENT: K.CANCELLATION, K.LAPSE: K.ORIGINAL}
_WRITES: Final = frozenset({K.ORIGINAL, K.ENDORSEMENT})


class BookPart(StrEnum):
    TRANSACTIONS = "transactions"
    JOURNAL = "journal"
    POLICIES = "policies"
    PAPERS = "papers"
    BINDERS = "binders"
    SUMS = "sums"


class KeptCharge(msgspec.Struct, frozen=True, gc=False):
    """A charge, of which only the amount matters here."""

    price: Decimal


class KeptTransaction(msgspec.Struct, frozen=True, array_like=True, gc=False):
    number: int
    kind: TransactionKind
    entry: int
    booked_on: date
    effective: date
    premium: int
    charges: Decimal
    lines: tuple[KeptCharge, ...]
    reverses: int | None


class ToldCancellation(msgspec.Struct, frozen=True, gc=False):
    earned: int | None = None


class ToldStep(msgspec.Struct, frozen=True, gc=False):
    """What an entry of the journal tells of premium."""

    premium: int | None = None
    premium_difference: int | None = None
    cancellation: ToldCancellation | None = None


class KeptStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    entry: int
    trigger: Trigger
    told: ToldStep


class KeptNotice(msgspec.Struct, frozen=True, gc=False):
    """A notice of cancellation; the oldest do not say what was earned, or what became of the charges."""

    on: date
    effective: date
    earned: int | None = None
    reason_code: str | None = None
    charges_returned: Decimal | None = None
    charges_due: Decimal | None = None


class KeptEndorsement(msgspec.Struct, frozen=True, gc=False):
    number: int
    premium_difference: int
    charges: tuple[KeptCharge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    premium: int
    charges: Decimal


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
        lines = total_of(booked.lines)
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
            told -= sum(written.premium for written in _written(policy, booked))
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


def _written(policy: KeptPolicy, before: KeptTransaction) -> list[KeptTransaction]:
    """Return the transactions that a policy was written for until another."""
    return [
        booked for booked in policy.transactions if booked.kind in _WRITES and booked.number < before.number
    ]


def _flaws_of_policy(policy: KeptPolicy) -> Iterator[str]:
    premium = sum(booked.premium for booked in policy.transactions)
    charges = sum((booked.charges for booked in policy.transactions), ZERO)
    quoted = policy.quoted
    match policy.status:
        case QuoteStatus.POLICY_ACTIVE | QuoteStatus.POLICY_EXPIRED:
            is_right = (premium, charges) == (quoted.premium, quoted.charges)
            due = "{} and {}"
        case QuoteStatus.POLICY_CANCELED:
            is_right = 0 <= premium <= quoted.premium and 0 <= charges <= quoted.charges
            due = "at most {} and {}"
        case _:
            is_right = premium == 0 and charges == 0
            due = "nothing"
    if not is_right:
        yield (
            f"{policy.status}: the ledger has {in_dollars(premium)} and charges of {in_dollars(charges)}, "
            f"the policy {due.format(in_dollars(quoted.premium), in_dollars(quoted.charges))}"
        )


def _flaws_of_papers(policy: KeptPolicy) -> Iterator[str]:
    originals = [booked for booked in policy.transactions if booked.kind is K.ORIGINAL]
    if policy.printed is not None:
        premium, charges = policy.printed.premium, policy.printed.charges
        for booked in originals:
            if (premium, charges) != (booked.premium, booked.charges):
                has = f"{in_dollars(booked.premium)} and {in_dollars(booked.charges)}"
                said = f"{in_dollars(premium)} and {in_dollars(charges)}"
                yield f"its papers say {said}, transaction {booked.number} has {has}"
    endorsed = [booked for booked in policy.transactions if booked.kind is K.ENDORSEMENT]
    for paper, booked in zip_longest(policy.endorsements, endorsed):
        if paper is None or booked is None:
            yield "not every change has an endorsement and a transaction"
        elif (paper.premium_difference, total_of(paper.charges)) != (booked.premium, booked.charges):
            yield f"endorsement {paper.number} and transaction {booked.number} differ"
    canceled = [booked for booked in policy.transactions if booked.kind is K.CANCELLATION]
    for notice, taken in zip_longest(policy.notices, canceled):
        if notice is None or taken is None:
            yield "not every cancellation has a notice and a transaction"
        elif not _agrees(notice, taken, _written(policy, taken)):
            yield f"its notice of cancellation of {notice.on} and transaction {taken.number} differ"


def _agrees(notice: KeptNotice, taken: KeptTransaction, written: Sequence[KeptTransaction]) -> bool:
    if (notice.on, notice.effective) != (taken.booked_on, taken.effective):
        return False
    premium = sum(booked.premium for booked in written)
    if notice.earned is not None and notice.earned - premium != taken.premium:
        return False
    if notice.reason_code == CancellationReason.NONPAYMENT:
        whole = sum((total_of(booked.lines) for booked in written), ZERO)
        back = None if notice.charges_due is None else whole - notice.charges_due
    else:
        back = notice.charges_returned
    return back is None or back == -taken.charges


def total_of(charges: Iterable[KeptCharge]) -> Decimal:
    # A sum over a generator takes three times as long, and there are millions of them.
    total = ZERO
    for charge in charges:
        total += charge.price
    return total
