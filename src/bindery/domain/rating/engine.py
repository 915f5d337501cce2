"""The price of one option: the formulas of its product, added up, and the minimum premium."""

from collections.abc import Sequence

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Risk, Terms
from bindery.domain.products import record_of
from bindery.domain.rating.formula import work_out
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.worksheet import Part, Worksheet, add_up, rounded_premium


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
