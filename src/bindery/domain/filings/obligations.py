"""What has to be filed: for each state and period, when, with whom, and how much of the ledger it is."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from bindery.base.errors import Misconfigured
from bindery.domain.business_rules import A_DAY
from bindery.domain.filings.periods import MONTHS, FilingPeriod, periods_from
from bindery.domain.filings.rules import UNKNOWN, FilingRule, FilingRules, RuleConfidence, ZeroReport
from bindery.domain.rating.surcharges import charge_rules

ZERO: Final = Decimal(0)
OTHER: Final = "other"
"""The code of what no rule has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthSum:
    """What was booked in a state and month: binds, or everything else, with each charge by its title."""

    state: str
    month: date
    is_new: bool
    count: int
    premium: int
    charges: Mapping[str, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """That a filing was made, and for which amount."""

    state: str
    code: str
    period: str
    filed_on: date
    reference: str
    amount: Decimal | None
    marked_by: str
    marked_at: datetime


class FilingStanding(StrEnum):
    OVERDUE = "overdue"
    DUE = "due"
    OPEN = "open"
    """The period is not over: more may be booked in it."""
    UNKNOWN = "unknown"
    """Nobody knows the day."""
    FILED = "filed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    rule: FilingRule
    period: FilingPeriod
    due: date | None
    count: int
    premium: int
    amount: Decimal | None
    """What is paid with it, less what its installments paid; None for a report."""
    mark: Mark | None
    today: date

    @property
    def standing(self) -> FilingStanding:
        if self.mark is not None:
            return FilingStanding.FILED
        if self.due is None:
            return FilingStanding.UNKNOWN
        if self.due < self.today:
            return FilingStanding.OVERDUE
        return FilingStanding.DUE if self.period.is_over(self.today) else FilingStanding.OPEN

    @property
    def days_left(self) -> int | None:
        return None if self.due is None else (self.due - self.today).days

    @property
    def is_zero(self) -> bool:
        return not self.count and not self.amount

    @property
    def is_asked_for(self) -> bool | None:
        """Whether it is due: always with something to report, else as the state says; None if unknown."""
        if not self.is_zero:
            return True
        match self.rule.zero_report:
            case ZeroReport.YES:
                return True
            case ZeroReport.NO:
                return False
            case ZeroReport.YEAR_END:
                return self.period.is_last_of_year
            case ZeroReport.UNKNOWN:
                return None


def obligations(
    rules: FilingRules, sums: Iterable[MonthSum], marks: Iterable[Mark], *, today: date, until: date
) -> list[Obligation]:
    """Return every filing since the ledger began that is due by a day, and those whose day is unknown.

    In the order in which they are due; what no state asks for with nothing booked is left out.
    """
    kept = list(sums)
    if not kept:
        return []
    begun = min(booked.month for booked in kept)
    marked = {(mark.state, mark.code, mark.period): mark for mark in marks}
    found = []
    for state in sorted({rule.state for rule in rules.filings} | {booked.state for booked in kept}):
        book = _StateBook.of(state, rules, [booked for booked in kept if booked.state == state])
        for rule in book.rules:
            for period in periods_from(rule.periods, begun):
                due = _due(rule, period) if period.first >= rules.holds_from else None
                if period.first > today and (due is None or due > until):
                    break
                covered = book.covered(rule, period)
                if covered is None or (due is not None and due > until):
                    continue
                mark = marked.get((state, rule.code, str(period)))
                one = Obligation(
                    rule=rule,
                    period=period,
                    due=due,
                    count=covered.count,
                    premium=covered.premium,
                    amount=None if rule.is_report else covered.amount,
                    mark=mark,
                    today=today,
                )
                if one.is_asked_for is not False or mark is not None:
                    found.append(one)
    return sorted(found, key=_place)


def _due(rule: FilingRule, period: FilingPeriod) -> date | None:
    try:
        return rule.due_on(period)
    except Misconfigured:
        # Without the library of holidays nobody knows the day here; the rest is known all the same.
        return None


def _place(one: Obligation) -> tuple[date, str, str, date]:
    return one.due or date.max, one.rule.state, one.rule.code, one.period.first


@dataclass(slots=True)
class _Covered:
    count: int = 0
    premium: int = 0
    amount: Decimal = ZERO


@dataclass(slots=True)
class _StateBook:
    """The months of a state, and what of them each of its filings covers."""

    rules: Sequence[FilingRule]
    sums: Sequence[MonthSum]
    kinds: Mapping[str, str]
    installments: dict[FilingRule, dict[date, Decimal]] = field(default_factory=dict)

    @classmethod
    def of(cls, state: str, rules: FilingRules, sums: Sequence[MonthSum]) -> "_StateBook":
        kinds = {charge.title: charge.kind for charge in charge_rules().get(state, ())}
        own = list(rules.of_state(state))
        # What was charged under a title that no rule knows, or in a state without rules, is somebody's too.
        if any(title not in kinds for booked in sums for title in booked.charges) or not own:
            own.append(_of_nobody(state))
        book = cls(own, sums, kinds)
        for rule in own:
            if rule.installment_of is not None:
                parent = next(other for other in own if other.code == rule.installment_of)
                book.installments[rule] = dict(_installments(rule, book.by_month(parent)))
        return book

    def by_month(self, rule: FilingRule) -> dict[date, Decimal]:
        amounts: dict[date, Decimal] = defaultdict(Decimal)
        for booked in self.sums:
            amounts[booked.month] += self._amount(rule, booked)
        return amounts

    def covered(self, rule: FilingRule, period: FilingPeriod) -> _Covered | None:
        """Return what of the book a filing covers; None where no installment is due."""
        covered = _Covered()
        for booked in self._in(period, rule):
            covered.count += booked.count
            covered.premium += booked.premium
            covered.amount += self._amount(rule, booked)
        if rule in self.installments:
            if period.first not in self.installments[rule]:
                return None
            covered.amount = self.installments[rule][period.first]
        for other, amounts in self.installments.items():
            if other.installment_of == rule.code:
                covered.amount -= sum(
                    (paid for month, paid in amounts.items() if period.first <= month <= period.last), ZERO
                )
        return covered

    def _in(self, period: FilingPeriod, rule: FilingRule) -> Iterator[MonthSum]:
        for booked in self.sums:
            if period.first <= booked.month <= period.last and rule.covers(is_new=booked.is_new):
                yield booked

    def _amount(self, rule: FilingRule, booked: MonthSum) -> Decimal:
        if not rule.covers(is_new=booked.is_new):
            return ZERO
        pays: Callable[[str], bool] = (
            (lambda title: title not in self.kinds)
            if rule.code == OTHER
            else (lambda title: self.kinds.get(title) in rule.pays)
        )
        return sum((amount for title, amount in booked.charges.items() if pays(title)), ZERO)


def _installments(rule: FilingRule, taxes: Mapping[date, Decimal]) -> Iterator[tuple[date, Decimal]]:
    """Return the months for which an installment is due, with its amount."""
    if rule.last_year is not None:
        years: dict[int, Decimal] = defaultdict(Decimal)
        for month, tax in taxes.items():
            years[month.year] += tax
        for year, tax in years.items():
            if tax >= rule.last_year:
                months = [date(year + 1, place + 1, 1) for place in range(MONTHS)]
                yield from ((month, taxes.get(month, ZERO)) for month in months)
    elif rule.accrued is not None:
        accrued, year = ZERO, 0
        for month in sorted(taxes):
            # What is left at the end of a year is paid with its return.
            accrued = taxes[month] + (accrued if month.year == year else ZERO)
            year = month.year
            if accrued >= rule.accrued:
                yield month, accrued
                accrued = ZERO


def _of_nobody(state: str) -> FilingRule:
    return FilingRule(
        state=state,
        code=OTHER,
        name="Charges that no rule has",
        frequency=UNKNOWN,
        due=UNKNOWN,
        to=UNKNOWN,
        pays=(OTHER,),
        zero_report=ZeroReport.NO,
        confidence=RuleConfidence.LOW,
        note="These charges are not in the rules of the state.",
    )


A_QUARTER: Final = 92 * A_DAY
"""How far ahead filings are listed unless somebody asks for more."""
FARTHEST: Final = 2 * 366 * A_DAY
"""How far ahead anybody may ask."""
