"""What a quote says about its own signature and bind."""

from datetime import date

from bindery.contract.binds import BindRequest
from bindery.contract.quote import SIGNED_APPLICATION, QuoteBody
from bindery.contract.quotes import PolicyDates
from bindery.contract.vocabulary import ContingencyStatus


def signature_contingency(quote: QuoteBody) -> str:
    """Return the id of the contingency that the signed application is for.

    Raises:
        ValueError: the quote needs none, such as a renewal on unchanged answers.
    """
    for contingency in quote.contingencies:
        is_open = contingency.status is ContingencyStatus.OPEN
        if is_open and contingency.text.startswith(SIGNED_APPLICATION):
            return contingency.contingency_id
    raise ValueError(f"Quote {quote.quote_identifier} does not need a signed application.")


def bind_request(quote: QuoteBody, *, attested: bool, effective: date | None) -> BindRequest:
    """Write the request that binds what was quoted; another first day keeps the length of the term."""
    dates = PolicyDates(effective=effective or quote.dates.effective)
    return BindRequest(quote_identifier=quote.quote_identifier, dates=dates, app_attestation=attested)
