"""The terms that a quote carries for the requested option, and the price of those terms."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import assert_never, get_args

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import AggregateRetention, InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk, Risk, Terms
from bindery.domain.products import RetentionBasis, all_products, record_of
from bindery.domain.rating.formula import work_out
from bindery.domain.rating.tariff import RetentionRules, Tariff
from bindery.domain.rating.worksheet import Part, Worksheet, add_up, rounded_premium
from bindery.domain.submission.value import NO_EFFECT, Correction
from bindery.domain.text import listed


@dataclass(frozen=True, slots=True)
class SettledTerms:
    """Terms that can be priced, their corrections, and the flags for an underwriter.

    `share_exceeded`: the requested retention is too large a share of the aggregate limit. `too_small`: the
    limit is too small for the firm, whose lowest retention is too large a share of it. `no_cover_per_claim`:
    the retention reaches the per-claim limit, so that no claim would be paid.
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
    if ask.per_claim_limit is not None and ask.per_claim_limit > ask.aggregate_limit:
        raise ValueError(
            f"per-claim limit {ask.per_claim_limit} exceeds aggregate limit {ask.aggregate_limit}"
        )
    record = record_of(product)
    match record.retention:
        case RetentionBasis.AGGREGATE:
            field, asked, rules = "aggregate_retention", ask.aggregate_retention, tariff.aggregate_retention
        case RetentionBasis.PER_CLAIM:
            field, asked, rules = "per_claim_retention", ask.per_claim_retention, tariff.per_claim_retention
        case _:
            assert_never(record.retention)
    retention = _settle_retention(
        field,
        asked,
        rules=rules,
        listed=tuple(record.formulas[0].part_of(tariff).retentions),
        largest=tariff.max_retention_share * ask.aggregate_limit,
        revenue=revenue,
    )
    terms = replace(ask.as_terms(), **{field: retention.given})
    if record.retention is RetentionBasis.PER_CLAIM:
        cap, corrections = _settle_cap(ask.aggregate_retention, retention.given)
        terms = replace(terms, aggregate_retention=cap)
    else:
        corrections = _unused_per_claim(ask.per_claim_retention)
        terms = replace(terms, per_claim_retention=None)
    return SettledTerms(
        terms=terms,
        corrections=retention.corrections + corrections,
        share_exceeded=retention.share_exceeded,
        too_small=retention.too_small,
        no_cover_per_claim=retention.given >= terms.per_claim_limit,
    )


def _unused_per_claim(asked: int | None) -> tuple[Correction, ...]:
    if asked is None:
        return ()
    applies_to = [record.product for record in all_products() if record.retention is RetentionBasis.PER_CLAIM]
    text = f"A per-claim retention has no effect: it applies to {listed(applies_to)} only"
    return (Correction("per_claim_retention", asked, None, text, NO_EFFECT),)


def _settle_retention(
    field: str,
    asked: int | None,
    *,
    rules: RetentionRules,
    listed: tuple[int, ...],
    largest: Decimal,
    revenue: int,
) -> _Retention:
    """Use the requested retention, or the usual one where the limit allows it; never below the minimum."""
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


def rate(tariff: Tariff, risk: Risk, terms: Terms, *, hazard_group: int) -> Worksheet:
    """Price one option; the hazard group of the industry matters to CYB alone.

    Raises:
        LookupError: the tariff does not price a limit, retention, option or hazard group.
        ValueError: the terms lack the retention that the product is priced by.
    """
    (worksheet,) = rate_options(tariff, risk, (terms,), hazard_group=hazard_group)
    return worksheet


def rate_options(
    tariff: Tariff, risk: Risk, options: Sequence[Terms], *, hazard_group: int
) -> tuple[Worksheet, ...]:
    """Price the options of one submission as `rate` does; shared factors are worked out once."""
    worked_out = (
        work_out(formula, tariff, risk, options, hazard_group) for formula in record_of(risk.product).formulas
    )
    minimums = tariff.minimum_premiums[risk.product]
    return tuple(
        _add_up(tariff, risk.product, parts, minimums[terms.aggregate_limit])
        for terms, *parts in zip(options, *worked_out, strict=True)
    )


def _add_up(tariff: Tariff, product: InsuranceProduct, parts: Sequence[Part], minimum: int) -> Worksheet:
    return Worksheet(
        product=product,
        tariff_edition=tariff.edition,
        tariff_fingerprint=tariff.fingerprint,
        parts=tuple(parts),
        minimum=minimum,
        premium=rounded_premium(add_up(part.amount for part in parts), minimum),
    )
