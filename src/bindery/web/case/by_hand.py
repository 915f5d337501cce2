"""A premium that a person set where the tariff has none."""

from dataclasses import dataclass

from bindery.domain.quote.by_hand import is_set_by_hand
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.web.shown.words import money


@dataclass(frozen=True, slots=True)
class ShownByHand:
    """The premium, who set it and why; nobody yet while it is thought about."""

    premium: str
    who: str
    why: str


def shown_by_hand(quote: Quote) -> ShownByHand | None:
    """Show a premium without factors; None where the tariff has one."""
    record = from_record(quote.assessment) if quote.assessment is not None else None
    if record is None or record.override is None or not is_set_by_hand(record):
        return None
    return ShownByHand(money(quote.premium), record.override["by"], record.override["reason"])
