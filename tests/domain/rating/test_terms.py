import itertools
from typing import get_args

import pytest

from bindery.contract.vocabulary import AggregateRetention, InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.rating.option import SettledTerms, settle_terms
from bindery.domain.submission.value import Correction
from domain.rating.ladders import LIMITS, RETENTIONS
from domain.rating.rating_cases import CYB, MPL, TARIFF, TEO
from support.tables import each_row


def settle(
    product: InsuranceProduct, revenue: int, limit: int = 1_000_000, **asked: int | None
) -> SettledTerms:
    return settle_terms(TARIFF, revenue, product, OptionAsk(limit, **asked))


@each_row("product", [CYB, TEO])
@each_row(
    ("revenue", "default"),
    [
        (0, 2_500), (4_999_999, 2_500), (5_000_000, 5_000), (9_999_999, 5_000), (10_000_000, 10_000),
        (24_999_999, 10_000), (25_000_000, 25_000), (49_999_999, 25_000), (50_000_000, 50_000),
        (99_999_999, 50_000), (100_000_000, 100_000), (249_999_999, 100_000), (250_000_000, 250_000),
        (999_999_999, 250_000), (1_000_000_000, 500_000),
    ],
)  # fmt: skip
def test_a_retention_nobody_asked_for_follows_the_revenue(
    product: InsuranceProduct, revenue: int, default: int
) -> None:
    settled = settle(product, revenue, limit=10_000_000)

    assert settled == SettledTerms(Terms(10_000_000, 10_000_000, default, None))


@each_row("product", [CYB, TEO])
@each_row(
    ("revenue", "minimum"),
    [
        (0, 2_500), (9_999_999, 2_500), (10_000_000, 5_000), (24_999_999, 5_000), (25_000_000, 10_000),
        (49_999_999, 10_000), (50_000_000, 25_000), (99_999_999, 25_000), (100_000_000, 50_000),
        (249_999_999, 50_000), (250_000_000, 100_000), (999_999_999, 100_000), (1_000_000_000, 250_000),
    ],
)  # fmt: skip
def test_a_requested_retention_is_raised_to_the_minimum_of_the_revenue(
    product: InsuranceProduct, revenue: int, minimum: int
) -> None:
    for asked in get_args(AggregateRetention):
        settled = settle(product, revenue, limit=10_000_000, aggregate_retention=asked)

        assert settled.terms.aggregate_retention == max(asked, minimum)
        assert [(c.asked, c.given) for c in settled.corrections] == (
            [(asked, minimum)] if asked < minimum else []
        )
        assert not settled.share_exceeded
        assert not settled.too_small


@each_row(
    ("revenue", "minimum", "default"),
    [
        (0, 500, 2_500), (999_999, 500, 2_500), (1_000_000, 1_000, 2_500), (2_499_999, 1_000, 2_500),
        (2_500_000, 2_500, 2_500), (4_999_999, 2_500, 2_500), (5_000_000, 2_500, 5_000),
        (9_999_999, 2_500, 5_000), (10_000_000, 5_000, 10_000), (24_999_999, 5_000, 10_000),
        (25_000_000, 10_000, 25_000), (49_999_999, 10_000, 25_000), (50_000_000, 25_000, 50_000),
        (99_999_999, 25_000, 50_000), (100_000_000, 50_000, 100_000), (5_000_000_000, 50_000, 100_000),
    ],
)  # fmt: skip
def test_professional_liability_has_floors_and_defaults_of_its_own(
    revenue: int, minimum: int, default: int
) -> None:
    assert settle(MPL, revenue).terms == Terms(1_000_000, 1_000_000, None, default)
    assert settle(MPL, revenue, per_claim_retention=500).terms.per_claim_retention == minimum


def test_a_correction_says_what_was_asked_and_what_is_given() -> None:
    settled = settle(CYB, 30_000_000, aggregate_retention=2_500)

    assert settled.corrections == (
        Correction(
            "aggregate_retention",
            asked=2_500,
            given=10_000,
            text="$10,000 is the lowest retention for a revenue of $30,000,000; $2,500 was asked for",
        ),
    )


@each_row(
    ("limit", "asked", "exceeded"),
    [
        (100_000, 25_000, False),
        (100_000, 50_000, True),
        (300_000, 75_000, False),
        (300_000, 100_000, True),
        (2_000_000, 500_000, False),
        (1_500_000, 500_000, True),
    ],
)
@each_row(
    ("product", "field"),
    [(CYB, "aggregate_retention"), (TEO, "aggregate_retention"), (MPL, "per_claim_retention")],
)
def test_a_requested_retention_above_a_quarter_of_the_limit_is_flagged_and_kept(
    product: InsuranceProduct, field: str, limit: int, asked: int, exceeded: bool
) -> None:
    settled = settle(product, 1_000_000, limit, **{field: asked})

    assert settled.share_exceeded is exceeded
    assert getattr(settled.terms, field) == asked
    assert settled.corrections == ()
    assert not settled.too_small


