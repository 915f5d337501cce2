"""The kinds of rule an edition is made of."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bindery.domain.applicant.risk import Risk

EMPLOYEES: Final = "Q2314"


class Party(StrEnum):
    """Whose loss a coverage pays for: the insured's own, or that of others."""

    FIRST = "first"
    THIRD = "third"


class ParameterName(StrEnum):
    """The further figures that a coverage may show."""

    WAITING_PERIOD_HOURS = "waiting_period_hours"
    INDEMNITY_PERIOD_DAYS = "indemnity_period_days"
    COINSURANCE_PERCENT = "coinsurance_percent"
    BETTERMENT_PERCENT = "betterment_percent"
    CALLBACK_VERIFICATION_REQUIRED = "callback_verification_required"
    DAILY_LIMIT_USD = "daily_limit_usd"
    PER_EVENT_LIMIT_USD = "per_event_limit_usd"
    INSURED_SHARE_PERCENT = "insured_share_percent"
    EXTENDED_REPORTING_PERIOD_MONTHS = "extended_reporting_period_months"


@dataclass(frozen=True, slots=True)
class FullAggregate:
    """The policy's aggregate limit."""


@dataclass(frozen=True, slots=True)
class PerClaimThenAggregate:
    """The per-claim limit where it is the lower one."""


@dataclass(frozen=True, slots=True)
class ShareOfAggregate:
    """A share of the aggregate limit, raised to a floor, lowered to a cap, never above the aggregate."""

    percent: int
    floor: int | None = None
    cap: int | None = None


@dataclass(frozen=True, slots=True)
class FixedSublimit:
    """An amount, never above the aggregate."""

    amount: int


LimitRule = FullAggregate | PerClaimThenAggregate | ShareOfAggregate | FixedSublimit


@dataclass(frozen=True, slots=True)
class PolicyRetention:
    """The aggregate retention of a CYB or TEO quote."""


@dataclass(frozen=True, slots=True)
class PerClaimRetention:
    """The per-claim retention of an MPL quote."""


@dataclass(frozen=True, slots=True)
class PolicyRetentionButAtLeast:
    """The aggregate retention, and no less than an amount."""

    amount: int


@dataclass(frozen=True, slots=True)
class FixedRetention:
    """An amount whatever the terms of the quote."""

    amount: int


@dataclass(frozen=True, slots=True)
class NoRetention:
    """Nothing is retained."""


RetentionRule = PolicyRetention | PerClaimRetention | PolicyRetentionButAtLeast | FixedRetention | NoRetention


@dataclass(frozen=True, slots=True)
class Parameter:
    """The one further figure of a coverage; 0 where the limit stays within a threshold."""

    name: ParameterName
    value: int
    applies_above_limit: int = 0


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The firms a coverage is not offered to."""

    state: str
    employees_above: int

    def applies_to(self, risk: Risk) -> bool:
        """Whether this firm goes without the coverage."""
        employees = risk.answers.number(EMPLOYEES)
        return risk.state == self.state and employees is not None and employees > self.employees_above


@dataclass(frozen=True, slots=True)
class Restriction:
    """The narrower cover of a firm that answered no to a control and is small enough to be quoted."""

    answered_no: str
    revenue_below: int
    limit: LimitRule
    parameter_value: int

    def applies_to(self, risk: Risk) -> bool:
        """Whether this firm has the narrower cover without a person deciding so."""
        return risk.answers.no(self.answered_no) and risk.revenue < self.revenue_below


@dataclass(frozen=True, slots=True)
class CoverageRule:
    """One coverage of an edition, before it is resolved for a quote."""

    code: str
    name: str
    party: Party
    limit: LimitRule
    retention: RetentionRule
    note: str
    parameter: Parameter | None = None
    excluded_when: Exclusion | None = None
    restricted_when: Restriction | None = None
