from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from bindery.domain.quote.clearance import Cleared, Conflict
from bindery.domain.screening.case import SanctionsList

BREAKS_PRICING: Final = "calc-error"
PRE_BIND_SUFFIX: Final = "(prebind)"
BLOCK_SUFFIX: Final = "(bor)"


class PlayedDecision(StrEnum):
    APPROVE = "approve"
    DECLINE = "decline"


class PlayedClient(StrEnum):
    SIGNS = "signs"
    OBJECTS = "objects"


class DemoOutcomes:
    def played_conflict(self, submission: Cleared) -> Conflict | None:
        if not submission.name.endswith(BLOCK_SUFFIX):
            return Conflict()
        return Conflict(frozenset({"domain", "address"} if submission.domains else {"address"}))

    shares_domains = True
    """Every demo domain is under example.com, so a domain does not identify a company."""
    shows_codes = True
    """A demo sends no mail, so the page shows what it would bring."""

    def breaks_pricing(self, domains: Iterable[str]) -> bool:
        return any(name.split(".")[0] == BREAKS_PRICING and name.endswith(".example.com") for name in domains)

    def adds_pre_bind(self, name: str) -> bool:
        return name.endswith(PRE_BIND_SUFFIX)

    def played_decision(self, name: str) -> PlayedDecision | None:
        return next((decision for decision in PlayedDecision if name.endswith(f"({decision})")), None)

    def played_client(self, name: str) -> PlayedClient | None:
        return next((played for played in PlayedClient if name.endswith(f"({played})")), None)

    played_clients = tuple(f"({played})" for played in PlayedClient)


class NoDemoOutcomes:
    """Production: a name is only a name."""

    shares_domains = False
    shows_codes = False
    played_clients: tuple[str, ...] = ()

    def played_conflict(self, _submission: Cleared) -> Conflict | None:
        return None

    def breaks_pricing(self, _domains: Iterable[str]) -> bool:
        return False

    def adds_pre_bind(self, _name: str) -> bool:
        return False

    def played_decision(self, _name: str) -> PlayedDecision | None:
        return None

    def played_client(self, _name: str) -> PlayedClient | None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessRules:
    zone: ZoneInfo
    sanctions: SanctionsList
    platform_url: str
    docs_url: str
    demo_outcomes: DemoOutcomes | NoDemoOutcomes
    authority_required: bool = False
    diligent_search: bool = False

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()


SATURDAY: Final = 5
A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Calendar:
    zone: ZoneInfo
    answer_within: timedelta

    def day_of(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def answer_by(self, opened: datetime) -> datetime:
        """Return when something opened then is late; Saturdays and Sundays do not count."""
        return self.after(opened, self.answer_within)

    def after(self, opened: datetime, within: timedelta) -> datetime:
        """Return the moment by which so much time of working days has passed."""
        at, left = opened.astimezone(self.zone), within
        while True:
            midnight = datetime.combine(at.date() + A_DAY, time.min, self.zone)
            if at.weekday() < SATURDAY:
                # By the real clock: a day in March has 23 hours and one in November 25.
                until_midnight = midnight.astimezone(opened.tzinfo) - at.astimezone(opened.tzinfo)
                if left <= until_midnight:
                    return at.astimezone(opened.tzinfo) + left
                left -= until_midnight
            at = midnight

    def working_time(self, start: datetime, end: datetime) -> timedelta:
        """Return how much time of working days is between two moments; none if it runs backwards."""
        at, last, total = start.astimezone(self.zone), end.astimezone(self.zone), timedelta()
        while at < last:
            midnight = datetime.combine(at.date() + A_DAY, time.min, self.zone)
            if at.weekday() < SATURDAY:
                # By the real clock, as above.
                total += min(midnight, last).astimezone(start.tzinfo) - at.astimezone(start.tzinfo)
            at = midnight
        return total


def long_date(day: date) -> str:
    """Write a date as a letter does: `November 15, 2026`."""
    return f"{day:%B} {day.day}, {day.year}"
