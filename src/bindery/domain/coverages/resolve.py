from dataclasses import dataclass
from typing import assert_never

from bindery.domain.applicant.risk import Risk, Terms
from bindery.domain.coverages.edition import CoverageEdition
from bindery.domain.coverages.rules import (
    CoverageRule,
    FixedRetention,
    FixedSublimit,
    FullAggregate,
    LimitRule,
    NoRetention,
    PerClaimRetention,
    PerClaimThenAggregate,
    PolicyRetention,
    PolicyRetentionButAtLeast,
    RetentionRule,
    ShareOfAggregate,
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """One coverage of one quote, as the partner sees it."""

    code: str
    edition: str
    coverage_name: str
    limit: int
    retention: int
    parameter_name: str | None = None
    parameter: int | None = None


def coverages_for(
    edition: CoverageEdition, risk: Risk, terms: Terms, *, restricted_ransomware: bool = False
) -> tuple[Coverage, ...]:
    """Resolve the coverages of a quote, in the order of the edition.

    `restricted_ransomware` is an underwriter's decision about a firm that is not restricted by rule.
    """
    return tuple(
        _resolved(rule, risk, terms, edition=edition.edition, restricted=restricted_ransomware)
        for rule in edition.products[risk.product]
        if rule.excluded_when is None or not rule.excluded_when.applies_to(risk)
    )


def limit_of(rule: LimitRule, *, aggregate: int, per_claim: int) -> int:
    """Resolve a limit against the limits of the quote."""
    match rule:
        case FullAggregate():
            return aggregate
        case PerClaimThenAggregate():
            return min(per_claim, aggregate)
        case ShareOfAggregate(percent, floor, cap):
            share = aggregate * percent // 100
            raised = max(share, floor or 0)
            return min(raised, cap or aggregate, aggregate)
        case FixedSublimit(amount):
            return min(amount, aggregate)
        case _:
            assert_never(rule)


def retention_of(rule: RetentionRule, terms: Terms) -> int:
    """Resolve a retention against the terms of the quote."""
    match rule:
        case PolicyRetention():
            return _aggregate_retention(terms)
        case PerClaimRetention():
            return _per_claim_retention(terms)
        case PolicyRetentionButAtLeast(amount):
            return max(_aggregate_retention(terms), amount)
        case FixedRetention(amount):
            return amount
        case NoRetention():
            return 0
        case _:
            assert_never(rule)


def _resolved(rule: CoverageRule, risk: Risk, terms: Terms, *, edition: str, restricted: bool) -> Coverage:
    narrower = rule.restricted_when
    if narrower is not None and not (restricted or narrower.applies_to(risk)):
        narrower = None
    limit = limit_of(
        narrower.limit if narrower else rule.limit,
        aggregate=terms.aggregate_limit,
        per_claim=terms.per_claim_limit,
    )
    name, figure = None, None
    if rule.parameter is not None:
        name = str(rule.parameter.name)
        value = narrower.parameter_value if narrower else rule.parameter.value
        figure = value if limit > rule.parameter.applies_above_limit else 0
    return Coverage(
        code=rule.code,
        edition=edition,
        coverage_name=rule.name,
        limit=limit,
        retention=retention_of(rule.retention, terms),
        parameter_name=name,
        parameter=figure,
    )


def _aggregate_retention(terms: Terms) -> int:
    assert terms.aggregate_retention is not None, "the product is priced by it"
    return terms.aggregate_retention


def _per_claim_retention(terms: Terms) -> int:
    assert terms.per_claim_retention is not None, "the product is priced by it"
    return terms.per_claim_retention
