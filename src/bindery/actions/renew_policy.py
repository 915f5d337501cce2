"""Renewal: a submission 60 days before the end, reminders, and the bind on the day."""

import hashlib
import uuid
from dataclasses import dataclass

import msgspec

from bindery.actions.advance_quote import advance_quote
from bindery.actions.bind_quote import pass_over_siblings
from bindery.actions.put_in_force import put_in_force
from bindery.actions.review_quote import lock_quote
from bindery.actions.submit_quotes import SubmitAsk, draft_intake
from bindery.actions.write_mails import write_offer_mail
from bindery.base.errors import Unpausable
from bindery.contract.binds import PauseRenewalResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.bind_ask import BindAsk
from bindery.domain.lifecycle import BINDABLE, Trigger
from bindery.domain.policy import Policy, RenewalType
from bindery.domain.practice import Practice
from bindery.domain.quote import Quote
from bindery.domain.renewal import (
    OFFERED_BEFORE,
    binds_itself,
    reminders_due,
    renewal_of,
    with_contacts,
)
from bindery.runtime import Runtime
from bindery.storage import contingencies, idempotency, intake, partners, policies, quotes, submissions
from bindery.storage.database import Tx

ACTOR = "timetable"
PAUSED = "Automatic renewal is paused; the policy renews by hand only."
NOTHING_TO_PAUSE = "There is no active policy of this identifier whose renewal could be paused."


async def submit_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Submit an expiring policy again on the same terms and answers, if it is due and renews by itself."""
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or not policy.in_force or not policy.is_issued or quote.terms is None:
            return
        if policy.renewal_type is not RenewalType.AUTO or policy.renewal_submission_id is not None:
            return
        if policy.term.expiration - OFFERED_BEFORE > runtime.business_day(tx.now):
            return
        stored = await submissions.get(tx, quote.submission_id)
        renewal = renewal_of(stored.submission, policy, quote.terms)
        if await policies.covered_by(tx, quote, renewal.term) is not None:
            # Somebody has seen to the time after this policy already.
            await policies.record_renewal(tx, quote_id, settled=True)
            return
        drafted = draft_intake(
            tx,
            SubmitAsk(
                partner=await partners.find_partner_by_id(tx, stored.partner_id),
                broker=await partners.find_broker_by_id(tx, stored.broker_id),
                submission=renewal,
                company_id=stored.company_id,
                body=with_contacts(stored.body, await policies.contacts_of(tx, quote_id)),
                idempotency_key=None,
                request_hash=b"",
            ),
        )
        await intake.write(tx, [drafted])
        await submissions.mark_renewal(tx, drafted.submission_id, renews=quote_id)
        await policies.record_renewal(tx, quote_id, submission_id=drafted.submission_id)


async def settle_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """On the day a policy ends, bind its open renewal, unless that was paused or something is owed."""
    async with runtime.database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or policy.renewal_quote_id is None or policy.renewal_settled:
            return
        if policy.term.expiration > runtime.business_day(tx.now):
            return
        await policies.record_renewal(tx, quote_id, settled=True)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        owed = await contingencies.of_quote(tx, renewal.quote_id)
        # An offer that was passed over for a bind that was refused has come back as published.
        if renewal.status in BINDABLE and binds_itself(policy, owed):
            await _bind_renewal(tx, runtime.practice, renewal)


async def _bind_renewal(tx: Tx, practice: Practice, renewal: Quote) -> None:
    """Bind an open renewal at the time for which it was offered, however late that is noticed."""
    stored = await submissions.get(tx, renewal.submission_id)
    term = stored.submission.term
    if await policies.covered_by(tx, renewal, term) is not None:
        # Other cover of the line was bound while the renewal was being worked on.
        await advance_quote(tx, renewal, Trigger.PASS_OVER, actor=ACTOR)
        return
    ask = BindAsk(
        term=term,
        attested=False,
        contacts=None,
        reaches_back=False,
        reaches_back_anew=False,
        fingerprint=hashlib.sha256(f"renewal:{renewal.quote_id}".encode()).digest(),
    )
    await policies.record_ask(tx, renewal, ask)
    await put_in_force(tx, practice, renewal, fulfil_by=None, actor=ACTOR)
    await pass_over_siblings(tx, renewal, actor=ACTOR)


async def remind_of_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Remind the broker of an open renewal offer, once 30 and once 10 days before it binds."""
    async with runtime.database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or policy.renewal_quote_id is None or policy.renewal_settled:
            return
        today = runtime.business_day(tx.now)
        due = reminders_due(policy.term.expiration, today)
        if due <= policy.reminders_sent:
            return
        await policies.record_renewal(tx, quote_id, reminders_sent=due)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        if renewal.status in BINDABLE and today < policy.term.expiration:
            await write_offer_mail(tx, runtime.practice, renewal, policy, reminder=due)


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseCall:
    """A request to pause a renewal, and who sent it."""

    quote_id: uuid.UUID
    partner_id: int
    actor: str
    idempotency_key: str | None
    request_hash: bytes


