import uuid
from functools import partial

import msgspec

from bindery.actions.quote.advance_quote import advance_quote, lock_policy
from bindery.actions.renewal.submit_renewal import submit_again
from bindery.contract.binds import RequestRenewalResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import check_renewal_asked_for, check_renewal_stands, renewed_term
from bindery.domain.quote.lifecycle import BINDABLE, Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.policy import policies
from bindery.storage.quote import quotes


async def request_renewal(database: Database, caller: Caller, quote_id: uuid.UUID) -> bytes:
    """Offer the renewal of a policy at once; where there is one already, return that."""
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_request, tx, caller, quote_id))


async def _request(tx: Tx, caller: Caller, quote_id: uuid.UUID) -> bytes:
    quote, policy = await lock_policy(tx, quote_id)
    renewal = (
        await quotes.first_of(tx, policy.renewal_submission_id) if policy.renewal_submission_id else None
    )
    if renewal is not None:
        check_renewal_stands(renewal)
        return _answer(policy, renewal.quote_id, _standing(renewal))
    cover = await policies.covered_by(tx, quote, renewed_term(policy.term, policy.product))
    check_renewal_asked_for(quote, policy, cover=cover, today=tx.today)
    await advance_quote(tx, quote, Trigger.REQUEST_RENEWAL, actor=caller.actor)
    return _answer(policy, await submit_again(tx, quote, policy), _promise(policy))


def _standing(renewal: Quote) -> str:
    said = {QuoteStatus.POLICY_ACTIVE: "The policy is renewed."}
    said |= dict.fromkeys(BINDABLE, "The renewal is offered.")
    return said.get(renewal.status, "The renewal is being worked on.")


def _promise(policy: Policy) -> str:
    by_hand = "; its offer has to be bound by hand" if policy.renewal_type is RenewalType.MANUAL else ""
    return f"The renewal is being worked out{by_hand}."


def _answer(policy: Policy, renewed_by: uuid.UUID, message: str) -> bytes:
    return msgspec.json.encode(
        RequestRenewalResponse(
            message=message, quote_identifier=str(policy.quote_id), renewed_by=str(renewed_by)
        )
    )
