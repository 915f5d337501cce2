"""What becomes of the options that were passed over for a bind, once that bind is refused."""

from dataclasses import replace
from datetime import date

from bindery.contract.events import QuotePublished, QuoteReferred
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote, Walk, is_expired
from bindery.domain.quote.underwriting import reasons_of


def come_back(quote: Quote, *, today: date, actor: str) -> Walk | None:
    """Return the walk back of an option: an offer opens again, a referral returns to the desk.

    None where its last day is past by now.
    """
    back = Walk(replace(quote, passed_over_for=None), ())
    if quote.expires_on is None:
        return back.then(Trigger.RETURN_TO_DESK, actor, QuoteReferred(reasons=reasons_of(quote)))
    if is_expired(quote.expires_on, today=today):
        return None
    published = QuotePublished(premium=quote.premium, quote_expiration_date=quote.expires_on)
    return back.then(Trigger.REOPEN, actor, published)
