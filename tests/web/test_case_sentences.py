"""Sentences of the case and of a price, for what is rare."""

import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from bindery.actions.desk.ask_colleague import AskedDecision
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.quote.decisions import (
    ApproveBind,
    CancelPolicy,
    Decision,
    DeclineQuote,
    OfferOption,
    ReinstatePolicy,
    RevokeQuote,
)
from bindery.domain.quote.price_explanation import PriceMove
from bindery.domain.rating.worksheet import WorksheetStep
from bindery.storage.submission.earlier import Likeness, SimilarCase
from bindery.web.case.second_shown import _wants
from bindery.web.case.similar_shown import shown_comparables
from bindery.web.shown.price import _why
from bindery.web.shown.words import Times

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (
            OfferOption(OptionAsk(aggregate_limit=2_000_000, aggregate_retention=25_000), "A smaller limit"),
            "offer $2,000,000, retention $25,000 at $9,000 beside it",
        ),
        (ApproveBind(), "bind at $9,000"),
        (RevokeQuote("A mistake"), "withdraw"),
        (CancelPolicy(on=date(2027, 4, 1)), "cancel the policy as of Apr 1, 2027: at the insured's request"),
        (ReinstatePolicy("Paid"), "reinstate the policy"),
        (DeclineQuote("No"), "decide"),
    ],
)
def test_a_second_person_reads_what_is_wanted(decision: Decision, said: str) -> None:
    assert _wants(AskedDecision(uuid.uuid4(), decision, 9_000)) == said


@pytest.mark.parametrize(
    ("likenesses", "said"),
    [
        ((Likeness.NEAR,), "decided, same product and sector, half to double the revenue"),
        (
            (Likeness.NEAR, Likeness.PRODUCT),
            "only 1 decided case from half to double the revenue: other sectors follow",
        ),
        (
            (next(one for one in Likeness if one not in {Likeness.NEAR, Likeness.PRODUCT}),),
            "no decided case from half to double the revenue: other sizes of the sector follow",
        ),
    ],
)
def test_what_is_compared_with_says_how_near_it_is(likenesses: tuple[Likeness, ...], said: str) -> None:
    cases = [
        SimilarCase(
            submission_id=uuid.uuid4(),
            name="Pier LLC",
            revenue=1_000_000,
            submitted_at=NOW,
            aggregate_limit=1_000_000,
            retention=2_500,
            premium=1_500,
            status=QuoteStatus.PUBLISHED,
            decided_by=None,
            likeness=likeness,
        )
        for likeness in likenesses
    ]

    shown = shown_comparables(
        cases, Times(ZoneInfo("UTC"), NOW), premium=2_000, limit=1_000_000, revenue=1_000_000
    )

    assert shown.alike == said


@pytest.mark.parametrize(
    ("label", "reason", "said"),
    [
        ("Scan", "Score of 51", "because the scan scored 51"),
        ("Scan", "No scan", "because nothing could be scanned"),
        ("State", "WA", "for WA"),
        ("Term", "6 months", "for a term of 6 months"),
        ("Limit", "$1,000,000 aggregate", "for the limit of $1,000,000 aggregate"),
    ],
)
def test_a_step_of_the_price_has_its_sentence(label: str, reason: str, said: str) -> None:
    step = WorksheetStep(label, reason, Decimal("1.1"), Decimal(1100), ())

    assert _why(PriceMove(None, step, label, 100, Decimal(1000), Decimal(1100))) == said
