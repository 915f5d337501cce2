"""How quotes and policies end: requested and decided cancellations, and dates that have come."""

from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.quote import CancellationBody, CancellationStatus
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import REINSTATE_WITHIN, Policy, RenewalType, return_premium
from bindery.domain.quote.lifecycle import BINDABLE, Trigger, find_move
from bindery.domain.quote.quote import Quote, is_expired


@dataclass(frozen=True, slots=True)
class Cancellation:
    on: date
    returned_premium: int


def decide_cancel(quote: Quote, policy: Policy, *, on: date | None, today: date) -> Cancellation:
    """Work out a cancellation as of a day; without one, as of today or the first day of the term."""
    find_move(quote.status, Trigger.CANCEL)
    term = policy.term
    day = on or max(today, term.effective)
    if not term.effective <= day < term.expiration:
        flaw = f"must be from {term.effective} and before {term.expiration}; today is {today}"
        raise InvalidRequest.because([Problem("effective", "outside_term", flaw)])
    return Cancellation(day, return_premium(quote.premium or 0, term, day))


def reinstate_by(canceled_on: date) -> date:
    """Return the last day to reinstate a policy that was canceled on a day.

    The day from which cover ends does not count: it may lie months back, and a mistake is noticed later.
    """
    return canceled_on + REINSTATE_WITHIN


def check_reinstatable(quote: Quote, *, canceled_on: date | None, today: date) -> None:
    find_move(quote.status, Trigger.REINSTATE)
    assert canceled_on is not None, "the journal of a canceled policy has its cancellation"
    last_day = reinstate_by(canceled_on)
    if today > last_day:
        raise WrongState(
            f"The policy was canceled on {canceled_on} and could be reinstated for 30 days, by {last_day}; "
            f"today is {today}.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_CANCELED],
        )


@dataclass(frozen=True, slots=True)
class EndTerm:
    on: date


@dataclass(frozen=True, slots=True)
class ExpireQuote:
    """Close the quote: its last day is past."""


@dataclass(frozen=True, slots=True)
class LeaveOpen:
    """Leave it as it is."""


def decide_term_end(policy: Policy, today: date) -> EndTerm | LeaveOpen:
    """Decide whether an issued policy in force has come to the end of its term.

    After an outage a policy that renews automatically may be past its day before its renewal was submitted:
    that comes first.
    """
    awaits_renewal = (
        policy.renewal_type is RenewalType.AUTO
        and policy.renewal_submission_id is None
        and not policy.renewal_settled
    )
    is_over = policy.in_force and policy.is_issued and policy.term.expiration <= today
    return EndTerm(policy.term.expiration) if is_over and not awaits_renewal else LeaveOpen()


def decide_expiry(quote: Quote, renewed: Policy | None, today: date) -> ExpireQuote | LeaveOpen:
    """Decide whether an open quote is past its last day; `renewed` is the policy that it would renew.

    After an outage an offer may be past its day before anybody checked whether it renews: that comes first.
    """
    if quote.status not in BINDABLE or quote.expires_on is None:
        return LeaveOpen()
    awaits_renewal = (
        renewed is not None and renewed.renewal_quote_id == quote.quote_id and not renewed.renewal_settled
    )
    is_past = is_expired(quote.expires_on, today=today)
    return ExpireQuote() if is_past and not awaits_renewal else LeaveOpen()


class KeptRequest(msgspec.Struct, frozen=True, kw_only=True):
    effective: date
    reason: str
    at: datetime

    def is_like(self, other: "KeptRequest | None") -> bool:
        return other is not None and (self.effective, self.reason) == (other.effective, other.reason)


read_request = msgspec.json.Decoder(KeptRequest).decode


def shown_request(kept: str, answer: str | None, status: QuoteStatus, *, is_open: bool) -> CancellationBody:
    request = read_request(kept)
    if is_open:
        came = CancellationStatus.OPEN
    elif answer is not None:
        came = CancellationStatus.DECLINED
    elif status is QuoteStatus.POLICY_CANCELED:
        came = CancellationStatus.GRANTED
    else:
        came = CancellationStatus.OVERTAKEN
    return CancellationBody(
        effective=request.effective,
        reason=request.reason,
        requested_at=request.at,
        status=came,
        answer=answer or None,
    )
