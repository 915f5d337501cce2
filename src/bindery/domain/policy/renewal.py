"""Renewals: when and on which terms they are offered, and when their brokers are reminded."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final
from uuid import UUID

import msgspec
from dateutil.relativedelta import relativedelta

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk, Term, Terms, whole_months
from bindery.domain.policy.contingencies import Contingency, in_the_way
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.products import record_of
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import ABOUT_THE_APPLICANT, Submission

OFFERED_BEFORE: Final = timedelta(days=60)
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
    return policy.renewal_type is RenewalType.AUTO and not in_the_way(owed)


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
