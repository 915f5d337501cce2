import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, assert_never

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Risk, Terms
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
from bindery.domain.editions import Editions, packaged
from bindery.domain.products import RetentionBasis, record_of

WHOLE: Final = 100

# A product priced by one retention has the other only where it was asked for, or not at all.
RETENTIONS_WITHOUT_GROUND: Final[Mapping[RetentionBasis, tuple[type[RetentionRule], ...]]] = {
    RetentionBasis.AGGREGATE: (PerClaimRetention,),
    RetentionBasis.PER_CLAIM: (PolicyRetention, PolicyRetentionButAtLeast),
}


@dataclass(frozen=True, slots=True)
class CoverageEdition:
    edition: str
    effective_from: date
    products: Mapping[InsuranceProduct, tuple[CoverageRule, ...]]


# The data is JSON, so its fields are Any until the rules have taken them.
def read_edition(raw: Mapping[str, Any]) -> CoverageEdition:
    rules = {
        code: msgspec.convert({"code": code, **fields}, CoverageRule)
        for code, fields in raw["coverages"].items()
    }
    products = {
        InsuranceProduct(product): tuple(rules[code] for code in codes)
        for product, codes in raw["products"].items()
    }
    return CoverageEdition(raw["edition"], date.fromisoformat(raw["effective_from"]), products)


COVERAGES: Final = Editions(
    "list of coverages", lambda: (read_edition(json.loads(text)) for text in packaged("coverages"))
)


def check_coverages(edition: CoverageEdition) -> list[str]:
    problems = []
    for product, rules in edition.products.items():
        problems += [
            f"{product}: code {code} is used twice" for code in _repeated(rule.code for rule in rules)
        ]
        problems += [
            f"{product}: name {name!r} is used twice" for name in _repeated(rule.name for rule in rules)
        ]
        problems += [
            f"{product} {rule.code}: {problem}" for rule in rules for problem in _rule_problems(product, rule)
        ]
    return problems


def _repeated(values: Iterable[str]) -> list[str]:
    return [value for value, times in Counter(values).items() if times > 1]


def _rule_problems(product: InsuranceProduct, rule: CoverageRule) -> Iterator[str]:
    if not rule.name.strip() or not rule.note.strip():
        yield "a name and a note are needed"
    if isinstance(rule.retention, RETENTIONS_WITHOUT_GROUND[record_of(product).retention]):
        yield f"the product has no {type(rule.retention).__name__}"
    if isinstance(rule.retention, PolicyRetentionButAtLeast | FixedRetention) and rule.retention.amount <= 0:
        yield "the retention is not above 0"
    yield from _limit_problems(rule.limit)
    if rule.parameter is not None and (rule.parameter.value < 0 or rule.parameter.applies_above_limit < 0):
        yield "the parameter is below 0"
    if rule.excluded_when is not None and rule.excluded_when.employees_above < 0:
        yield "the exclusion's number of employees is below 0"
    if rule.restricted_when is not None:
        yield from _limit_problems(rule.restricted_when.limit)
        if rule.restricted_when.revenue_below <= 0:
            yield "the restriction applies to no revenue"
        if rule.parameter is None:
            yield "the restriction changes a parameter that is not there"


def _limit_problems(rule: LimitRule) -> Iterator[str]:
    if isinstance(rule, FixedSublimit) and rule.amount <= 0:
        yield "the limit is not above 0"
    if isinstance(rule, ShareOfAggregate):
        if not 0 < rule.percent <= WHOLE:
            yield f"{rule.percent} percent is not a share of the aggregate"
        if rule.floor is not None and rule.floor <= 0:
            yield "the floor is not above 0"
        if rule.cap is not None and rule.cap <= max(rule.floor or 0, 0):
            yield "the cap is not above the floor"


class Coverage(msgspec.Struct, frozen=True):
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
