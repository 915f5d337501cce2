from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from bindery.domain.demo import DemoOutcomes, NoDemoOutcomes
from bindery.domain.screening.sanctions_list import SanctionsList


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessRules:
    """How this service does business: what every decision needs to know, whatever the case."""

    zone: ZoneInfo
    sanctions: SanctionsList
    platform_url: str
    docs_url: str
    demo_outcomes: DemoOutcomes | NoDemoOutcomes

    def day_of(self, moment: datetime) -> date:
        """Return the business date of a moment."""
        return moment.astimezone(self.zone).date()
