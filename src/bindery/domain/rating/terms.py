"""The terms a quote carries for the option that was asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final, get_args

from bindery.base.money import in_dollars
from bindery.contract.vocabulary import AggregateRetention, InsuranceProduct
from bindery.domain.corrections import NO_EFFECT, Correction
from bindery.domain.rating.tariff import RetentionRules, Tariff
from bindery.domain.risk import OptionAsk, Terms

PER_CLAIM_IS_MPL: Final = "A per-claim retention has no effect: it applies to MPL only"


@dataclass(frozen=True, slots=True)
class SettledTerms:
    """Terms that can be priced, what was corrected to get there, and what an underwriter must see.

    `share_exceeded`: the retention that was asked for is too large a share of the aggregate limit.
    `too_small`: the limit is too small for the firm, whose lowest retention is too large a share of it.
    `no_cover_per_claim`: the retention reaches the per-claim limit, so that no claim would be paid.
    """

    terms: Terms
    corrections: tuple[Correction, ...] = ()
    share_exceeded: bool = False
    too_small: bool = False
    no_cover_per_claim: bool = False


@dataclass(frozen=True, slots=True)
class _Retention:
    given: int
    corrections: tuple[Correction, ...]
    share_exceeded: bool
    too_small: bool


def settle_terms(tariff: Tariff, revenue: int, product: InsuranceProduct, ask: OptionAsk) -> SettledTerms:
    """Settle the terms of one requested option.

    Raises:
        ValueError: the per-claim limit exceeds the aggregate limit, which the request's checks refuse.
    """
    if ask.per_claim_limit is not None and ask.per_claim_limit > ask.aggregate_limit:
        raise ValueError(
            f"per-claim limit {ask.per_claim_limit} exceeds aggregate limit {ask.aggregate_limit}"
        )
    return SETTLERS[product](tariff, revenue, ask)


def _settle_by_aggregate(tariff: Tariff, revenue: int, ask: OptionAsk) -> SettledTerms:
    """Settle CYB or TEO; a per-claim retention does not apply to them."""
    retention = _settle_retention(
        "aggregate_retention",
        ask.aggregate_retention,
        rules=tariff.aggregate_retention,
        listed=tuple(tariff.cyber.part.retentions),
        largest=_largest_share(tariff, ask),
        revenue=revenue,
    )
    unused = (Correction("per_claim_retention", ask.per_claim_retention, None, PER_CLAIM_IS_MPL, NO_EFFECT),)
    return _settled(
        ask,
        retention,
        unused if ask.per_claim_retention is not None else (),
        aggregate_retention=retention.given,
        per_claim_retention=None,
    )


def _settle_by_claim(tariff: Tariff, revenue: int, ask: OptionAsk) -> SettledTerms:
    """Settle MPL, where an aggregate retention is a yearly cap on the per-claim ones."""
    retention = _settle_retention(
        "per_claim_retention",
        ask.per_claim_retention,
        rules=tariff.per_claim_retention,
        listed=tuple(tariff.professional.part.retentions),
        largest=_largest_share(tariff, ask),
        revenue=revenue,
    )
    cap, corrections = _settle_cap(ask.aggregate_retention, retention.given)
    return _settled(ask, retention, corrections, aggregate_retention=cap, per_claim_retention=retention.given)


SETTLERS: Final[Mapping[InsuranceProduct, Callable[[Tariff, int, OptionAsk], SettledTerms]]] = (
    MappingProxyType(
        {
            InsuranceProduct.CYB: _settle_by_aggregate,
            InsuranceProduct.TEO: _settle_by_aggregate,
            InsuranceProduct.MPL: _settle_by_claim,
        }
    )
)


def _settle_retention(
    field: str,
    asked: int | None,
    *,
    rules: RetentionRules,
    listed: tuple[int, ...],
    largest: Decimal,
    revenue: int,
) -> _Retention:
    """Take what was asked for, or the usual retention where the limit allows it; never below the minimum."""
    minimum = rules.minimum.at(revenue)
    too_small = minimum > largest
    if asked is None:
        default = min(rules.default.at(revenue), max(value for value in listed if value <= largest))
        return _Retention(max(default, minimum), (), share_exceeded=False, too_small=too_small)
    if asked >= minimum:
        return _Retention(asked, (), share_exceeded=asked > largest, too_small=too_small)
    text = (
        f"{in_dollars(minimum)} is the lowest retention for a revenue of {in_dollars(revenue)}; "
        f"{in_dollars(asked)} was asked for"
    )
    correction = Correction(field, asked, minimum, text)
    return _Retention(minimum, (correction,), share_exceeded=asked > largest, too_small=too_small)


def _settle_cap(asked: int | None, per_claim: int) -> tuple[int | None, tuple[Correction, ...]]:
    """Raise a yearly cap on retentions to the lowest allowed value that is not below one of them."""
    if asked is None or asked >= per_claim:
        return asked, ()
    given = min(value for value in get_args(AggregateRetention) if value >= per_claim)
    text = (
        f"The yearly cap on retentions cannot be below the {in_dollars(per_claim)} of one claim; "
        f"{in_dollars(asked)} was asked for, {in_dollars(given)} is the lowest above it"
    )
    return given, (Correction("aggregate_retention", asked, given, text),)


def _settled(
    ask: OptionAsk,
    retention: _Retention,
    corrections: tuple[Correction, ...] = (),
    *,
    aggregate_retention: int | None,
    per_claim_retention: int | None,
) -> SettledTerms:
    per_claim_limit = ask.per_claim_limit if ask.per_claim_limit is not None else ask.aggregate_limit
    return SettledTerms(
        terms=Terms(
            aggregate_limit=ask.aggregate_limit,
            per_claim_limit=per_claim_limit,
            aggregate_retention=aggregate_retention,
            per_claim_retention=per_claim_retention,
        ),
        corrections=retention.corrections + corrections,
        share_exceeded=retention.share_exceeded,
        too_small=retention.too_small,
        no_cover_per_claim=retention.given >= per_claim_limit,
    )


def _largest_share(tariff: Tariff, ask: OptionAsk) -> Decimal:
    return tariff.max_retention_share * ask.aggregate_limit
