"""How quotes and policies end: requested cancellations, and dates that have come."""

from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from bindery.contract.policy_ending import CancellationBody, CancellationReason, CancellationStatus
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote, is_expired


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
    reason: CancellationReason
    text: str = ""
    at: datetime

    def is_like(self, other: "KeptRequest | None") -> bool:
        return other is not None and msgspec.structs.replace(other, at=self.at) == self


class _InWords(msgspec.Struct):
    effective: date
    reason: str
    at: datetime
    text: str = ""


_read_request = msgspec.json.Decoder(_InWords).decode


def read_request(kept: str) -> KeptRequest:
    """Read a request; the reasons of the first ones were the partner's own words."""
    request = _read_request(kept)
    if request.reason in set(CancellationReason):
        return msgspec.convert(request, KeptRequest, from_attributes=True)
    return KeptRequest(
        effective=request.effective,
        reason=CancellationReason.INSURED_REQUEST,
        text=request.reason,
        at=request.at,
    )


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
        text=request.text,
        requested_at=request.at,
        status=came,
        answer=answer or None,
    )
