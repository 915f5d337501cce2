"""Why a price is what it is: its steps in dollars that add up to it, and what would make it another."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final

from msgspec import Struct

from bindery.base.numbers import to_whole_dollars
from bindery.domain.applicant.risk import Answers, Terms
from bindery.domain.quote.price_levers import ClosedFindings, OtherRetention, price_levers
from bindery.domain.rating.modifiers import ModifierGroup, YesNo
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.worksheet import Part, Worksheet, WorksheetStep
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.case import Applicant

MOST_LEVERS: Final = 3


class PriceExplanation(StrEnum):
    """How much of a price brokers are told: nothing, its largest steps in dollars, or every factor."""

    NONE = "none"
    SHORT = "short"
    FULL = "full"


class PriceMove(Struct, frozen=True):
    """What a step of the worksheet does to the price, in whole dollars; `start` and `end` are exact.

    `step` is None for what comes after the tariff's steps: the minimum premium, or an underwriter's own.
    """

    part: Part | None
    step: WorksheetStep | None
    label: str
    dollars: int
    start: Decimal
    end: Decimal
    is_base: bool = False


MINIMUM: Final = "Minimum premium"
BY_HAND: Final = "Underwriter"


def moves_of(worksheet: Worksheet, premium: int) -> tuple[PriceMove, ...]:
    """Return the steps of a price in dollars; they add up to it, since the running sum is what is rounded."""
    return tuple(_moves(worksheet, premium))


def _moves(worksheet: Worksheet, premium: int) -> Iterator[PriceMove]:
    start = Decimal(0)
    for part in worksheet.parts:
        begins, rounded = start, to_whole_dollars(start)
        for number, step in enumerate(part.steps):
            ends = start + step.running
            until = to_whole_dollars(ends)
            yield PriceMove(part, step, step.label, until - rounded, begins, ends, is_base=number == 0)
            begins, rounded = ends, until
        start += part.amount
    rated = Decimal(to_whole_dollars(worksheet.amount))
    for label, until in ((MINIMUM, worksheet.premium), (BY_HAND, premium)):
        if until != rated:
            yield PriceMove(None, None, label, int(until - rated), rated, Decimal(until))
            rated = Decimal(until)


@dataclass(frozen=True, slots=True)
class BetterAnswer:
    """The price if a question of the application could be answered as the tariff likes it better."""

    label: str
    answer: bool
    premium: int


Lever = ClosedFindings | OtherRetention | BetterAnswer


@dataclass(frozen=True, slots=True)
class Levers:
    rated: int
    """The tariff's price as it is now, which they compare with."""
    found: tuple[Lever, ...]


def levers_of(applicant: Applicant, terms: Terms, tariff: Tariff, scan: ScanResult | None) -> Levers | None:
    """Return what would lower a price, at most three: the best of each kind first, then the best of all.

    None if the tariff has no price for the option.
    """
    found = price_levers(applicant, terms, tariff, scan)
    if found is None:
        return None
    rated = _premium(applicant, terms, tariff)
    kinds: tuple[list[Lever], ...] = (
        [each for each in found.closed if len(each.titles) == 1],
        list(_better_answers(applicant, terms, tariff)),
        list(found.retentions),
    )
    saving = [sorted((each for each in kind if each.premium < rated), key=_price) for kind in kinds]
    # The next retention is the one that is likely to be taken, not the highest of them.
    saving[2].reverse()
    first = [kind[0] for kind in saving if kind]
    others = sorted((each for kind in saving for each in kind[1:]), key=_price)
    return Levers(rated, tuple(sorted((*first, *others)[:MOST_LEVERS], key=_price)))


def _price(lever: Lever) -> int:
    return lever.premium


def _better_answers(applicant: Applicant, terms: Terms, tariff: Tariff) -> Iterator[BetterAnswer]:
    answers = applicant.risk.answers.values
    for group in _groups(tariff):
        for row in group.rows:
            if not isinstance(row, YesNo) or row.question not in answers:
                continue
            better = row.yes.value < row.no.value
            if answers[row.question] is better or row.yes.value == row.no.value:
                continue
            risk = replace(applicant.risk, answers=Answers({**answers, row.question: better}))
            premium = _premium(replace(applicant, risk=risk), terms, tariff)
            yield BetterAnswer(row.yes.label, better, premium)


def _groups(tariff: Tariff) -> tuple[ModifierGroup, ...]:
    """Return the answers that an insured can change: what has happened and who is insured stays as it is."""
    return tariff.cyber.controls, tariff.errors_and_omissions.modifiers, tariff.professional.modifiers


def _premium(applicant: Applicant, terms: Terms, tariff: Tariff) -> int:
    return rate(tariff, applicant.risk, terms, hazard_group=applicant.industry.hazard_group).premium
