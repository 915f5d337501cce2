"""The periods that filings are for: a year, a half, a quarter or a month, and what they are called."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

MONTHS: Final = 12


class Frequency(StrEnum):
    ANNUAL = "annual"
    SEMIANNUAL = "semiannual"
    QUARTERLY = "quarterly"
    MONTHLY = "monthly"


PER_YEAR: Final = {
    Frequency.ANNUAL: 1,
    Frequency.SEMIANNUAL: 2,
    Frequency.QUARTERLY: 4,
    Frequency.MONTHLY: 12,
}
FORMS: Final = "2026, 2026-H1, 2026-Q1 or 2026-01"
_NAME: Final = re.compile(r"(2\d{3})(?:-(?:H([12])|Q([1-4])|(0[1-9]|1[0-2])))?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FilingPeriod:
    frequency: Frequency
    year: int
    place: int
    """Its place in the year, from 1."""

    @property
    def months(self) -> int:
        return MONTHS // PER_YEAR[self.frequency]

    @property
    def first(self) -> date:
        return date(self.year, (self.place - 1) * self.months + 1, 1)

    @property
    def last(self) -> date:
        return month_end(self.year, self.place * self.months)

    @property
    def is_last_of_year(self) -> bool:
        return self.place == PER_YEAR[self.frequency]

    @property
    def following(self) -> "FilingPeriod":
        if self.is_last_of_year:
            return FilingPeriod(self.frequency, self.year + 1, 1)
        return FilingPeriod(self.frequency, self.year, self.place + 1)

    def is_over(self, today: date) -> bool:
        return self.last < today

    def __str__(self) -> str:
        match self.frequency:
            case Frequency.ANNUAL:
                return f"{self.year}"
            case Frequency.SEMIANNUAL:
                return f"{self.year}-H{self.place}"
            case Frequency.QUARTERLY:
                return f"{self.year}-Q{self.place}"
            case Frequency.MONTHLY:
                return f"{self.year}-{self.place:02}"


def month_end(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def read_period(text: str) -> FilingPeriod | None:
    """Read `2026`, `2026-H1`, `2026-Q1` or `2026-01`; None if it is something else."""
    found = _NAME.fullmatch(text.strip())
    if found is None:
        return None
    year = int(found[1])
    for group, frequency in ((2, Frequency.SEMIANNUAL), (3, Frequency.QUARTERLY), (4, Frequency.MONTHLY)):
        if found[group]:
            return FilingPeriod(frequency, year, int(found[group]))
    return FilingPeriod(Frequency.ANNUAL, year, 1)


def period_of(frequency: Frequency, day: date) -> FilingPeriod:
    return FilingPeriod(frequency, day.year, (day.month - 1) * PER_YEAR[frequency] // MONTHS + 1)


def periods_from(frequency: Frequency, day: date) -> Iterator[FilingPeriod]:
    """Yield the period that a day falls in, and all that follow."""
    period = period_of(frequency, day)
    while True:
        yield period
        period = period.following
