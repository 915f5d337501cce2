"""A submission in the domain's own words, for rules that need no request."""

from datetime import date

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.answers import Answers
from bindery.domain.applicant.risk import Term
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
