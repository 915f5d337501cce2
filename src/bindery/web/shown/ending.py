"""How cover ended, in words."""

from typing import Final

from bindery.contract.quote import DecisionBody, DecisionKind, QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.web.shown.words import day, money

ASK_FOR_ANOTHER: Final = "Ask for a new quote."
CHOSEN_LAPSED: Final = f"Another option was bound, but its binder lapsed. {ASK_FOR_ANOTHER}"


def is_lapsed(body: QuoteBody) -> bool:
    """Whether it was bound on condition, and the condition was not met."""
    return body.decision is not None and body.decision.kind is DecisionKind.LAPSED


def ending(body: QuoteBody) -> str:
    """Return how the cover of a quote ended; empty where it has not, or there was none."""
    if is_lapsed(body):
        by = f" by {day(body.binder.fulfil_by)}" if body.binder is not None else ""
        return (
            f"The conditional binder {body.policy_number} lapsed: what was open was not closed{by}. "
            f"It counts as never in force. {ASK_FOR_ANOTHER}"
        )
    if body.quote_status is QuoteStatus.POLICY_EXPIRED:
        return f"The policy ended on {day(body.dates.expiration)}."
    if body.quote_status is QuoteStatus.POLICY_CANCELED and body.decision is not None:
        return _canceled(body.decision)
    return ""


def _canceled(decision: DecisionBody) -> str:
    since = f" from {day(decision.effective)} on" if decision.effective is not None else ""
    back = f"; {money(decision.returned_premium)} is returned" if decision.returned_premium else ""
    return f"The policy was canceled{since}{back}. {decision.reason or ''}".strip()


def term_shown(body: QuoteBody) -> str:
    """Return the period of cover, and what cut it short."""
    term = f"{day(body.dates.effective)} to {day(body.dates.expiration)}"
    if is_lapsed(body):
        return f"{term}, never in force"
    decision = body.decision
    is_canceled = body.quote_status is QuoteStatus.POLICY_CANCELED
    if is_canceled and decision is not None and decision.effective is not None:
        return f"{term}, canceled from {day(decision.effective)} on"
    return term


def unrenewed(body: QuoteBody) -> str:
    """Return how the last policy of a company ended."""
    if body.quote_status is QuoteStatus.POLICY_EXPIRED:
        return f"Policy {body.policy_number} ended on {day(body.dates.expiration)} and was not renewed."
    return ending(body)
