from dataclasses import replace
from datetime import UTC, datetime

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.quote.price_levers import PriceLevers, price_levers
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, Severity
from bindery.domain.screening.rules import applicant_of
from support.applicants import SUBMISSION, assessed

TARIFF = TARIFFS.named("2026.1")


def finding(check_id: str, points: int, host: str = "a.example.com") -> Finding:
    return Finding(
        check_id, f"{check_id} is open", Severity.HIGH, points, red_flag=True, host=host, evidence=""
    )


def scan_of(*findings: Finding, score: int | None) -> ScanResult:
    at = datetime(2026, 11, 15, tzinfo=UTC)
    return ScanResult(ScanOutcome.FINISHED, ("a.example.com",), at, "test", score, findings)


def levers(scan: ScanResult | None, **changed: int) -> PriceLevers:
    terms = assessed(SUBMISSION).terms
    assert terms is not None
    found = price_levers(applicant_of(SUBMISSION, scan=scan), replace(terms, **changed), TARIFF, scan)
    assert found is not None
    return found


def test_the_costliest_finding_and_then_two_are_closed() -> None:
    rdp, database, dmarc = finding("rdp", 30), finding("database", 15), finding("dmarc", 4)
    scan = scan_of(dmarc, rdp, database, finding("rdp", 30, "b.example.com"), score=51)

    first, both = levers(scan).closed

    assert (first.titles, first.score) == (("rdp is open",), 81)
    assert (both.titles, both.score) == (("rdp is open", "database is open"), 96)
    assert both.premium < first.premium < rated_at(scan)


def rated_at(scan: ScanResult) -> int:
    applicant, terms = applicant_of(SUBMISSION, scan=scan), assessed(SUBMISSION).terms
    assert terms is not None
    return rate(TARIFF, applicant.risk, terms, hazard_group=applicant.industry.hazard_group).premium


def test_what_costs_no_points_is_not_worth_closing() -> None:
    assert levers(scan_of(finding("info", 0), score=100)).closed == ()


def test_a_single_finding_is_closed_once() -> None:
    (only,) = levers(scan_of(finding("rdp", 30), score=70)).closed

    assert (only.titles, only.score) == (("rdp is open",), 100)


def test_without_a_score_nothing_is_closed() -> None:
    assert levers(None).closed == ()
    assert levers(scan_of(finding("rdp", 30), score=None)).closed == ()


def test_the_next_three_higher_retentions_are_cheaper_and_within_their_share_of_the_limit() -> None:
    found = levers(None, aggregate_retention=2_500).retentions

    assert [other.retention for other in found] == [5_000, 10_000, 15_000]
    assert [other.premium for other in found] == sorted((other.premium for other in found), reverse=True)
    small = levers(None, aggregate_limit=250_000, per_claim_limit=250_000, aggregate_retention=50_000)
    assert small.retentions == (), "a quarter of the limit is the most"


def test_what_the_tariff_does_not_reach_has_no_levers() -> None:
    applicant = applicant_of(SUBMISSION)

    assert price_levers(applicant, OptionAsk(777_000).as_terms(), TARIFF, None) is None


def test_a_product_with_retentions_per_claim_varies_that_one() -> None:
    submission = replace(SUBMISSION, product=InsuranceProduct.MPL, industry="541611")
    terms = Terms(1_000_000, 1_000_000, None, 2_500)

    found = price_levers(applicant_of(submission), terms, TARIFF, None)

    assert found is not None
    assert found.retentions[0].retention > 2_500
