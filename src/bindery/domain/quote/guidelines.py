"""What an underwriter goes beyond only with a reason, as the page, the decision and the journal say it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.numbers import in_dollars
from bindery.domain.applicant.risk import Risk, Terms
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.rating.tariff import Tariff

MOST_DEVIATION: Final = 25
"""Percent; a premium further off the tariff takes a second yes."""


class Guideline(StrEnum):
    MINIMUM_PREMIUM = "minimum_premium"
    LOWEST_RETENTION = "lowest_retention"
    LARGEST_SHARE = "largest_share"
    DEVIATION = "deviation"


ASK_TWICE: Final = frozenset({Guideline.MINIMUM_PREMIUM, Guideline.DEVIATION})


@dataclass(frozen=True, slots=True)
class Breach:
    """A guideline that terms or a premium break, in words."""

    guideline: Guideline
    text: str


def breaches_of(
    tariff: Tariff, risk: Risk, terms: Terms, premium: int, *, rated: int | None
) -> tuple[Breach, ...]:
    """Return the guidelines that an offer breaks; `rated` is the tariff's premium, None where it has none."""
    return tuple(_breaches(tariff, risk, terms, premium, rated))


def _breaches(tariff: Tariff, risk: Risk, terms: Terms, premium: int, rated: int | None) -> Iterator[Breach]:
    least = tariff.minimum_premiums[risk.product].get(terms.aggregate_limit)
    if least is not None and premium < least:
        yield Breach(
            Guideline.MINIMUM_PREMIUM,
            f"{in_dollars(premium)} is below the minimum premium of {in_dollars(least)}",
        )
    retention, lowest = retention_of(terms, risk, tariff)
    if retention is not None and retention < lowest:
        yield Breach(
            Guideline.LOWEST_RETENTION,
            f"{in_dollars(retention)} is below the lowest retention of {in_dollars(lowest)} for a revenue of "
            f"{in_dollars(risk.revenue)}",
        )
    if retention is not None and retention > tariff.max_retention_share * terms.aggregate_limit:
        share, most = Decimal(retention) / terms.aggregate_limit, tariff.max_retention_share
        yield Breach(
            Guideline.LARGEST_SHARE,
            f"The retention is {in_percent(share * 100)} of the limit, above {in_percent(most * 100)}",
        )
    deviation = deviation_of(premium, rated)
    if deviation is not None and abs(deviation) > MOST_DEVIATION:
        yield Breach(
            Guideline.DEVIATION,
            f"{in_dollars(premium)} is {deviation_in_words(deviation)}, more than {MOST_DEVIATION} %",
        )


def retention_of(terms: Terms, risk: Risk, tariff: Tariff) -> tuple[int | None, int]:
    """Return the retention that the price depends on, and the lowest for the revenue."""
    if record_of(risk.product).retention is RetentionBasis.PER_CLAIM:
        return terms.per_claim_retention, tariff.per_claim_retention.minimum.at(risk.revenue)
    return terms.aggregate_retention, tariff.aggregate_retention.minimum.at(risk.revenue)


def deviation_of(premium: int | None, rated: int | None) -> Decimal | None:
    """Return how far a premium is off the tariff's, in percent of it; None where one of them is missing."""
    if premium is None or not rated:
        return None
    return Decimal(premium - rated) * 100 / rated


def deviation_in_words(deviation: Decimal) -> str:
    side = "below" if deviation < 0 else "above"
    return f"{in_percent(abs(deviation))} {side} the tariff"


def in_percent(share: Decimal) -> str:
    """Write a share of a hundred with at most one decimal; what is not quite zero or a bound shows it."""
    rounded = share.quantize(Decimal("0.1"))
    return f"{rounded.normalize():f} %" if rounded else f"{'less than 0.1' if share else 0} %"


def check_guidelines(breaches: Sequence[Breach], *, reason: str, is_sure: bool | None) -> None:
    """Refuse terms beyond the guidelines without a reason, and the gravest without a second yes.

    `is_sure` is None for decisions that no person makes on a page: their breaches go on record only.

    Raises:
        InvalidRequest: with every breach in words.
    """
    if is_sure is None or not breaches:
        return
    said = "; ".join(breach.text for breach in breaches)
    problems = []
    if not reason.strip():
        problems.append(Problem("reason", "required", f"is required beyond the guidelines: {said}"))
    grave = [breach.text for breach in breaches if breach.guideline in ASK_TWICE]
    if grave and not is_sure:
        problems.append(Problem("sure", "not_confirmed", f"is needed a second time: {'; '.join(grave)}"))
    if problems:
        raise InvalidRequest.because(problems)
