import uuid
from typing import assert_never

from bindery.actions.quote.advance_quote import lock_quote
from bindery.actions.submission.submit_quotes import SubmitAsk, draft_intake
from bindery.domain.access.caller import Caller, actor_of_partner
from bindery.domain.policy.policy import Policy
from bindery.domain.policy.renewal import (
    LeaveRenewal,
    SkipRenewal,
    SubmitRenewal,
    decide_renewal,
    renewal_of,
    renewed_term,
    with_contacts,
)
from bindery.domain.quote.quote import Quote
from bindery.storage.access import partners
from bindery.storage.database import Database, Tx
from bindery.storage.policy import policies
from bindery.storage.submission import intake, submissions


async def submit_renewal(database: Database, quote_id: uuid.UUID) -> None:
    """Submit an expiring policy again on the same terms and answers, if it is due and set to renew."""
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None:
            return
        cover = await policies.covered_by(tx, quote, renewed_term(policy.term, policy.product))
        match decide_renewal(policy, cover=cover, today=tx.today):
            case SubmitRenewal():
                await submit_again(tx, quote, policy)
            case SkipRenewal():
                await policies.record_renewal(tx, quote_id, settled=True)
            case LeaveRenewal():
                pass
            case never:
                assert_never(never)


async def submit_again(tx: Tx, quote: Quote, policy: Policy) -> uuid.UUID:
    """Submit a policy again, and return the quote that renews it."""
    assert quote.terms is not None, "a policy has terms"
    stored = await submissions.get(tx, quote.submission_id)
    partner = await partners.find_partner_by_id(tx, stored.partner_id)
    drafted = draft_intake(
        tx,
        SubmitAsk(
            caller=Caller(partner_id=partner.partner_id, actor=actor_of_partner(partner.key)),
            broker=await partners.find_broker_by_id(tx, stored.broker_id),
            submission=renewal_of(stored.submission, policy, quote.terms),
            company_id=stored.company_id,
            body=with_contacts(stored.body, await policies.contacts_of(tx, quote.quote_id)),
            renews=quote.quote_id,
        ),
    )
    await intake.write(tx, [drafted])
    await policies.record_renewal(tx, quote.quote_id, submission_id=drafted.submission_id)
    (renewal,) = drafted.quotes
    return renewal.quote_id
