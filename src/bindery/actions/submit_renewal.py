import uuid

from bindery.actions.draft_intake import SubmitAsk, draft_intake
from bindery.actions.lock_quote import lock_quote
from bindery.domain.access.caller import Caller
from bindery.domain.policy.renewal import is_renewal_due, renewal_of, with_contacts
from bindery.runtime import Runtime
from bindery.storage import intake, partners, policies, submissions


async def submit_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Submit an expiring policy again on the same terms and answers, if it is due and set to renew."""
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or quote.terms is None or not is_renewal_due(policy, tx.today):
            return
        stored = await submissions.get(tx, quote.submission_id)
        renewal = renewal_of(stored.submission, policy, quote.terms)
        if await policies.covered_by(tx, quote, renewal.term) is not None:
            # Somebody has seen to the time after this policy already.
            await policies.record_renewal(tx, quote_id, settled=True)
            return
        partner = await partners.find_partner_by_id(tx, stored.partner_id)
        drafted = draft_intake(
            tx,
            SubmitAsk(
                caller=Caller(partner_id=partner.partner_id, actor=f"partner:{partner.key}"),
                broker=await partners.find_broker_by_id(tx, stored.broker_id),
                submission=renewal,
                company_id=stored.company_id,
                body=with_contacts(stored.body, await policies.contacts_of(tx, quote_id)),
                renews=quote_id,
            ),
        )
        await intake.write(tx, [drafted])
        await policies.record_renewal(tx, quote_id, submission_id=drafted.submission_id)
