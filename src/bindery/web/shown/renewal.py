"""What becomes of a policy on the day it ends, in one sentence."""

from dataclasses import dataclass
from datetime import date
from typing import Final, assert_never

from bindery.contract.policy_ending import CancellationStatus, RenewalState, RenewalStop
from bindery.contract.quote import SIGNED_APPLICATION, QuoteBody
from bindery.contract.vocabulary import ContingencyStatus, QuoteStatus
from bindery.domain.policy.renewal import OFFERED_BEFORE, may_be_asked_for_from
from bindery.web.shown.words import Times, day, money

MINUS: Final = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is known of a policy's renewal; `price` is that of the offer, with the change in percent."""

    ends: date
    state: RenewalState
    stopped_by: RenewalStop | None
    in_force: bool
    is_owed: bool = False
    """Whether the offer waits for something, so that it does not renew by itself."""
    price: str = ""
    number: str = ""
    """The number of the policy that follows."""


def change_of_premium(before: int | None, after: int | None) -> str:
    if not before or after is None:
        return ""
    return f"{(after - before) / before:+.1%}".replace("-", MINUS) if after != before else "unchanged"


def dollars_of_change(before: int | None, after: int | None) -> str:
    if before is None or after is None or after == before:
        return ""
    return f"{'+' if after > before else MINUS}{money(abs(after - before))}"


def price_of_offer(total: str, before: int | None, after: int | None) -> str:
    change = change_of_premium(before, after)
    return f"{total} ({change})" if change else total


def outlook_of(body: QuoteBody, renewed_by: QuoteBody | None) -> Outlook | None:
    """Return the outlook of a policy; None for a quote without one."""
    if body.renewal is None or body.policy_number is None:
        return None
    price = ""
    if renewed_by is not None and renewed_by.total is not None:
        price = price_of_offer(f"${renewed_by.total:,.2f}", body.premium, renewed_by.premium)
    return Outlook(
        ends=body.dates.expiration,
        state=body.renewal.state,
        stopped_by=body.renewal.stopped_by,
        in_force=body.quote_status is QuoteStatus.POLICY_ACTIVE,
        is_owed=renewed_by is not None and _is_owed(renewed_by),
        price=price,
        number=(renewed_by.policy_number or "") if renewed_by is not None else "",
    )


def _is_owed(offer: QuoteBody) -> bool:
    return any(
        owed.status is ContingencyStatus.OPEN and not owed.text.startswith(SIGNED_APPLICATION)
        for owed in offer.contingencies
    )


def renewal_in_words(outlook: Outlook) -> str:  # noqa: PLR0911 - one line a state
    """Return what becomes of a policy on its last day; empty where it has ended without a renewal."""
    ends, state = day(outlook.ends), outlook.state
    match state:
        case RenewalState.BOUND:
            return f"Renewed as {outlook.number}." if outlook.number else "Renewed."
        case _ if not outlook.in_force:
            return ""
        case _ if outlook.stopped_by is RenewalStop.NOT_RENEWED:
            return f"Ends {ends}: not renewed by the insurer."
        case RenewalState.ENDS:
            return f"Ends {ends}: no renewal is made."
        case RenewalState.REFERRED:
            return f"Ends {ends} unless an underwriter offers the renewal, and it is bound."
        case RenewalState.NOT_DUE | RenewalState.OFFERED if outlook.stopped_by is not None:
            return f"Ends {ends} unless {_what_must_happen(outlook)}."
        case RenewalState.OFFERED:
            at = f" at {outlook.price}" if outlook.price else ""
            once = ", once everything open is closed and not before" if outlook.is_owed else ""
            return f"Renews by itself on {ends}{at}{once}."
        case RenewalState.NOT_DUE:
            return f"Renews by itself on {ends}; the offer comes on {day(outlook.ends - OFFERED_BEFORE)}."
        case _:
            assert_never(state)


def _what_must_happen(outlook: Outlook) -> str:
    is_offered = outlook.state is RenewalState.OFFERED
    if outlook.stopped_by is RenewalStop.HELD:
        return "an underwriter offers the renewal after a look at it"
    if outlook.stopped_by is RenewalStop.CANCELLATION_REQUESTED:
        by_hand = ", or the offer is bound" if is_offered else ""
        return f"its cancellation is decided against{by_hand}"
    at = f" at {outlook.price}" if is_offered and outlook.price else ""
    return f"the offer is bound{at}" if is_offered else "its renewal is bound"


def asked_for_from(outlook: Outlook, today: date) -> str:
    """Return from when the renewal of a policy that ends can be asked for; empty once it can be."""
    first = may_be_asked_for_from(outlook.ends)
    is_ending = (
        outlook.in_force
        and outlook.state is RenewalState.ENDS
        and outlook.stopped_by is not RenewalStop.NOT_RENEWED
    )
    return f"An offer can be asked for from {day(first)} on." if is_ending and today < first else ""


def cancellation_asked_for(body: QuoteBody, times: Times) -> str:
    asked = body.cancellation_request
    if asked is None or asked.status is not CancellationStatus.OPEN:
        return ""
    on = times.on(asked.requested_at).text
    return f"Cancellation from {day(asked.effective)} asked for on {on}, not decided yet."
