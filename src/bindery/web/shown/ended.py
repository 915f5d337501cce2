"""How a policy or a binder ended, or is about to, in words."""

from datetime import date
from typing import Final

from bindery.contract.policy_ending import CanceledPolicy
from bindery.contract.quote import DecisionKind, QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.cancellation import REASON_WORDS
from bindery.web.shown.words import day, money

ASK_FOR_ANOTHER: Final = "Ask for a new quote."
CHOSEN_LAPSED: Final = f"Another option was bound, but its binder lapsed. {ASK_FOR_ANOTHER}"


def is_lapsed(body: QuoteBody) -> bool:
    """Whether it was a binder for which not everything came in."""
    return body.decision is not None and body.decision.kind is DecisionKind.LAPSED


def canceled_ahead(body: QuoteBody, today: date) -> date | None:
    """Return the day from which a policy is canceled, while it is still in force until then."""
    if body.cancellation is None:
        return None
    effective = body.cancellation.effective
    return effective if effective > max(today, body.dates.effective) else None


def ending(body: QuoteBody, today: date) -> str:
    if is_lapsed(body):
        by = f" by {day(body.binder.fulfil_by)}" if body.binder is not None else ""
        return (
            f"The binder {body.policy_number} lapsed: what was open was not closed{by}. "
            f"It counts as never in force. {ASK_FOR_ANOTHER}"
        )
    if body.quote_status is QuoteStatus.POLICY_EXPIRED:
        return f"The policy ended on {day(body.dates.expiration)}."
    if body.cancellation is not None:
        return _canceled(body.cancellation, canceled_ahead(body, today))
    return ""


def _canceled(cancellation: CanceledPolicy, ahead: date | None) -> str:
    since = day(cancellation.effective)
    what = (
        f"The policy is in force until {since}, when its cancellation takes effect"
        if ahead
        else f"The policy was canceled from {since} on"
    )
    back = f"; {money(cancellation.returned)} is returned" if cancellation.returned else ""
    due = f"; {money(cancellation.due)} of earned premium is due" if cancellation.due else ""
    return f"{what}{back}{due}. {canceled_because(cancellation)}".strip()


def canceled_because(cancellation: CanceledPolicy) -> str:
    words = REASON_WORDS[cancellation.reason] if cancellation.reason else ""
    said = ": ".join(part for part in (words, cancellation.text) if part)
    return f"{said}." if said and not said.endswith((".", "!", "?")) else said


def term_shown(body: QuoteBody) -> str:
    term = f"{day(body.dates.effective)} to {day(body.dates.expiration)}"
    if is_lapsed(body):
        return f"{term}, never in force"
    if body.cancellation is not None:
        return f"{term}, canceled from {day(body.cancellation.effective)} on"
    return term


def unrenewed(body: QuoteBody, today: date) -> str:
    if body.quote_status is QuoteStatus.POLICY_EXPIRED:
        return f"Policy {body.policy_number} ended on {day(body.dates.expiration)} and was not renewed."
    return ending(body, today)
