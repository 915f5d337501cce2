"""The rules of surplus lines filings: read from their file, checked as a whole, every problem at once."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

import msgspec

from bindery.domain.filings.business_days import next_business_day
from bindery.domain.filings.periods import MONTHS, PER_YEAR, FilingPeriod, Frequency, month_end
from bindery.domain.rating.surcharges import charge_rules

UNKNOWN: Final = "unknown"
LAST: Final = "last"
_A_LEAP_YEAR: Final = 2028
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class RuleConfidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class ZeroReport(StrEnum):
    """Whether a filing is due with nothing to report."""

    YES = "yes"
    NO = "no"
    YEAR_END = "year_end"
    UNKNOWN = "unknown"


class DueRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A day of a month after the period's last one, or so many days after its last day."""

    months_after: Annotated[int, msgspec.Meta(ge=0, le=24)] | None = None
    day: Annotated[int, msgspec.Meta(ge=1, le=31)] | Literal["last"] | None = None
    days_after: Annotated[int, msgspec.Meta(ge=1, le=366)] | None = None

    @property
    def is_whole(self) -> bool:
        if self.days_after is not None:
            return self.months_after is None and self.day is None
        return self.months_after is not None and self.day is not None

    def on(self, period: FilingPeriod) -> date:
        """Return the day, before it is moved.

        Raises:
            ValueError: the month has no such day.
        """
        if self.days_after is not None:
            return period.last + timedelta(days=self.days_after)
        assert self.months_after is not None, "the rules were checked when they were read"
        months = period.last.month - 1 + self.months_after
        end = month_end(period.year + months // MONTHS, months % MONTHS + 1)
        return end if self.day == LAST else end.replace(day=int(self.day or 0))


class FilingRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One filing of a state: what is filed with whom, for which periods, and when it is due."""

    state: str
    code: Annotated[str, msgspec.Meta(pattern="^[a-z]{1,20}$")]
    name: _Text
    frequency: Literal["annual", "semiannual", "quarterly", "monthly", "unknown"]
    due: DueRule | tuple[DueRule, ...] | Literal["unknown"]
    to: _Text
    zero_report: ZeroReport
    confidence: RuleConfidence
    roll: Literal["next_business_day", "none"] = "none"
    pays: tuple[str, ...] = ()
    only: Literal["new", "changes"] | None = None
    installment_of: str | None = None
    last_year: Decimal | None = None
    accrued: Decimal | None = None
    note: str = ""
    source: str = ""

    @property
    def periods(self) -> Frequency:
        """Return for what it is counted: by year where the period is unknown."""
        return Frequency.ANNUAL if self.frequency == UNKNOWN else Frequency(self.frequency)

    @property
    def is_report(self) -> bool:
        return not self.pays and self.installment_of is None

    def covers(self, *, is_new: bool) -> bool:
        return self.only is None or (self.only == "new") == is_new

    def due_on(self, period: FilingPeriod) -> date | None:
        """Return the last day for a period's filing; None where nobody knows it."""
        if isinstance(self.due, str):
            return None
        rule = self.due if isinstance(self.due, DueRule) else self.due[period.place - 1]
        day = rule.on(period)
        return next_business_day(day) if self.roll == "next_business_day" else day


class SearchRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many insurers have to have declined a risk first, and which states waive that, and why."""

    declinations: Annotated[int, msgspec.Meta(ge=1, le=10)]
    waived: dict[str, _Text]

    def declinations_in(self, state: str) -> int:
        return 0 if state in self.waived else self.declinations


@dataclass(frozen=True, slots=True)
class FilingRules:
    holds_from: date
    search: SearchRule
    policies: Mapping[str, str]
    """How each policy itself is filed, by state."""
    filings: tuple[FilingRule, ...]

    def of_state(self, state: str) -> tuple[FilingRule, ...]:
        return tuple(rule for rule in self.filings if rule.state == state)


@dataclass(frozen=True, slots=True)
class RuleFlaw:
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path} {self.text}"


@lru_cache(maxsize=1)
def filing_rules() -> FilingRules:
    """Return the rules that come with the program.

    Raises:
        ValueError: there is something wrong with their file; all of it is said.
    """
    rules, flaws = read_filing_rules(
        files("bindery").joinpath("data", "filing_rules.toml").read_text("utf-8")
    )
    if rules is None:
        raise ValueError("filing_rules.toml: " + "; ".join(map(str, flaws)))
    return rules


def read_filing_rules(text: str) -> tuple[FilingRules | None, list[RuleFlaw]]:
    """Return the rules, or everything that is wrong with their file."""
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as fault:
        return None, [RuleFlaw("", f"is not TOML: {fault}")]
    flaws: list[RuleFlaw] = []
    holds_from, policies, tables = (
        raw.pop("holds_from", None),
        raw.pop("policies", {}),
        raw.pop("filings", []),
    )
    search = _search(raw.pop("diligent_search", {}), flaws)
    known = "holds_from, diligent_search, policies and filings"
    flaws.extend(RuleFlaw(name, f"is unknown; there are {known}") for name in raw)
    if type(holds_from) is not date:
        flaws.append(RuleFlaw("holds_from", "must be a day such as 2025-01-01, without quotes"))
    filings = [_filing(place, table, flaws) for place, table in enumerate(tables)]
    read = [(place, filing) for place, filing in enumerate(filings) if filing is not None]
    for place, filing in read:
        flaws.extend(RuleFlaw(f"filings[{place}].{field}", said) for field, said in _flaws_of(filing))
    flaws.extend(_flaws_of_states(tuple(filing for _, filing in read), policies))
    if flaws or search is None:
        return None, flaws
    return FilingRules(holds_from, search, policies, tuple(filing for _, filing in read)), []


def _search(table: object, flaws: list[RuleFlaw]) -> SearchRule | None:
    try:
        search = msgspec.convert(table, SearchRule)
    except msgspec.ValidationError as fault:
        flaws.append(RuleFlaw("diligent_search", f"cannot be read: {fault}"))
        return None
    unknown = sorted(search.waived.keys() - charge_rules().keys())
    flaws.extend(RuleFlaw(f"diligent_search.waived.{state}", "is no state") for state in unknown)
    return search


def _filing(place: int, table: Mapping[str, Any], flaws: list[RuleFlaw]) -> FilingRule | None:
    try:
        return msgspec.convert(table, FilingRule)
    except msgspec.ValidationError as fault:
        said, _, path = str(fault).partition(" - at `$")
        flaws.append(RuleFlaw(f"filings[{place}]{path.rstrip('`')}", f"cannot be read: {said}"))
        return None


def _flaws_of(filing: FilingRule) -> Iterator[tuple[str, str]]:
    if filing.state not in charge_rules():
        yield "state", f"is no state: {filing.state}"
    if filing.frequency == UNKNOWN and filing.due != UNKNOWN:
        yield "due", "cannot be known while the frequency is not"
    elif not isinstance(filing.due, str):
        yield from _flaws_of_due(filing)
    if filing.installment_of is None:
        if filing.last_year is not None or filing.accrued is not None:
            yield "installment_of", "is missing: only an installment begins at an amount"
    elif (filing.last_year is None) == (filing.accrued is None):
        yield "installment_of", "needs either last_year or accrued"
    elif filing.pays or filing.only:
        yield "pays", "is that of the filing whose installment it is"
    elif filing.frequency != "monthly":
        yield "frequency", "of an installment must be monthly"


def _flaws_of_due(filing: FilingRule) -> Iterator[tuple[str, str]]:
    dues = (filing.due,) if isinstance(filing.due, DueRule) else filing.due
    count = PER_YEAR[filing.periods]
    if not isinstance(filing.due, DueRule) and len(dues) != count:
        yield "due", f"has {len(dues)} days for {count} periods of the year"
        return
    for place in range(1, count + 1):
        due = dues[place - 1] if len(dues) > 1 else dues[0]
        if not isinstance(due, DueRule) or not due.is_whole:
            yield "due", "needs either months_after and day, or days_after"
            return
        for year in (_A_LEAP_YEAR, _A_LEAP_YEAR + 1):
            try:
                due.on(FilingPeriod(filing.periods, year, place))
            except ValueError:
                yield "due", f"names a day {due.day} that the month after period {place} does not have"
                return


def _flaws_of_states(filings: tuple[FilingRule, ...], policies: Mapping[str, str]) -> Iterator[RuleFlaw]:
    for state, charges in charge_rules().items():
        if state not in policies:
            yield RuleFlaw(f"policies.{state}", "is missing")
        own = [filing for filing in filings if filing.state == state]
        if own:
            yield from _flaws_of_codes(state, own)
            yield from _flaws_of_charges(state, own, {charge.kind for charge in charges})
        else:
            yield RuleFlaw(state, "has no filing")
    for state in sorted(policies.keys() - charge_rules().keys()):
        yield RuleFlaw(f"policies.{state}", "is no state")


def _flaws_of_codes(state: str, filings: Sequence[FilingRule]) -> Iterator[RuleFlaw]:
    for code, count in Counter(filing.code for filing in filings).items():
        if count > 1:
            yield RuleFlaw(f"{state}.{code}", "is there twice")
    by_code = {filing.code: filing for filing in filings}
    for filing in filings:
        if filing.installment_of is None:
            continue
        of = by_code.get(filing.installment_of)
        if of is None or not of.pays or of.frequency != "annual":
            yield RuleFlaw(f"{state}.{filing.code}", "is an installment of no annual filing that pays")


def _flaws_of_charges(state: str, filings: Sequence[FilingRule], kinds: set[str]) -> Iterator[RuleFlaw]:
    """Check that each charge of a state is paid with exactly one of its filings."""
    for filing in filings:
        for kind in filing.pays:
            if kind not in kinds:
                yield RuleFlaw(f"{state}.{filing.code}", f"pays what the state does not charge: {kind}")
    for kind in sorted(kinds):
        for is_new, what in ((True, "new policies"), (False, "changes")):
            paid = sum(kind in filing.pays and filing.covers(is_new=is_new) for filing in filings)
            if paid != 1:
                yield RuleFlaw(state, f"pays its {kind} on {what} with {paid} filings and not with one")
