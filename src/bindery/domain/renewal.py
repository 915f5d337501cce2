"""Renewals: when they are offered, on what terms, and when their brokers are reminded."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Final, assert_never

from dateutil.relativedelta import relativedelta

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy import Policy
from bindery.domain.risk import OptionAsk, Term, Terms
from bindery.domain.submission.value import Submission

OFFERED_BEFORE: Final = timedelta(days=60)
REMINDERS_BEFORE: Final = (timedelta(days=30), timedelta(days=10))
SHORTEST_MONTHS: Final = 6
LONGEST_MONTHS: Final = 18


def renewed_term(term: Term, product: InsuranceProduct) -> Term:
    """Give the period after this one, as long as this one, with the cover reaching back as far as it did."""
    span = relativedelta(term.expiration, term.effective)
    months = min(max(span.years * 12 + span.months, SHORTEST_MONTHS), LONGEST_MONTHS)
    renewed = Term(effective=term.expiration, expiration=term.expiration + relativedelta(months=months))
    match product:
        case InsuranceProduct.TEO:
            return replace(renewed, teo_retroactive=term.teo_retroactive or term.effective)
        case InsuranceProduct.MPL:
            return replace(renewed, mpl_retroactive=term.mpl_retroactive or term.effective)
        case InsuranceProduct.CYB:
            return renewed
        case _:
            assert_never(product)


def renewal_of(submission: Submission, policy: Policy, terms: Terms) -> Submission:
    """Submit an expiring policy again: the same facts and terms for the next period."""
    asked_again = OptionAsk(
        aggregate_limit=terms.aggregate_limit,
        aggregate_retention=terms.aggregate_retention,
        per_claim_limit=terms.per_claim_limit,
        per_claim_retention=terms.per_claim_retention,
    )
    return replace(submission, term=renewed_term(policy.term, submission.product), options=(asked_again,))


def reminders_due(expiration: date, today: date) -> int:
    """Say how many reminders of a renewal should have gone out by today."""
    return sum(1 for before in REMINDERS_BEFORE if expiration - before <= today)
