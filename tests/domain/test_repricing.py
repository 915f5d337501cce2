"""The price of a quote on another period or other terms, and one that a person set without the tariff."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from bindery.base.errors import InvalidRequest
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk, Term
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import AS_ASSESSED, ChangedTerms, reprice
from bindery.domain.quote.underwriting import AssessmentRecord, add_corrections, from_record
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.screening.rules import applicant_of
from bindery.domain.submission.value import Correction, Submission
from support.applicants import SUBMISSION, assessed

UNA = "una@example.com"
LONGER = replace(SUBMISSION, term=Term(date(2026, 12, 1), date(2028, 3, 1)))
BEFORE_ANY_TAX = replace(SUBMISSION, term=Term(date(1999, 12, 1), date(2000, 12, 1)))


def repriced(
    quote: Quote,
    changed: ChangedTerms = AS_ASSESSED,
    *,
    submission: Submission = SUBMISSION,
    asked_for: str = "terms",
) -> Quote:
    return reprice(
        quote,
        TARIFFS.named("2026.1"),
        COVERAGES.named("2026.1"),
        applicant_of(submission),
        changed=changed,
        asked_for=asked_for,
        actor=UNA,
        reason="Loss runs",
    )


def record_of(quote: Quote) -> AssessmentRecord:
    assert quote.assessment is not None
    return from_record(quote.assessment)


def problem_of(refused: pytest.ExceptionInfo[InvalidRequest]) -> tuple[str, str, str]:
    (problem,) = refused.value.problems
    return problem.path, problem.code, problem.message


def test_an_approved_premium_is_scaled_with_the_tariff_where_the_period_is_another() -> None:
    approved = repriced(assessed(), ChangedTerms(premium=2_724))

    moved = repriced(approved, submission=LONGER, asked_for="dates")

    plain = assessed(LONGER)
    assert (assessed().premium, approved.premium) == (1_362, 2_724)
    assert plain.premium is not None
    assert record_of(moved).rated_premium == plain.premium
    assert moved.premium == 2 * plain.premium
    assert record_of(moved).override == record_of(approved).override


def test_an_approved_retention_is_kept_and_priced_by_the_tariff_where_the_period_is_another() -> None:
    approved = repriced(assessed(), ChangedTerms(aggregate_retention=25_000))

    moved = repriced(approved, submission=LONGER, asked_for="dates")

    plain = assessed(LONGER, OptionAsk(aggregate_limit=1_000_000, aggregate_retention=25_000))
    assert moved.terms == approved.terms
    assert moved.premium == plain.premium
    assert record_of(moved).override == {
        "by": UNA,
        "reason": "Loss runs",
        "aggregate_retention": 25_000,
        "per_claim_retention": None,
        "premium": None,
        "rated_premium": approved.premium,
    }


def test_another_per_claim_retention_is_priced_as_if_it_had_been_asked_for() -> None:
    submission = replace(SUBMISSION, product=InsuranceProduct.MPL)
    higher = OptionAsk(aggregate_limit=1_000_000, per_claim_retention=25_000)

    approved = repriced(assessed(submission), ChangedTerms(per_claim_retention=25_000), submission=submission)

    plain = assessed(submission, higher)
    assert approved.terms == plain.terms
    assert approved.premium == plain.premium
    assert approved.premium != assessed(submission).premium


@pytest.mark.parametrize(
    ("changed", "submission", "asked_for", "said"),
    [
        (ChangedTerms(aggregate_retention=3), SUBMISSION, "terms", "The tariff has no retention of $3"),
        (
            AS_ASSESSED,
            BEFORE_ANY_TAX,
            "dates",
            "No surplus lines tax of CA is on file for 1999-12-01",
        ),
    ],
)
def test_what_the_tariff_has_no_price_for_is_refused(
    changed: ChangedTerms, submission: Submission, asked_for: str, said: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        repriced(assessed(), changed, submission=submission, asked_for=asked_for)

    assert problem_of(refused) == (asked_for, "not_priced", f"has no price in the tariff: {said}")


def unpriceable() -> Quote:
    """An option that failed to be priced, on a retention that the tariff does not know."""
    failed = assessed(breaks_pricing=True)
    assert failed.terms is not None
    return replace(failed, terms=replace(failed.terms, aggregate_retention=3))


def test_a_premium_where_pricing_failed_and_the_tariff_has_a_price_now_is_an_override_like_any_other() -> (
    None
):
    tariff = repriced(assessed(breaks_pricing=True))
    approved = repriced(assessed(breaks_pricing=True), ChangedTerms(premium=4_200))

    record = record_of(approved)
    assert (approved.premium, record.rated_premium) == (4_200, tariff.premium)
    assert record.worksheet == record_of(tariff).worksheet
    assert record.override == {
        "by": UNA,
        "reason": "Loss runs",
        "aggregate_retention": None,
        "per_claim_retention": None,
        "premium": 4_200,
        "rated_premium": tariff.premium,
    }
    # It moves with its dates, as any other does.
    assert repriced(approved, submission=LONGER, asked_for="dates").premium != 4_200


def test_a_premium_is_set_by_hand_where_the_tariff_gave_none() -> None:
    by_hand = repriced(unpriceable(), ChangedTerms(premium=4_200))

    record = record_of(by_hand)
    assert by_hand.premium == 4_200
    assert record.worksheet is None
    assert record.rated_premium is None
    assert [coverage.code for coverage in record.coverages] == [
        coverage.code for coverage in record_of(assessed()).coverages
    ]
    assert record.surcharges[0].price == Decimal("126.00")
    assert record.override == {
        "by": UNA,
        "reason": "Loss runs",
        "aggregate_retention": None,
        "per_claim_retention": None,
        "premium": 4_200,
        "rated_premium": None,
        "terrorism": "42.00",
    }


def test_a_premium_is_not_set_by_hand_where_the_taxes_are_not_on_file() -> None:
    unpriced = assessed(BEFORE_ANY_TAX, breaks_pricing=True)

    with pytest.raises(InvalidRequest) as refused:
        repriced(unpriced, ChangedTerms(premium=4_200), submission=BEFORE_ANY_TAX)

    said = "cannot be set: No surplus lines tax of CA is on file for 1999-12-01"
    assert problem_of(refused) == ("premium", "not_priced", said)


def test_a_premium_set_by_hand_stays_as_it_is_and_is_not_moved_to_other_dates() -> None:
    by_hand = repriced(unpriceable(), ChangedTerms(premium=4_200))

    with pytest.raises(InvalidRequest) as refused:
        repriced(by_hand, submission=LONGER, asked_for="dates")

    assert repriced(by_hand) is by_hand
    assert problem_of(refused) == (
        "dates",
        "set_by_hand",
        "must be those quoted: an underwriter set the premium by hand for them",
    )


@pytest.mark.parametrize(
    ("asked", "approved", "corrections"),
    [
        (2_500, None, []),
        (2_500, 2_500, []),
        (
            2_500,
            25_000,
            [
                Correction(
                    "aggregate_retention",
                    2_500,
                    25_000,
                    "Retention $25,000, asked for $2,500: Loss runs",
                    "changed_by_underwriter",
                    "Loss runs",
                )
            ],
        ),
        (
            None,
            25_000,
            [
                Correction(
                    "aggregate_retention",
                    None,
                    25_000,
                    "Retention $25,000: Loss runs",
                    "changed_by_underwriter",
                    "Loss runs",
                )
            ],
        ),
    ],
)
def test_a_retention_approved_differently_from_the_one_asked_for_is_a_correction(
    asked: int | None, approved: int | None, corrections: list[Correction]
) -> None:
    quote = replace(assessed(), ask=OptionAsk(1_000_000, aggregate_retention=asked))
    assert quote.terms is not None
    quote = replace(quote, terms=replace(quote.terms, aggregate_retention=2_500))

    changed = repriced(quote, ChangedTerms(aggregate_retention=approved))

    assert record_of(changed).corrections == corrections


def test_a_raised_retention_that_an_underwriter_raises_further_is_one_correction() -> None:
    raised = Correction("aggregate_retention", 500, 2_500, "Raised")
    quote = replace(assessed(), ask=OptionAsk(1_000_000, aggregate_retention=500))
    assert quote.terms is not None
    assert quote.assessment is not None
    quote = replace(
        quote,
        terms=replace(quote.terms, aggregate_retention=2_500),
        assessment=add_corrections(quote.assessment, [raised]),
    )

    higher = repriced(quote, ChangedTerms(aggregate_retention=25_000))
    as_it_was = repriced(quote, ChangedTerms(premium=9_000))

    assert [(c.code, c.asked, c.given) for c in record_of(higher).corrections] == [
        ("changed_by_underwriter", 500, 25_000)
    ]
    assert record_of(as_it_was).corrections == [raised]
