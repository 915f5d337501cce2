from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from types import MappingProxyType

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Answers, AnswerValue, OptionAsk, Term, Terms
from bindery.domain.rating.option import SettledTerms
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.scan.scan import ScanOutcome, ScanResult
from bindery.domain.screening.case import Case, SanctionsList
from bindery.domain.screening.rules import applicant_of, case_of, foreseeable_reasons
from bindery.domain.submission.value import Submission

TARIFF = TARIFFS.named("2026.1")
ANSWERS: Mapping[str, AnswerValue] = MappingProxyType(
    {
        "2134": True,
        "2314": 12,
        "2244": ("None of the above",),
        "2159": False,
        "2142": True,
        "2300": True,
        "2301": True,
        "2146": False,
        "2147": False,
    }
)
SUBMISSION = Submission(
    product=InsuranceProduct.CYB,
    name="Brightfield Supply Inc",
    trade_name=None,
    revenue=1_000_000,
    state="OH",
    industry="522110",
    domains=("brightfield.example",),
    term=Term(date(2026, 3, 1), date(2027, 3, 1)),
    options=(OptionAsk(1_000_000),),
    answers=Answers(ANSWERS),
    given=ANSWERS,
    question_edition="2026.1",
    broker_email="broker@example.com",
    program_code="",
    registrable_domains=("brightfield.example",),
    address_key="1 main st||columbus|oh|43215",
)
ASK = OptionAsk(1_000_000, aggregate_retention=5_000)
TERMS = Terms(1_000_000, 1_000_000, 5_000, None)


def test_an_applicant_carries_what_the_submission_says() -> None:
    listed = SanctionsList.of(["Night Harbor"])
    scan = ScanResult(
        ScanOutcome.FINISHED, ("brightfield.example",), datetime(2026, 2, 1, tzinfo=UTC), "test", score=77
    )

    applicant = applicant_of(SUBMISSION, scan=scan, sanctions=listed)

    assert applicant.risk == SUBMISSION.risk(scan_score=77)
    assert applicant.industry.matched == "5221"
    assert applicant.names == ("Brightfield Supply Inc",)
    assert applicant.domains == ("brightfield.example",)
    assert applicant.question_edition == "2026.1"
    assert applicant.sanctions == listed


def test_an_applicant_that_was_not_scanned_has_no_score() -> None:
    assert applicant_of(SUBMISSION).risk.scan_score is None


def test_a_case_carries_each_thing_that_settling_its_terms_found() -> None:
    applicant = applicant_of(SUBMISSION)

    def case(settled: SettledTerms) -> Case:
        return case_of(applicant, ASK, settled)

    assert case(SettledTerms(TERMS)) == Case(applicant, ASK)
    assert case(SettledTerms(TERMS, share_exceeded=True)) == Case(applicant, ASK, retention_above_share=True)
    assert case(SettledTerms(TERMS, too_small=True)) == Case(applicant, ASK, limit_too_small=True)
    assert case(SettledTerms(TERMS, no_cover_per_claim=True)) == Case(applicant, ASK, no_cover_per_claim=True)


def test_a_case_carries_scan_conflict_and_failed_pricing() -> None:
    applicant = applicant_of(SUBMISSION)
    scan = ScanResult(ScanOutcome.FAILED, (), datetime(2026, 2, 1, tzinfo=UTC), "test")

    case = case_of(applicant, ASK, SettledTerms(TERMS), scan=scan, broker_conflict=True, pricing_failed=True)

    assert case == Case(applicant, ASK, scan, broker_conflict=True, pricing_failed=True)


def test_a_good_submission_foresees_nothing_though_it_was_not_scanned() -> None:
    assert foreseeable_reasons(replace(SUBMISSION, industry="458210"), TARIFF) == ()


def test_reasons_of_several_options_are_foreseen_once_each_in_the_order_of_the_pipeline() -> None:
    options = (
        OptionAsk(1_000_000),
        OptionAsk(100_000, aggregate_retention=50_000),
        OptionAsk(4_000_000),
        OptionAsk(5_000_000),
    )

    reasons = foreseeable_reasons(replace(SUBMISSION, options=options), TARIFF)

    assert [reason.code for reason in reasons] == [
        "limit_above_authority",
        "limit_above_authority",
        "referred_industry",
        "retention_above_share",
    ]
    assert "$4,000,000" in reasons[0].text
    assert "$5,000,000" in reasons[1].text


@pytest.mark.parametrize(("retention", "is_referred"), [(25_000, False), (50_000, True)])
def test_a_retention_is_foreseen_to_be_referred_above_a_quarter_of_the_limit(
    retention: int, is_referred: bool
) -> None:
    options = (OptionAsk(100_000, aggregate_retention=retention),)

    reasons = foreseeable_reasons(replace(SUBMISSION, industry="458210", options=options), TARIFF)

    assert [reason.code for reason in reasons] == (["retention_above_share"] if is_referred else [])


def test_a_limit_that_is_too_small_for_the_firm_is_foreseen() -> None:
    submission = replace(
        SUBMISSION, industry="458210", revenue=100_000_000, options=(OptionAsk(100_000), OptionAsk(250_000))
    )

    assert [reason.code for reason in foreseeable_reasons(submission, TARIFF)] == ["limit_too_small"]


def test_a_sanctioned_name_is_foreseen() -> None:
    submission = replace(SUBMISSION, industry="458210")

    reasons = foreseeable_reasons(
        submission, TARIFF, sanctions=SanctionsList.of(["BRIGHTFIELD SUPPLY, INC."])
    )

    assert [reason.code for reason in reasons] == ["sanctioned_party"]
