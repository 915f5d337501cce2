"""Facts of invented companies, built the way the service builds them."""

import copy
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import msgspec

from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.documents.building import applicant_facts, option_facts
from bindery.domain.documents.facts import Binding, DocumentFacts, join_facts
from bindery.domain.policy.contingencies import Contingency, contingencies_for
from bindery.domain.products import record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import rate_option, screen_option, to_record
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.scan.checks import finding_of, scan_catalogue
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, score_of
from bindery.domain.screening.case import SanctionsList
from bindery.domain.screening.rules import applicant_of
from bindery.domain.submission.parts import parts_of
from bindery.domain.submission.reading import ReadingContext, read_submission
from bindery.domain.submission.value import Submission
from support.contingencies import numbered

QUOTE_ID: Final = uuid.UUID("019a5b6c-7d8e-7f90-a1b2-c3d4e5f60718")
TODAY: Final = date(2026, 11, 15)
NOW: Final = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)
BOUND: Final = Binding(
    policy_number="CYB-26-0001234-7-00", bound_on=date(2026, 11, 20), fulfil_by=date(2026, 12, 20)
)
ISSUED: Final = Binding(
    policy_number="CYB-26-0001234-7-00", bound_on=date(2026, 11, 20), issued_on=date(2026, 11, 21)
)

Body = dict[str, Any]

TEO_ANSWERS: Final = [
    {"id": "2246", "value": True},
    {"id": "2204", "value": "Software"},
    {"id": "2210", "value": "Organizations (e.g., businesses, non-profits, government)"},
    {"id": "2224", "value": ["Custom computer programming or software development", "E-commerce"]},
    {"id": "2226", "value": ["None of the above"]},
    {"id": "2248", "value": True},
    {"id": "2229", "value": True},
    {"id": "2207", "value": "$400,000"},
    {"id": "2249", "value": False},
    {"id": "2205", "value": True},
]
MPL_ANSWERS: Final = [
    {"id": "Q2401", "value": ["Management or business consulting", "Staffing or recruiting"]},
    {"id": "Q2403", "value": 12},
    {"id": "Q2404", "value": 8},
    {"id": "Q2412", "value": ["None of the above"]},
    {"id": "Q2405", "value": "Sometimes"},
    {"id": "Q2406", "value": False},
    {"id": "Q2407", "value": "26% to 50%"},
    {"id": "Q2408", "value": "Up to 25%"},
    {"id": "Q2409", "value": False},
    {"id": "Q2410", "value": False},
    {"id": "Q2411", "value": True},
    {"id": "Q2413", "value": True},
    {"id": "Q2416", "value": "0"},
    {"id": "Q2419", "value": False},
    {"id": "Q2421", "value": False},
    {"id": "Q2423", "value": False},
]


def request_body(product: InsuranceProduct, change: Callable[[Body], None] | None = None) -> Body:
    """Return a good request for a product, changed by the test."""
    body = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
    body["policy"]["insurance_product"] = product.value
    body["policy"]["dates"] = {"effective": "2026-12-01", "expiration": "2027-12-01"}
    if product is InsuranceProduct.TEO:
        body["questions"] += copy.deepcopy(TEO_ANSWERS)
        body["policy"]["dates"]["teo_retroactive_date"] = "2024-03-01"
    if product is InsuranceProduct.MPL:
        body["questions"] = copy.deepcopy(MPL_ANSWERS)
        body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000, "per_claim_limit": 500_000}]
    if change is not None:
        change(body)
    return body


def weak_scan(domains: Sequence[str] = ("harborlight.example.com",)) -> ScanResult:
    """Return a scan that found something of every severity but a red flag."""
    host = domains[0] if domains else "harborlight.example.com"
    findings = (
        finding_of("MAIL_SPF_PERMISSIVE", host=host, evidence="v=spf1 +all"),
        finding_of("HTTP_EOL", host=f"www.{host}", evidence="Server: ExampleHTTP 2.2.3"),
        finding_of("MAIL_DMARC_NONE", host=host, evidence="v=DMARC1; p=none"),
        finding_of("HTTP_HSTS", host=f"www.{host}", evidence="no Strict-Transport-Security header"),
        finding_of("DNS_CAA", host=host, evidence="no CAA record"),
    )
    return scan_of(findings, domains)


def scan_of(findings: Sequence[Finding], domains: Sequence[str]) -> ScanResult:
    """Return a finished scan; what it does not find it has passed."""
    failed = {finding.check_id for finding in findings}
    return ScanResult(
        outcome=ScanOutcome.FINISHED,
        domains=tuple(domains),
        scanned_at=NOW,
        scanner="bindery-simulated 1",
        score=score_of(findings),
        findings=tuple(findings),
        passed=tuple(
            c.id for c in scan_catalogue().checks if c.id not in failed and c.source == "outside_view"
        ),
        unchecked=("CREDS_LEAKED", "STEALER_LOGS"),
    )


def submission_of(body: Body) -> Submission:
    parts = parts_of(msgspec.convert(body, CreateQuotesRequest))
    return read_submission(parts, ReadingContext(today=TODAY)).accepted()


def facts_of(
    product: InsuranceProduct = InsuranceProduct.CYB,
    change: Callable[[Body], None] | None = None,
    *,
    scan: ScanResult | None = None,
    binding: Binding | None = None,
    contingencies: Sequence[Contingency] | None = None,
    quote_id: uuid.UUID = QUOTE_ID,
    option: int = 0,
    status: QuoteStatus = QuoteStatus.PUBLISHED,
    expiring: DocumentFacts | None = None,
    broker: tuple[str | None, str | None] = (None, None),
) -> DocumentFacts:
    """Take a request through reading, pricing and building, as the service does."""
    body = request_body(product, change)
    submission = submission_of(body)
    if scan is None and product is not InsuranceProduct.MPL:
        scan = weak_scan(submission.domains)
    applicant = applicant_of(submission, scan=scan, sanctions=SanctionsList())
    ask = submission.options[option]
    rated = rate_option(TARIFFS.named("2026.1"), COVERAGES.named("2026.1"), applicant, ask)
    assessment = screen_option(rated, applicant, ask, scan=scan)
    assert assessment.price is not None
    quote = Quote(
        quote_id=quote_id,
        submission_id=uuid.UUID("019a5b6c-0000-7f90-a1b2-c3d4e5f60718"),
        company_id=123456789,
        partner_id=1,
        option_number=option + 1,
        product=product,
        status=status,
        version=1,
        created_at=NOW,
        updated_at=NOW,
        ask=ask,
        terms=assessment.terms,
        premium=assessment.price.premium,
        expires_on=date(2027, 1, 14),
        assessment=to_record(assessment),
    )
    rules = record_of(applicant.risk.product).contingencies
    owed = contingencies_for(applicant.risk, rules, renewal=expiring is not None)
    opened = tuple(numbered(draft, str(number)) for number, draft in enumerate(owed, start=41))
    facts = applicant_facts(
        submission,
        company_id=quote.company_id,
        client=body["client"],
        scan=scan,
        submitted_on=TODAY,
        broker_name=broker[0],
        broker_firm=broker[1],
    )
    option_of_it = option_facts(
        facts,
        quote,
        term=submission.term,
        client=body["client"],
        contingencies=opened if contingencies is None else contingencies,
        issued_on=TODAY,
        binding=binding,
        expiring=expiring,
    )
    return join_facts(facts, option_of_it)
