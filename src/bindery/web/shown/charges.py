"""What is paid on top of a premium, and what it all comes to."""

from collections.abc import Sequence
from dataclasses import dataclass

from bindery.domain.quote.price import total_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.surcharges import Surcharge
from bindery.web.shown.words import cents


@dataclass(frozen=True, slots=True)
class ShownCharges:
    """The taxes and fees on a premium by their names, and the total."""

    premium: str
    lines: tuple[tuple[str, str], ...]
    total: str


def shown_charges(quote: Quote) -> ShownCharges | None:
    """Show what is paid in all for an option as it is priced; None where it has no price."""
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if quote.premium is None or record is None or record.surcharges_effective_from is None:
        return None
    return ShownCharges(
        premium=cents(quote.premium), lines=_lines(record.surcharges), total=cents(total_of(quote, record))
    )


def _lines(surcharges: Sequence[Surcharge]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            f"{surcharge.title}, {surcharge.percentage.normalize():f} %"
            if surcharge.percentage
            else surcharge.title,
            cents(surcharge.price),
        )
        for surcharge in surcharges
    )
