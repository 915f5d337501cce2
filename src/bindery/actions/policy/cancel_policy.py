import uuid
from functools import partial

import msgspec

from bindery.actions.documents.gather_facts import renew_documents, write_notice
from bindery.actions.policy.take_capacity import book_again, book_return
from bindery.actions.quote.advance_quote import advance_quote, lock_policy, policy_of
from bindery.contract.binds import CancellationAsk, StandingResponse
from bindery.contract.documents import DocumentType
from bindery.contract.event_details import (
    PolicyCanceled,
    PolicyCancellationRequested,
    PolicyInForce,
    QuoteRevoked,
)
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import Canceled, Reinstated, canceled_event
from bindery.domain.policy.cancellation import check_reinstatable, decide_cancel
from bindery.domain.policy.ending import KeptRequest
from bindery.domain.policy.ledger import TransactionKind, cancellation, reversal
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.decisions import CancelPolicy, ReinstatePolicy
from bindery.domain.quote.lifecycle import Trigger, sources_of
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.policy import changes, ledger, notices, policies
from bindery.storage.quote import journal
from bindery.storage.submission import submissions

REQUESTED = "An underwriter will decide on the cancellation; until then the policy stays in force."


async def cancel_policy(tx: Tx, rules: BusinessRules, quote: Quote, ask: CancelPolicy, *, actor: str) -> None:
    """Cancel a policy as of a day and work out the premium to return, or what is due."""
    policy = await policy_of(tx, quote)
    decided = decide_cancel(quote, policy.term, ask, state=await _state(tx, quote), today=tx.today)
    await changes.withdraw_open(tx, quote.quote_id, by=actor)
    # Before the policy's own row is written: an offer of a renewal locks the two in that order.
    await withdraw_renewal(tx, policy, reason="policy_canceled", actor=actor)
    await policies.end(
        tx, policy, on=decided.effective, because=decided.words, returned_premium=decided.returned
    )
    said = PolicyCanceled(
        reason=decided.words,
        effective=decided.effective,
        returned_premium=decided.returned,
        cancellation=decided.body,
    )
    canceled = await advance_quote(tx, quote, Trigger.CANCEL, actor=actor, said=said)
    bound = await ledger.last_of(tx, quote.quote_id, TransactionKind.ORIGINAL)
    await book_return(tx, cancellation(canceled, decided, bound, today=tx.today))
    await write_notice(tx, rules, canceled, canceled_event(decided, on=tx.today))
    # After the notice: the bill asks for what the notice says is earned.
    await renew_documents(tx, rules, [quote.quote_id])


async def _state(tx: Tx, quote: Quote) -> str:
    return (await submissions.get(tx, quote.submission_id)).submission.state


async def withdraw_renewal(tx: Tx, policy: Policy, *, reason: str, actor: str) -> None:
    """Revoke the renewal of a policy at any stage, even where its bind is requested."""
    if policy.renewal_submission_id is None:
        return
    key, revocable = policy.renewal_submission_id, sources_of(Trigger.REVOKE)
    for renewal in (await submissions.lock_options(tx, [key], revocable))[key]:
        await advance_quote(tx, renewal, Trigger.REVOKE, actor=actor, said=QuoteRevoked(reason=reason))
        await policies.forget_renewal(tx, policy.quote_id)


async def reinstate_policy(
    tx: Tx, rules: BusinessRules, quote: Quote, decision: ReinstatePolicy, *, actor: str
) -> None:
    """Put a canceled policy back in force within 30 days of the day on which it was canceled."""
    policy = await policy_of(tx, quote)
    canceled_at = await journal.last_step_at(tx, quote.quote_id, Trigger.CANCEL)
    canceled_on = tx.calendar.day_of(canceled_at) if canceled_at is not None else None
    check_reinstatable(
        quote, policy, canceled_on=canceled_on, no_known_loss=decision.no_known_loss, today=tx.today
    )
    notice = await notices.find_event(tx, quote.quote_id, DocumentType.CANCELLATION_NOTICE)
    await policies.reinstate(tx, policy)
    said = PolicyInForce(
        policy_number=policy.number,
        effective=policy.term.effective,
        expiration=policy.term.expiration,
        premium=quote.premium,
        conditional=not policy.is_issued,
        reason=decision.reason,
    )
    reinstated = await advance_quote(tx, quote, Trigger.REINSTATE, actor=actor, said=said)
    undone = await ledger.last_of(tx, quote.quote_id, TransactionKind.CANCELLATION)
    await book_again(tx, reversal(reinstated, TransactionKind.REINSTATEMENT, undone, today=tx.today))
    await renew_documents(tx, rules, [quote.quote_id])
    assert policy.ended_on is not None, "a canceled policy has an end"
    happened = Reinstated(
        on=tx.today,
        reason=decision.reason,
        canceled_from=policy.ended_on,
        returned_premium=policy.returned_premium or 0,
        is_unpaid=isinstance(notice, Canceled) and notice.reason_code is CancellationReason.NONPAYMENT,
        charges_returned=notice.charges_returned if isinstance(notice, Canceled) else None,
    )
    await write_notice(tx, rules, reinstated, happened)


async def request_cancellation(
    database: Database, caller: Caller, quote_id: uuid.UUID, asked: CancellationAsk
) -> bytes:
    """Put a partner's request to cancel a policy on the desk; a later request replaces it."""
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_request, tx, caller, quote_id, asked))


async def _request(tx: Tx, caller: Caller, quote_id: uuid.UUID, asked: CancellationAsk) -> bytes:
    quote, policy = await lock_policy(tx, quote_id)
    reason, text = CancellationReason(asked.reason), asked.text or ""
    # A request that an underwriter could not grant is refused at once.
    ask = CancelPolicy(asked.effective, CanceledBy.INSURED, reason, text)
    decide_cancel(quote, policy.term, ask, state=await _state(tx, quote), today=tx.today)
    request = KeptRequest(effective=asked.effective, reason=reason, text=text, at=tx.now)
    # Asked for again while it waits, it is the same request.
    if not request.is_like(await policies.open_cancellation(tx, quote_id)):
        # Before the step, which looks at what waits on the desk.
        await policies.request_cancellation(tx, quote_id, request)
        said = PolicyCancellationRequested(effective=asked.effective, reason=reason, text=text)
        quote = await advance_quote(tx, quote, Trigger.REQUEST_CANCELLATION, actor=caller.actor, said=said)
    return msgspec.json.encode(
        StandingResponse(message=REQUESTED, quote_identifier=str(quote_id), quote_status=quote.status)
    )
