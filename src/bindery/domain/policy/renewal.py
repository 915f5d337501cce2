"""Renewals: when and on which terms they are offered, and when their brokers are reminded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final
from uuid import UUID

import msgspec
from dateutil.relativedelta import relativedelta

from bindery.base.errors import AlreadyBound, InvalidRequest, Problem, WrongState
from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Term, Terms, whole_months
from bindery.domain.policy.contingencies import Contingency, in_the_way
from bindery.domain.policy.policy import Policy, RenewalRuling, RenewalType
from bindery.domain.products import record_of
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY, OVER, WERE_BOUND
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import ABOUT_THE_APPLICANT, Submission

OFFERED_BEFORE: Final = timedelta(days=60)
ASKED_FOR_BEFORE: Final = timedelta(days=90)
"""How long before its end an offer may be asked for."""
REMINDERS_BEFORE: Final = (timedelta(days=30), timedelta(days=10))


def renewed_term(term: Term, product: InsuranceProduct) -> Term:
    months = whole_months(term.effective, term.expiration)
    return Term(
        effective=term.expiration,
        expiration=term.expiration + relativedelta(months=months),
        retroactive=record_of(product).retroactive_date(term),
    )


def renewal_of(submission: Submission, policy: Policy, terms: Terms) -> Submission:
    asked_again = OptionAsk(
        aggregate_limit=terms.aggregate_limit,
        aggregate_retention=terms.aggregate_retention,
        per_claim_limit=terms.per_claim_limit,
        per_claim_retention=terms.per_claim_retention,
    )
    return replace(
        submission,
        term=renewed_term(policy.term, submission.product),
        options=(asked_again,),
        # What else was said is about the request that is renewed, and is not asked for again.
        corrections=tuple(c for c in submission.corrections if c.code in ABOUT_THE_APPLICANT),
    )


def with_contacts(body: str, contacts: str | None) -> str:
    if contacts is None:
        return body
    request = msgspec.json.decode(body)
    request["client"].update(msgspec.json.decode(contacts))
    return msgspec.json.encode(request).decode()


def binds_automatically(policy: Policy, owed: Iterable[Contingency]) -> bool:
    stop = stopped_by(
        policy.renewal_type, cancellation_open=policy.cancellation_open, ruling=policy.renewal_ruling
    )
    return stop is None and not in_the_way(owed)


def stopped_by(
    renewal_type: RenewalType, *, cancellation_open: bool, ruling: RenewalRuling | None = None
) -> RenewalStop | None:
    """Return what keeps a policy from renewing by itself: what was decided, or has to be."""
    if ruling is RenewalRuling.NOT_RENEWED:
        return RenewalStop.NOT_RENEWED
    if cancellation_open:
        return RenewalStop.CANCELLATION_REQUESTED
    if renewal_type is RenewalType.MANUAL:
        return RenewalStop.PAUSED
    return RenewalStop.HELD if ruling is RenewalRuling.HELD else None


_STATE_OF_RENEWAL: Final[Mapping[QuoteStatus, RenewalState]] = {
    **dict.fromkeys(NOT_READY, RenewalState.NOT_DUE),
    **dict.fromkeys(AT_THE_DESK, RenewalState.REFERRED),
    **dict.fromkeys(BINDABLE, RenewalState.OFFERED),
    # A lapsed binder is an expired quote: none came of it.
    **dict.fromkeys(WERE_BOUND, RenewalState.BOUND),
}


def state_of_renewal(
    renewal: QuoteStatus | None, *, in_force: bool, renewal_type: RenewalType, is_settled: bool = False
) -> RenewalState:
    """Return where the renewal of a policy stands; `renewal` is the status of the quote that renews it."""
    if renewal is not None:
        return _STATE_OF_RENEWAL.get(renewal, RenewalState.ENDS)
    awaits_one = in_force and renewal_type is RenewalType.AUTO and not is_settled
    return RenewalState.NOT_DUE if awaits_one else RenewalState.ENDS


def may_be_asked_for_from(expiration: date) -> date:
    return expiration - ASKED_FOR_BEFORE


def may_ask_for_renewal(policy: Policy, today: date) -> bool:
    return (
        policy.in_force
        and policy.is_issued
        and policy.renewal_submission_id is None
        and policy.renewal_ruling is not RenewalRuling.NOT_RENEWED
        and may_be_asked_for_from(policy.term.expiration) <= today < policy.term.expiration
    )


def check_renewal_asked_for(quote: Quote, policy: Policy, *, cover: Policy | None, today: date) -> None:
    """Refuse to offer the renewal of a policy for which none was made yet.

    `cover` is the company's policy for the time after it.

    Raises:
        WrongState: it is not an issued policy in force, or the insurer does not renew it.
        InvalidRequest: it is too early; the message has the first day.
        AlreadyBound: the company has cover for the time after it.
    """
    ends = policy.term.expiration
    if not policy.in_force or not policy.is_issued or ends <= today:
        is_binder = policy.is_conditional
        why = "a binder has to be fulfilled first" if is_binder else "it is not in force"
        raise WrongState(
            f"No renewal of this policy can be offered: {why}.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_ACTIVE],
        )
    if policy.renewal_ruling is RenewalRuling.NOT_RENEWED:
        raise WrongState(
            f"The insurer does not renew this policy: it ends on {ends}.",
            status=quote.status,
            available_statuses=[],
        )
    first = may_be_asked_for_from(ends)
    if today < first:
        flaw = f"The policy ends on {ends}. Its renewal can be asked for from {first}; today is {today}."
        raise InvalidRequest.because([Problem("", "too_early", flaw)])
    if cover is not None:
        raise AlreadyBound(cover.number)


def check_renewal_stands(renewal: Quote) -> None:
    """Refuse to offer a renewal again that has ended."""
    if renewal.status in OVER:
        raise WrongState(
            f"The renewal {renewal.quote_id} is over: {OVER[renewal.status]}. Ask for a new quote with "
            "POST /quotes and the same company_id.",
            status=renewal.status,
            available_statuses=[*BINDABLE, *AT_THE_DESK],
        )


def reminders_due(expiration: date, today: date) -> int:
    return sum(1 for before in REMINDERS_BEFORE if expiration - before <= today)


def is_reminder_due(policy: Policy, today: date) -> bool:
    is_offered = policy.renewal_quote_id is not None and not policy.renewal_settled
    return is_offered and reminders_due(policy.term.expiration, today) > policy.reminders_sent


def is_renewal_due(policy: Policy, today: date) -> bool:
    return (
        policy.in_force
        and policy.is_issued
        and policy.renewal_type is RenewalType.AUTO
        and policy.renewal_submission_id is None
        and not policy.renewal_settled
        and policy.term.expiration - OFFERED_BEFORE <= today
    )


@dataclass(frozen=True, slots=True)
class SubmitRenewal:
    """Submit the policy again."""


@dataclass(frozen=True, slots=True)
class SkipRenewal:
    """Make no renewal: the company already has cover for the time after the policy."""


@dataclass(frozen=True, slots=True)
class BindRenewal:
    """Bind the renewal as it was offered."""


@dataclass(frozen=True, slots=True)
class PassOverRenewal:
    instead: UUID


@dataclass(frozen=True, slots=True)
class LeaveRenewal:
    """Leave it as it is."""


RenewalDecision = SubmitRenewal | SkipRenewal | LeaveRenewal
Settlement = BindRenewal | PassOverRenewal | LeaveRenewal


def decide_renewal(policy: Policy, *, cover: Policy | None, today: date) -> RenewalDecision:
    """Decide whether a policy is submitted again; `cover` is the company's policy for the time after it."""
    if not is_renewal_due(policy, today):
        return LeaveRenewal()
    return SubmitRenewal() if cover is None else SkipRenewal()


def decide_settlement(
    policy: Policy, renewal: Quote, *, owed: Iterable[Contingency], cover: Policy | None
) -> Settlement:
    """Decide the outcome of a renewal on the day its policy ends; `cover` is other cover for its time."""
    # An offer that was passed over for a bind that was refused has come back as published.
    if renewal.status not in BINDABLE or not binds_automatically(policy, owed):
        return LeaveRenewal()
    return BindRenewal() if cover is None else PassOverRenewal(cover.quote_id)


def awaits_settlement(policy: Policy, today: date) -> bool:
    return (
        policy.renewal_quote_id is not None and not policy.renewal_settled and policy.term.expiration <= today
    )
