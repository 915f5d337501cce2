"""A submission and its quote in the domain's own words, for rules that need no request."""

import uuid
from datetime import UTC, date, datetime

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import Answers, OptionAsk, Term
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import rate_option, screen_option, to_record
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.screening.rules import applicant_of
from bindery.domain.submission.value import Submission

SUBMISSION = Submission(
    product=InsuranceProduct.CYB,
    name="Quillstone Bakery",
    trade_name=None,
    revenue=1_200_000,
    state="CA",
    industry="311811",
    domains=("a.example.com",),
    term=Term(date(2026, 12, 1), date(2027, 12, 1)),
    options=(),
    answers=Answers({"2300": True, "2301": True}),
    given={},
    question_edition="2026.1",
    broker_email="ann@example.com",
    program_code="BINDERY",
    registrable_domains=("a.example.com",),
    address_key="",
)


def assessed(
    submission: Submission = SUBMISSION, ask: OptionAsk | None = None, *, breaks_pricing: bool = False
) -> Quote:
    """Return the quote of an option of $1,000,000 or another, with what the machine has to say of it."""
    wanted = ask or OptionAsk(aggregate_limit=1_000_000)
    tariff, coverages = TARIFFS.named("2026.1"), COVERAGES.named("2026.1")
    applicant = applicant_of(submission)
    rated = rate_option(tariff, coverages, applicant, wanted, breaks_pricing=breaks_pricing)
    found = screen_option(rated, applicant, wanted, scan=None)
    moment = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
    return Quote(
        quote_id=uuid.UUID(int=1),
        submission_id=uuid.UUID(int=2),
        company_id=123456789,
        partner_id=1,
        option_number=0,
        product=submission.product,
        status=QuoteStatus.QUOTE_REFERRED,
        version=1,
        created_at=moment,
        updated_at=moment,
        ask=wanted,
        terms=found.terms,
        premium=found.price.premium if found.price else None,
        assessment=to_record(found),
    )
