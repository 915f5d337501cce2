"""Moments in the business zone, with how long ago they were."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from bindery.web.shown.words import Moment, ago, day, moment


@dataclass(frozen=True, slots=True)
class Times:
    """Writes moments for one page, all in one zone and seen from one now."""

    zone: ZoneInfo
    now: datetime

    @property
    def today(self) -> date:
        """Return the business date."""
        return self.now.astimezone(self.zone).date()

    @property
    def zone_name(self) -> str:
        """Return the zone as a page names it once."""
        return self.now.astimezone(self.zone).tzname() or str(self.zone)

    def at(self, when: datetime) -> Moment:
        """Write a moment."""
        here = when.astimezone(self.zone)
        return Moment(moment(here), f"{day(here.date())}, {here:%H:%M:%S %Z}", when.isoformat())

    def since(self, when: datetime) -> Moment:
        """Write how long ago a moment was."""
        there = self.at(when)
        return Moment(ago(max(self.now - when, self.now - self.now)), there.full, there.iso)

    def until(self, when: datetime) -> Moment:
        """Write by when something is due; what is late says for how long."""
        there = self.at(when)
        if when < self.now:
            return Moment(f"late by {ago(self.now - when)}", there.full, there.iso)
        return Moment(f"in {ago(when - self.now)}", there.full, there.iso)