@pytest.mark.parametrize(
    ("revenue", "limit", "given"),
    [
        (60_000_000, 250_000, 50_000),  # a quarter is 62,500: the usual 50,000 fits
        (60_000_000, 100_000, 25_000),  # a quarter is 25,000
        (100_000_000, 300_000, 75_000),  # a quarter is 75,000
        (250_000_000, 750_000, 150_000),  # a quarter is 187,500, and 150,000 is listed
    ],
)
def test_a_default_retention_is_lowered_to_a_quarter_of_the_limit(
    revenue: int, limit: int, given: int
) -> None:
    settled = settle(CYB, revenue, limit)

    assert settled == SettledTerms(Terms(limit, limit, given, None))


@each_row("asked", [None, 2_500, 50_000])
@each_row(
    ("revenue", "limit", "too_small"),
    [
        (99_999_999, 100_000, False),
        (100_000_000, 100_000, True),
        (100_000_000, 250_000, False),
        (250_000_000, 300_000, True),
        (250_000_000, 500_000, False),
    ],
)
def test_a_limit_is_too_small_when_even_the_minimum_is_above_its_quarter(
    revenue: int, limit: int, too_small: bool, asked: int | None
) -> None:
    assert settle(CYB, revenue, limit, aggregate_retention=asked).too_small is too_small


def test_a_limit_that_is_too_small_still_carries_the_minimum_retention() -> None:
    settled = settle(CYB, 250_000_000, 100_000)

    assert settled.terms.aggregate_retention == 100_000
    assert settled.corrections == ()
    assert not settled.share_exceeded


def test_a_per_claim_retention_does_not_apply_to_cyber_or_technology() -> None:
    for product in (CYB, TEO):
        settled = settle(product, 1_000_000, per_claim_retention=50_000)

        assert settled.terms == Terms(1_000_000, 1_000_000, 2_500, None)
        assert [(c.code, c.field, c.asked, c.given) for c in settled.corrections] == [
            ("no_effect", "per_claim_retention", 50_000, None)
        ]


def test_a_per_claim_limit_is_kept() -> None:
    assert settle(CYB, 1_000_000, 2_000_000, per_claim_limit=500_000).terms.per_claim_limit == 500_000


def test_a_per_claim_limit_above_the_aggregate_is_refused() -> None:
    assert settle(CYB, 1_000_000, 500_000, per_claim_limit=500_000).terms.per_claim_limit == 500_000
    with pytest.raises(ValueError, match="750000 exceeds aggregate limit 500000"):
        settle(CYB, 1_000_000, 500_000, per_claim_limit=750_000)


@pytest.mark.parametrize(
    ("per_claim", "cap", "given"),
    [
        (2_500, 2_500, 2_500),
        (5_000, 2_500, 5_000),
        (7_500, 5_000, 10_000),
        (20_000, 2_500, 25_000),
        (35_000, 25_000, 50_000),
        (500, 2_500, 2_500),
        (10_000, 500_000, 500_000),
    ],
)
def test_a_yearly_cap_is_not_below_the_retention_of_one_claim(per_claim: int, cap: int, given: int) -> None:
    settled = settle(MPL, 500_000, per_claim_retention=per_claim, aggregate_retention=cap)

    assert settled.terms == Terms(1_000_000, 1_000_000, given, per_claim)
    assert [(c.field, c.asked, c.given) for c in settled.corrections] == (
        [("aggregate_retention", cap, given)] if given != cap else []
    )


def test_a_yearly_cap_follows_a_per_claim_retention_that_was_itself_raised() -> None:
    settled = settle(MPL, 60_000_000, per_claim_retention=500, aggregate_retention=10_000)

    assert settled.terms == Terms(1_000_000, 1_000_000, 25_000, 25_000)
    assert [(c.field, c.asked, c.given) for c in settled.corrections] == [
        ("per_claim_retention", 500, 25_000),
        ("aggregate_retention", 10_000, 25_000),
    ]


def test_a_retention_that_reaches_the_per_claim_limit_is_flagged() -> None:
    asked = {"per_claim_limit": 100_000, "limit": 1_000_000}

    assert not settle(CYB, 1_000_000, **asked, aggregate_retention=75_000).no_cover_per_claim
    assert settle(CYB, 1_000_000, **asked, aggregate_retention=100_000).no_cover_per_claim


def test_every_option_anyone_can_ask_for_gets_terms_the_tariff_prices() -> None:
    revenues = (0, 999_999, 10_000_000, 99_999_999, 1_000_000_000, 10**11)
    for product, limit, revenue in itertools.product((CYB, TEO), LIMITS, revenues):
        for asked in (None, *RETENTIONS[product]):
            settled = settle(product, revenue, limit, aggregate_retention=asked)
            assert settled.terms.aggregate_retention in TARIFF.cyber.part.retentions
    for limit, revenue in itertools.product(LIMITS, revenues):
        for asked in (None, *RETENTIONS[MPL]):
            settled = settle(MPL, revenue, limit, per_claim_retention=asked)
            assert settled.terms.per_claim_retention in TARIFF.professional.part.retentions
