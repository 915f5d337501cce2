"""The ways a policy ends: canceled by a person, lapsed for want of papers, or over."""

import uuid
from datetime import date

from bindery.actions.advance_quote import advance_quote
from bindery.actions.put_in_force import term_data
from bindery.actions.review_quote import lock_quote
from bindery.actions.write_mails import write_ending_mail, write_reinstatement_mail
from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.lifecycle import Trigger, find_move, sources_of
from bindery.domain.policy import REINSTATE_WITHIN, Policy, return_premium
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import policies, submissions
from bindery.storage.database import Reader, Tx

ACTOR = "timetable"


async def cancel_policy(
    runtime: Runtime, quote_id: uuid.UUID, *, on: date | None, reason: str, actor: str
) -> None:
    """Cancel a policy from a day on and work out what is given back.

    Raises:
        WrongState: there is no active policy.
        InvalidRequest: the day lies outside the policy's term.
    """
    async with runtime.database.transaction() as tx:
        quote, policy = await _policy(tx, quote_id)
        find_move(quote.status, Trigger.CANCEL)
        today = runtime.business_day(tx.now)
        day = on or max(today, policy.term.effective)
        if not policy.term.effective <= day < policy.term.expiration:
            flaw = (
                f"must be from {policy.term.effective} and before {policy.term.expiration}; today is {today}"
            )
            raise InvalidRequest.because([Problem("effective", "outside_term", flaw)])
        # Before the policy's own row is written: whoever offers a renewal takes the two in that order.
        await _withdraw_renewal(tx, policy, actor=actor)
        returned = return_premium(quote.premium or 0, policy.term, day)
        await policies.end(tx, policy, on=day, because=reason or "canceled", returned_premium=returned)
        data = {"reason": reason, "effective": day.isoformat(), "returned_premium": returned}
        canceled = await advance_quote(tx, quote, Trigger.CANCEL, actor=actor, data=data)
        await write_ending_mail(tx, canceled, await _again(tx, quote_id))


async def reinstate_policy(runtime: Runtime, quote_id: uuid.UUID, *, reason: str, actor: str) -> None:
    """Put a canceled policy back in force within 30 days of its cancellation.

    Raises:
        WrongState: it is not canceled, or was too long ago.
        AlreadyBound: the company has other cover by now.
    """
    async with runtime.database.transaction() as tx:
        quote, policy = await _policy(tx, quote_id)
        find_move(quote.status, Trigger.REINSTATE)
        assert policy.ended_on is not None, "a canceled policy has an end"
        today = runtime.business_day(tx.now)
        if today > policy.ended_on + REINSTATE_WITHIN:
            raise WrongState(
                f"The policy ended on {policy.ended_on} and could be reinstated for 30 days, by "
                f"{policy.ended_on + REINSTATE_WITHIN}; today is {today}.",
                status=quote.status,
                available_statuses=[QuoteStatus.POLICY_CANCELED],
            )
        await policies.reinstate(tx, policy)
        data = {
            "policy_number": policy.policy_number,
            **term_data(policy.term),
            "premium": quote.premium,
            "conditional": not policy.is_issued,
            "reason": reason,
        }
        reinstated = await advance_quote(tx, quote, Trigger.REINSTATE, actor=actor, data=data)
        await write_reinstatement_mail(tx, reinstated, policy)


async def lapse_binder(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Let a conditional binder lapse if it was not fulfilled in time; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote, policy = await _policy(tx, quote_id)
        today = runtime.business_day(tx.now)
        if not policy.is_lapsed(today):
            return
        await policies.end(tx, policy, on=today, because="lapsed", keeps_days=False)
        data = {
            "policy_number": policy.policy_number,
            "reason": f"The conditional binder was not fulfilled by {policy.fulfil_by}.",
        }
        lapsed = await advance_quote(tx, quote, Trigger.LAPSE, actor=ACTOR, data=data)
        await write_ending_mail(tx, lapsed, await _again(tx, quote_id))


async def end_term(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """End a policy whose term is over, at 12:01 a.m. of its expiration date; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote, policy = await _policy(tx, quote_id)
        today = runtime.business_day(tx.now)
        if not policy.in_force or not policy.is_issued or policy.term.expiration > today:
            return
        await policies.end(tx, policy, on=policy.term.expiration, because="expired")
        await advance_quote(
            tx, quote, Trigger.END_TERM, actor=ACTOR, data={"policy_number": policy.policy_number}
        )


async def _withdraw_renewal(tx: Tx, policy: Policy, *, actor: str) -> None:
    """Revoke the renewal of a canceled policy, be it offered, at the desk or still being worked on."""
    if policy.renewal_submission_id is None:
        return
    key, revocable = policy.renewal_submission_id, sources_of(Trigger.REVOKE)
    for renewal in (await submissions.lock_options(tx, [key], revocable))[key]:
        await advance_quote(tx, renewal, Trigger.REVOKE, actor=actor, data={"reason": "policy_canceled"})
        await policies.forget_renewal(tx, policy.quote_id)


async def _again(tx: Reader, quote_id: uuid.UUID) -> Policy:
    ended = await policies.find(tx, quote_id)
    assert ended is not None, "the policy has just been ended"
    return ended


async def _policy(tx: Tx, quote_id: uuid.UUID) -> tuple[Quote, Policy]:
    quote = await lock_quote(tx, quote_id)
    policy = await policies.find(tx, quote_id)
    if policy is None:
        raise WrongState(
            f"A quote that is {quote.status} has no policy.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_ACTIVE],
        )
    return quote, policy
