"""Renewal: a submission 60 days before the end, reminders, and the bind on the day."""

import hashlib
import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.bind_quote import pass_over_siblings, put_in_force
from bindery.actions.review_quote import lock_quote
from bindery.actions.submit_quotes import SubmitAsk, draft_intake
from bindery.actions.write_mails import write_offer_mail
from bindery.base.errors import Unpausable
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.binding import BindAsk
from bindery.domain.contingencies import in_the_way
from bindery.domain.lifecycle import Trigger
from bindery.domain.policy import RenewalType
from bindery.domain.renewal import OFFERED_BEFORE, reminders_due, renewal_of
from bindery.runtime import Runtime
from bindery.storage import contingencies, intake, partners, policies, submissions

ACTOR = "timetable"


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
        stored = await submissions.find(tx, quote.submission_id)
        assert stored is not None, "a quote has a submission"
        drafted = draft_intake(
            tx,
            SubmitAsk(
                partner=await partners.find_partner_by_id(tx, stored.partner_id),
                broker=await partners.find_broker_by_id(tx, stored.broker_id),
                submission=renewal_of(stored.submission, policy, quote.terms),
                company_id=stored.company_id,
                body=stored.body,
                idempotency_key=None,
                request_hash=b"",
            ),
        )
        await intake.write(tx, [drafted])
        await submissions.mark_renewal(tx, drafted.submission_id, renews=quote_id)
        await policies.record_renewal(tx, quote_id, submission_id=drafted.submission_id)


async def settle_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """On the day a policy ends, bind its open renewal offer, unless somebody paused it or something is owed."""
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
        ended_early = policy.ended_on is not None and policy.ended_on < policy.term.expiration
        if (
            policy.renewal_type is not RenewalType.AUTO
            or renewal.status is not QuoteStatus.OFFER_EMAIL
            or ended_early
            or in_the_way(owed)
        ):
            return
        stored = await submissions.find(tx, renewal.submission_id)
        assert stored is not None, "a quote has a submission"
        fingerprint = hashlib.sha256(f"renewal:{renewal.quote_id}".encode()).digest()
        ask = BindAsk(
            term=stored.submission.term,
            attested=False,
            contacts=await policies.contacts_of(tx, quote_id),
            reaches_back_anew=False,
            fingerprint=fingerprint,
        )
        await policies.record_ask(tx, renewal, ask)
        await put_in_force(runtime, tx, renewal, fulfil_by=None, actor=ACTOR)
        await pass_over_siblings(tx, renewal, actor=ACTOR)


async def remind_of_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Remind the broker of an open renewal offer, once 30 and once 10 days before it binds."""
    async with runtime.database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or policy.renewal_quote_id is None or policy.renewal_settled:
            return
        due = reminders_due(policy.term.expiration, runtime.business_day(tx.now))
        if due <= policy.reminders_sent:
            return
        await policies.record_renewal(tx, quote_id, reminders_sent=due)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        if renewal.status is QuoteStatus.OFFER_EMAIL:
            await write_offer_mail(runtime, tx, renewal, policy, reminder=due)


async def pause_renewal(runtime: Runtime, quote_id: uuid.UUID, *, partner_id: int, actor: str) -> None:
    """Make a policy renew by hand only, and its renewal with it; pausing twice changes nothing more.

    Raises:
        Unpausable: there is no policy in force that could renew by itself.
    """
    await _set_renewal(runtime, quote_id, partner_id, RenewalType.MANUAL, Trigger.PAUSE_RENEWAL, actor)


async def resume_renewal(runtime: Runtime, quote_id: uuid.UUID, *, partner_id: int, actor: str) -> None:
    """Let a policy renew by itself again.

    Raises:
        Unpausable: there is no policy in force that could renew by itself.
    """
    await _set_renewal(runtime, quote_id, partner_id, RenewalType.AUTO, Trigger.RESUME_RENEWAL, actor)


async def _set_renewal(
    runtime: Runtime, quote_id: uuid.UUID, partner_id: int, wanted: RenewalType, trigger: Trigger, actor: str
) -> None:
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if quote.partner_id != partner_id or quote.status is not QuoteStatus.POLICY_ACTIVE or policy is None:
            raise Unpausable("There is no active policy of this identifier whose renewal could be paused.")
        its_renewal = [policy.renewal_quote_id] if policy.renewal_quote_id else []
        await policies.set_renewal_type(tx, [quote_id, *its_renewal], wanted)
        if policy.renewal_type is not wanted:
            await advance_quote(tx, quote, trigger, actor=actor)
