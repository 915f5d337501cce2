"""Why a quote cannot be bound any more, or not yet, and what to do about it."""

from collections.abc import Mapping
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote

S = QuoteStatus

ASK_AGAIN: Final = "Ask for a new quote with POST /quotes and the same company_id."

WITHOUT_POLICY: Final[Mapping[QuoteStatus, str]] = {
    S.QUOTE_REFERRED: "The quote is waiting for an underwriter and can be bound once it is published.",
    S.STALE: f"Nobody decided the referral within 60 days. {ASK_AGAIN}",
    S.QUOTE_DECLINED: "The quote was declined; its decision says why.",
    S.QUOTE_REVOKED: f"The quote was revoked; its decision says why. {ASK_AGAIN}",
    S.QUOTE_BIND_REQUESTED: "A bind of the quote has already been requested; an underwriter will decide on "
    "it.",
}


def why_not_bindable(quote: Quote, *, policy: Policy | None, chosen: Policy | None) -> str:
    """Return why a quote is not open, and the next step.

    `policy` is the bind of this quote, `chosen` that of the option it was passed over for.
    """
    if quote.status in WITHOUT_POLICY:
        return WITHOUT_POLICY[quote.status]
    if policy is not None:
        return _bound(quote, policy)
    if quote.status is S.QUOTE_NOT_BOUND:
        return f"{_passed_over(quote, chosen)} {ASK_AGAIN}"
    if quote.status in {*BINDABLE, S.QUOTE_EXPIRED}:
        return f"The quote expired on {quote.expires_on}. {ASK_AGAIN}"
    return f"A quote that is {quote.status} cannot be bound."


def _passed_over(quote: Quote, chosen: Policy | None) -> str:
    if chosen is None:
        return "Other cover of the company was bound instead."
    if chosen.policy_number is None:
        return f"The bind of another option, {quote.passed_over_for}, was requested instead."
    return f"Another option, {quote.passed_over_for}, was bound instead as {chosen.policy_number}."


def _bound(quote: Quote, policy: Policy) -> str:
    number = policy.policy_number
    match quote.status:
        case S.QUOTE_EXPIRED:
            lapsed = f"The conditional binder {number} lapsed: it had to be fulfilled by {policy.fulfil_by}."
            return f"{lapsed} {ASK_AGAIN}"
        case S.POLICY_CANCELED:
            return f"The policy {number} was canceled as of {policy.ended_on}. {ASK_AGAIN}"
        case S.POLICY_EXPIRED:
            return f"The policy {number} ended on {policy.term.expiration}. {ASK_AGAIN}"
        case _ if policy.is_issued:
            return f"The quote is already bound: the policy is {number}."
        case _:
            return (
                f"The quote is already bound, as the conditional binder {number}. Upload what is owed by "
                f"{policy.fulfil_by}; an underwriter closes it, and the policy is issued."
            )
