"""Screening: every rule of the product runs, every reason is kept."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.industries import find_industry
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.products import all_products, record_of
from bindery.domain.rating.option import SettledTerms, settle_terms
from bindery.domain.rating.tariff import Tariff
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.authority import AuthorityRule, authority_reasons
from bindery.domain.screening.case import (
    EMPTY_LIST,
    Applicant,
    ApplicantRule,
    Case,
    CaseRule,
    Reason,
    SanctionsList,
)
from bindery.domain.submission.value import Submission

PIPELINE_ORDER: Final = (
    QuoteStatus.AUTHORITY_FAILED,
    QuoteStatus.MISSING_QUICK_SCAN,
    QuoteStatus.QUICK_SCAN_ERROR,
    QuoteStatus.COLLECTION_ISSUE,
    QuoteStatus.CALC_FAILED,
    QuoteStatus.RED_FLAGS_FOUND,
    QuoteStatus.BROKER_CONFLICT_REFERRAL,
    QuoteStatus.AQ_NOT_APPROVED,
)
"""The order of the pipeline's checks; reasons are given in this order."""


def screen(case: Case) -> tuple[Reason, ...]:
    """Return every reason why a person has to look at the option; none means that it may be published."""
    scan_rules = record_of(case.applicant.risk.product).rulebook.scan
    return in_pipeline_order((*screen_before_scan(case), *_found(rule(case) for rule in scan_rules)))


def screen_before_scan(case: Case) -> tuple[Reason, ...]:
    """Return every reason that needs no scan, for an option that is referred without one."""
    return in_pipeline_order((*option_reasons(case), *answer_reasons(case.applicant)))


def option_reasons(case: Case) -> tuple[Reason, ...]:
    """Return the reasons that lie in the terms of the option."""
    risk = case.applicant.risk
    product = record_of(risk.product)
    return in_pipeline_order(
        (
            *authority_reasons(product.authority, case.ask.aggregate_limit, risk.revenue),
            *_found(rule(case) for rule in product.rulebook.option),
        )
    )


def answer_reasons(applicant: Applicant) -> tuple[Reason, ...]:
    rules = record_of(applicant.risk.product).rulebook.applicant
    return in_pipeline_order(_found(rule(applicant) for rule in rules))


@dataclass(frozen=True, slots=True)
class RuleEntry:
    code: str
    meaning: str
    products: tuple[InsuranceProduct, ...]


def rule_catalogue() -> tuple[RuleEntry, ...]:
    """List every rule with the products it applies to; a rule's name is the code of its reason."""
    products: dict[AuthorityRule | CaseRule | ApplicantRule, list[InsuranceProduct]] = {}
    for record in all_products():
        book = record.rulebook
        rules: tuple[AuthorityRule | CaseRule | ApplicantRule, ...]
        rules = (*record.authority.rules, *book.option, *book.scan, *book.applicant)
        for rule in rules:
            products.setdefault(rule, []).append(record.product)
    return tuple(
        RuleEntry(rule.__name__, getdoc(rule) or "", tuple(which)) for rule, which in products.items()
    )


def all_reason_codes() -> tuple[str, ...]:
    return tuple(entry.code for entry in rule_catalogue())


def _found(reasons: Iterable[Reason | None]) -> Iterator[Reason]:
    return (reason for reason in reasons if reason is not None)


def in_pipeline_order(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(reasons, key=lambda reason: PIPELINE_ORDER.index(reason.status)))


def applicant_of(
    submission: Submission, *, scan: ScanResult | None = None, sanctions: SanctionsList = EMPTY_LIST
) -> Applicant:
    return Applicant(
        risk=submission.risk(scan_score=scan.score if scan is not None else None),
        industry=find_industry(submission.industry),
        names=tuple(name for name in (submission.name, submission.trade_name) if name),
        domains=submission.domains,
        question_edition=submission.question_edition,
        sanctions=sanctions,
    )


def case_of(
    applicant: Applicant,
    ask: OptionAsk,
    settled: SettledTerms,
    *,
    scan: ScanResult | None = None,
    broker_conflict: bool = False,
    pricing_failed: bool = False,
    renewal_held: bool = False,
    outside_binder: str = "",
) -> Case:
    return Case(
        applicant=applicant,
        ask=ask,
        scan=scan,
        retention_above_share=settled.share_exceeded,
        limit_too_small=settled.too_small,
        no_cover_per_claim=settled.no_cover_per_claim,
        broker_conflict=broker_conflict,
        pricing_failed=pricing_failed,
        renewal_held=renewal_held,
        outside_binder=outside_binder,
    )


def foreseeable_reasons(
    submission: Submission, tariff: Tariff, *, sanctions: SanctionsList = EMPTY_LIST
) -> tuple[Reason, ...]:
    """Return the reasons that would refer any option of the submission, each once, before any scan."""
    applicant = applicant_of(submission, sanctions=sanctions)
    found: dict[Reason, None] = {}
    for ask in submission.options:
        settled = settle_terms(tariff, submission.revenue, submission.product, ask)
        found |= dict.fromkeys(screen_before_scan(case_of(applicant, ask, settled)))
    return in_pipeline_order(found)
