from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from bindery.domain.demo import DemoOutcomes, NoDemoOutcomes
from bindery.domain.screening.case import SanctionsList


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessRules:
    """The settings that every decision of this service needs, whatever the case."""

    zone: ZoneInfo
    sanctions: SanctionsList
    platform_url: str
    docs_url: str
    demo_outcomes: DemoOutcomes | NoDemoOutcomes

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()


SATURDAY: Final = 5
A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The business time zone, and how long underwriters may take on working days."""

    zone: ZoneInfo
    answer_within: timedelta

    def day_of(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def answer_by(self, opened: datetime) -> datetime:
        """Return when something opened then is late; Saturdays and Sundays do not count."""
        at, left = opened.astimezone(self.zone), self.answer_within
        while True:
            midnight = datetime.combine(at.date() + A_DAY, time.min, self.zone)
            if at.weekday() < SATURDAY:
                # By the real clock: a day in March has 23 hours and one in November 25.
                until_midnight = midnight.astimezone(opened.tzinfo) - at.astimezone(opened.tzinfo)
                if left <= until_midnight:
                    return at.astimezone(opened.tzinfo) + left
                left -= until_midnight
            at = midnight


def long_date(day: date) -> str:
    """Write a date as a letter does: `November 15, 2026`."""
    return f"{day:%B} {day.day}, {day.year}"
