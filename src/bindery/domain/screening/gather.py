"""Putting a case together from a submission and its settled terms."""

from bindery.domain.applicant.industries import find_industry
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.terms import SettledTerms, settle_terms
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.case import Applicant, Case, Reason
from bindery.domain.screening.rules import in_pipeline_order, screen_before_scan
from bindery.domain.screening.sanctions_list import EMPTY_LIST, SanctionsList
from bindery.domain.submission.value import Submission


def applicant_of(
    submission: Submission, *, scan: ScanResult | None = None, sanctions: SanctionsList = EMPTY_LIST
) -> Applicant:
    """Gather what the rules about the applicant look at."""
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
) -> Case:
    """Gather what the rules about one option look at."""
    return Case(
        applicant=applicant,
        ask=ask,
        scan=scan,
        retention_above_share=settled.share_exceeded,
        limit_too_small=settled.too_small,
        no_cover_per_claim=settled.no_cover_per_claim,
        broker_conflict=broker_conflict,
        pricing_failed=pricing_failed,
    )


def foreseeable_reasons(
    submission: Submission, tariff: Tariff, *, sanctions: SanctionsList = EMPTY_LIST
) -> tuple[Reason, ...]:
    """Return what any option of the submission would be referred for, each reason once, before any scan."""
    applicant = applicant_of(submission, sanctions=sanctions)
    found: dict[Reason, None] = {}
    for ask in submission.options:
        settled = settle_terms(tariff, submission.revenue, submission.product, ask)
        found |= dict.fromkeys(screen_before_scan(case_of(applicant, ask, settled)))
    return in_pipeline_order(found)
