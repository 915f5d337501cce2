"""A request made once more for the same company: the same applicant and answers, other terms."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import msgspec
from dateutil.relativedelta import relativedelta

from bindery.domain.applicant.risk import OptionAsk, Term, whole_months
from bindery.domain.policy.binding import first_days
from bindery.domain.quote.lifecycle import IN_PIPELINE, OPEN_OFFERS
from bindery.domain.quote.quote import Quote


def term_again(term: Term, today: date) -> Term:
    """Return the quoted term, or one as long from tomorrow on where its first day is too long ago."""
    first, _ = first_days(today)
    if term.effective >= first:
        return term
    begins = today + timedelta(days=1)
    months = whole_months(term.effective, term.expiration)
    return Term(begins, begins + relativedelta(months=months), term.retroactive)


def request_again(body: str, company_id: int, term: Term) -> dict[str, Any]:
    """Return a stored request for the same company with this term; what else it says stays."""
    request: dict[str, Any] = msgspec.json.decode(body)
    policy = request.get("policy") or {}
    dates = {"effective": term.effective.isoformat(), "expiration": term.expiration.isoformat()}
    return {
        **request,
        "client": {**request["client"], "company_id": str(company_id)},
        "policy": {**policy, "dates": {**(policy.get("dates") or {}), **dates}},
    }


def asked_again(body: str, company_id: int, ask: OptionAsk, term: Term) -> dict[str, Any]:
    """Return a stored request with one option and this term; what else it says stays."""
    request = request_again(body, company_id, term)
    terms = {name: value for name in OptionAsk.__slots__ if (value := getattr(ask, name)) is not None}
    return {**request, "policy": {**request["policy"], "quotes": [terms]}}


def same_terms(ask: OptionAsk, options: Iterable[Quote]) -> Quote | None:
    """Return the option that is open on these terms, or being worked out."""
    for option in options:
        if option.status in OPEN_OFFERS and option.terms == ask.as_terms():
            return option
        if option.status in IN_PIPELINE and option.ask.as_terms() == ask.as_terms():
            return option
    return None