async def pause_renewal(runtime: Runtime, call: PauseCall) -> bytes:
    """Make a policy renew by hand only, and its renewal with it; pausing twice changes nothing more.

    Raises:
        Unpausable: there is no policy in force that could renew by itself.
        IdempotencyInFlight: the same key is being worked on.
        IdempotencyMismatch: the same key came with another request before.
    """
    async with runtime.database.transaction() as tx:
        key = call.idempotency_key
        if key is not None:
            first_answer = await idempotency.replay_or_hold(
                tx, partner_id=call.partner_id, key=key, request_hash=call.request_hash
            )
            if first_answer is not None:
                return first_answer
        policy = await _pausable(tx, runtime.practice, call.quote_id, partner_id=call.partner_id)
        await _set_renewal(tx, policy, RenewalType.MANUAL, Trigger.PAUSE_RENEWAL, actor=call.actor)
        answer = msgspec.json.encode(PauseRenewalResponse(PAUSED))
        if key is not None:
            await idempotency.record(
                tx, partner_id=call.partner_id, key=key, request_hash=call.request_hash, response=answer
            )
        return answer


async def resume_renewal(runtime: Runtime, quote_id: uuid.UUID, *, partner_id: int, actor: str) -> None:
    """Let a policy renew by itself again.

    Raises:
        Unpausable: there is no policy in force that could renew by itself.
    """
    async with runtime.database.transaction() as tx:
        policy = await _pausable(tx, runtime.practice, quote_id, partner_id=partner_id)
        await _set_renewal(tx, policy, RenewalType.AUTO, Trigger.RESUME_RENEWAL, actor=actor)


async def _pausable(tx: Tx, practice: Practice, quote_id: uuid.UUID, *, partner_id: int) -> Policy:
    if await quotes.find(tx, quote_id, partner_id=partner_id) is None:
        raise Unpausable(NOTHING_TO_PAUSE)
    quote = await lock_quote(tx, quote_id)
    policy = await policies.find(tx, quote_id)
    if quote.status is not QuoteStatus.POLICY_ACTIVE or policy is None:
        raise Unpausable(NOTHING_TO_PAUSE)
    if policy.term.expiration <= practice.day_of(tx.now):
        raise Unpausable(f"The policy ended on {policy.term.expiration}.")
    return policy


async def _set_renewal(tx: Tx, policy: Policy, wanted: RenewalType, trigger: Trigger, *, actor: str) -> None:
    its_renewal = [policy.renewal_quote_id] if policy.renewal_quote_id else []
    await policies.set_renewal_type(tx, [policy.quote_id, *its_renewal], wanted)
    if policy.renewal_type is not wanted:
        quote = await lock_quote(tx, policy.quote_id)
        data = {"policy_number": policy.policy_number}
        await advance_quote(tx, quote, trigger, actor=actor, data=data)
