"""The kinds of rule an edition is made of, in the shape of its data."""

from enum import StrEnum
from typing import Final

import msgspec

from bindery.domain.applicant.risk import Risk

EMPLOYEES: Final = "Q2314"


class Party(StrEnum):
    FIRST = "first"
    THIRD = "third"


class ParameterName(StrEnum):
    WAITING_PERIOD_HOURS = "waiting_period_hours"
    INDEMNITY_PERIOD_DAYS = "indemnity_period_days"
    COINSURANCE_PERCENT = "coinsurance_percent"
    BETTERMENT_PERCENT = "betterment_percent"
    CALLBACK_VERIFICATION_REQUIRED = "callback_verification_required"
    DAILY_LIMIT_USD = "daily_limit_usd"
    PER_EVENT_LIMIT_USD = "per_event_limit_usd"
    INSURED_SHARE_PERCENT = "insured_share_percent"
    EXTENDED_REPORTING_PERIOD_MONTHS = "extended_reporting_period_months"


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """A rule of one kind, which its data names as its type."""


class FullAggregate(Rule, frozen=True, tag="full_aggregate"):
    """The policy's aggregate limit."""


class PerClaimThenAggregate(Rule, frozen=True, tag="per_claim_then_aggregate"):
    """The per-claim limit where it is the lower one."""


class ShareOfAggregate(Rule, frozen=True, tag="share_of_aggregate"):
    """A share of the aggregate limit, raised to a floor, lowered to a cap, never above the aggregate."""

    percent: int
    floor: int | None = None
    cap: int | None = None


class FixedSublimit(Rule, frozen=True, tag="fixed"):
    amount: int


LimitRule = FullAggregate | PerClaimThenAggregate | ShareOfAggregate | FixedSublimit


class PolicyRetention(Rule, frozen=True, tag="policy_retention"):
    """The aggregate retention of a CYB or TEO quote."""


class PerClaimRetention(Rule, frozen=True, tag="per_claim_retention"):
    """The per-claim retention of an MPL quote."""


class PolicyRetentionButAtLeast(Rule, frozen=True, tag="policy_but_at_least"):
    amount: int


class FixedRetention(Rule, frozen=True, tag="fixed"):
    amount: int


class NoRetention(Rule, frozen=True, tag="none"):
    """Nothing is retained."""


RetentionRule = PolicyRetention | PerClaimRetention | PolicyRetentionButAtLeast | FixedRetention | NoRetention


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The one further figure of a coverage; 0 where the limit stays within a threshold."""

    name: ParameterName
    value: int
    applies_above_limit: int = 0


class Exclusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    state: str
    employees_above: int

    def applies_to(self, risk: Risk) -> bool:
        employees = risk.answers.number(EMPLOYEES)
        return risk.state == self.state and employees is not None and employees > self.employees_above


class Restriction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The narrower cover of a firm that answered no to a control and is small enough to be quoted."""

    answered_no: str
    revenue_below: int
    limit: LimitRule
    parameter_value: int

    def applies_to(self, risk: Risk) -> bool:
        return risk.answers.no(self.answered_no) and risk.revenue < self.revenue_below


class CoverageRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    code: str
    name: str
    party: Party
    limit: LimitRule
    retention: RetentionRule
    note: str
    parameter: Parameter | None = None
    excluded_when: Exclusion | None = None
    restricted_when: Restriction | None = None
