"""Risks and terms for the tests of rating; whatever is not said is neutral."""

from datetime import date
from decimal import Decimal

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Answers, AnswerValue, Risk, Term, Terms
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.rating.worksheet import Factor, Worksheet, WorksheetStep

CYB, TEO, MPL = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL
TARIFF = tariff_in_force(date(2026, 11, 15))
EFFECTIVE = date(2026, 12, 1)
ONE_YEAR = Term(EFFECTIVE, date(2027, 12, 1))


def terms_of(
    product: InsuranceProduct,
    limit: int = 1_000_000,
    retention: int = 2_500,
    *,
    per_claim_limit: int | None = None,
    yearly_cap: int | None = None,
) -> Terms:
    per_claim_limit = limit if per_claim_limit is None else per_claim_limit
    if product is MPL:
        return Terms(limit, per_claim_limit, aggregate_retention=yearly_cap, per_claim_retention=retention)
    return Terms(limit, per_claim_limit, aggregate_retention=retention, per_claim_retention=None)


def risk_of(
    product: InsuranceProduct,
    answers: dict[str, AnswerValue] | None = None,
    *,
    revenue: int = 1_000_000,
    state: str = "OH",
    term: Term = ONE_YEAR,
    scan_score: int | None = None,
) -> Risk:
    return Risk(product, revenue, state, None, Answers(answers or {}), term, scan_score)


def price(risk: Risk, terms: Terms | None = None, *, hazard_group: int = 3) -> Worksheet:
    return rate(TARIFF, risk, terms or terms_of(risk.product), hazard_group=hazard_group)


def step(worksheet: Worksheet, label: str, part: int = 0) -> WorksheetStep:
    (found,) = (step for step in worksheet.parts[part].steps if step.label == label)
    return found


def factor(worksheet: Worksheet, label: str, part: int = 0) -> Decimal:
    return step(worksheet, label, part).factor


def components(worksheet: Worksheet, label: str, part: int = 0) -> dict[str, Factor]:
    return {component.label: component for component in step(worksheet, label, part).components}
