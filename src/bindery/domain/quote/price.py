"""The price of a quote as partners see it."""

from decimal import Decimal
from typing import Final

from bindery.base.errors import ChangedMeanwhile
from bindery.base.money import in_dollars
from bindery.domain.quote.lifecycle import WITHOUT_PREMIUM
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, from_record

NOT_ASSESSED: Final = AssessmentRecord(corrections=[], reasons=[])


def has_price(quote: Quote) -> bool:
    """Whether partners see a price: one that was published, and no machine's guess at a referral."""
    return quote.premium is not None and quote.status not in WITHOUT_PREMIUM and quote.expires_on is not None


def total_of(quote: Quote, record: AssessmentRecord | None = None) -> Decimal:
    """Return premium, taxes and fees of a quote that has a price."""
    if record is None:
        record = from_record(quote.assessment) if quote.assessment is not None else NOT_ASSESSED
    return sum((surcharge.price for surcharge in record.surcharges), start=Decimal(quote.premium or 0))


def check_as_shown(premium: int | None, shown: int | None) -> None:
    """Refuse to offer at a premium other than the one that was seen on a page: 0 where it had none.

    Raises:
        ChangedMeanwhile: it has changed by now.
    """
    if shown is not None and premium != shown:
        seen = in_dollars(shown) if shown else "none"
        raise ChangedMeanwhile(f"The premium is now {in_dollars(premium or 0)}; the page showed {seen}.")
