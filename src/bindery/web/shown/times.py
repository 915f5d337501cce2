from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from bindery.web.shown.words import Moment, ago, day, moment

TWO_DIGITS: Final = tuple(f"{number:02}" for number in range(60))
"""Looked up, which takes a third of the time of formatting: the queue shows a hundred moments."""


@dataclass(frozen=True, slots=True)
class Times:
    zone: ZoneInfo
    now: datetime

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    @property
    def zone_name(self) -> str:
        """Return the zone as a page names it once, for moments of summer and winter alike."""
        names = (self.zone_at(datetime(self.now.year, month, 1, tzinfo=UTC)) for month in (1, 7))
        return "/".join(dict.fromkeys(names))

    def zone_at(self, when: datetime) -> str:
        return when.astimezone(self.zone).tzname() or str(self.zone)

    def at(self, when: datetime) -> Moment:
        """Return a moment, with its year if that is not the current one."""
        here = when.astimezone(self.zone)
        text = moment(here, has_year=here.year != self.today.year)
        return Moment(text, _full(here), when.isoformat())

    def on(self, when: datetime) -> Moment:
        return self._named(day(when.astimezone(self.zone)), when)

    def since(self, when: datetime) -> Moment:
        return self._named(ago(max(self.now - when, timedelta())), when)

    def until(self, when: datetime) -> Moment:
        if when < self.now:
            return self._named(f"late by {ago(self.now - when)}", when)
        return self._named(f"in {ago(when - self.now)}", when)

    def _named(self, text: str, when: datetime) -> Moment:
        return Moment(text, _full(when.astimezone(self.zone)), when.isoformat())


def _full(here: datetime) -> str:
    clock = f"{TWO_DIGITS[here.hour]}:{TWO_DIGITS[here.minute]}:{TWO_DIGITS[here.second]}"
    return f"{day(here)}, {clock} {here.tzname()}"
