"""The ways a policy ends: canceled by a person, lapsed for want of papers, or over."""

import uuid
from datetime import date

from bindery.actions.advance_quote import advance_quote
from bindery.actions.review_quote import lock_quote
from bindery.actions.write_mails import write_ending_mail
from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.lifecycle import Trigger, find_move, may
from bindery.domain.policy import REINSTATE_WITHIN, Policy, return_premium
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import policies
from bindery.storage.database import Tx

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
        day = on or max(runtime.business_day(tx.now), policy.term.effective)
        if not policy.term.effective <= day < policy.term.expiration:
            flaw = f"must be from {policy.term.effective} and before {policy.term.expiration}"
            raise InvalidRequest.because([Problem("effective", "outside_term", flaw)])
        returned = return_premium(quote.premium or 0, policy.term, day)
        await policies.end(tx, policy, on=day, because=reason or "canceled", returned_premium=returned)
        data = {"reason": reason, "effective": day.isoformat(), "returned_premium": returned}
        await advance_quote(tx, quote, Trigger.CANCEL, actor=actor, data=data)
        await _withdraw_renewal(tx, policy, actor=actor)
        await _write_to_people(tx, quote)


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
        if runtime.business_day(tx.now) > policy.ended_on + REINSTATE_WITHIN:
            raise WrongState(
                f"The policy ended on {policy.ended_on}, more than 30 days ago.",
                available_statuses=[QuoteStatus.POLICY_CANCELED],
            )
        await policies.reinstate(tx, policy)
        data = {"reason": reason, "policy_number": policy.policy_number}
        await advance_quote(tx, quote, Trigger.REINSTATE, actor=actor, data=data)


async def lapse_binder(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Let a conditional binder lapse if it was not fulfilled in time; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote, policy = await _policy(tx, quote_id)
        today = runtime.business_day(tx.now)
        if not policy.in_force or policy.is_issued or policy.fulfil_by is None or policy.fulfil_by >= today:
            return
        await policies.end(tx, policy, on=today, because="lapsed", keeps_days=False)
        await advance_quote(
            tx, quote, Trigger.LAPSE, actor=ACTOR, data={"policy_number": policy.policy_number}
        )
        await _write_to_people(tx, quote)


async def end_term(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """End a policy whose term is over; otherwise leave it. Cover ends at 12:01 a.m. of the expiration date."""
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
    """Revoke the open renewal of a policy that was canceled."""
    if policy.renewal_quote_id is None:
        return
    renewal = await lock_quote(tx, policy.renewal_quote_id)
    if may(renewal.status, Trigger.REVOKE):
        await advance_quote(tx, renewal, Trigger.REVOKE, actor=actor, data={"reason": "policy_canceled"})


async def _write_to_people(tx: Tx, quote: Quote) -> None:
    ended = await policies.find(tx, quote.quote_id)
    assert ended is not None, "the policy has just been ended"
    await write_ending_mail(tx, quote, ended)


async def _policy(tx: Tx, quote_id: uuid.UUID) -> tuple[Quote, Policy]:
    quote = await lock_quote(tx, quote_id)
    policy = await policies.find(tx, quote_id)
    if policy is None:
        raise WrongState(
            f"A quote that is {quote.status} has no policy.", available_statuses=[QuoteStatus.POLICY_ACTIVE]
        )
    return quote, policy
