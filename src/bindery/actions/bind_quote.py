"""Binding a quote: exactly one policy, whoever asks how often and whatever dies in between."""

import uuid
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, assert_never

import msgspec

from bindery.actions.advance_quote import advance_quote
from bindery.actions.reprice_quote import reprice_quote
from bindery.actions.submit_quotes import receipt_of
from bindery.base.errors import NotFound, NotReady
from bindery.contract.binds import BindRequest
from bindery.contract.quotes import CreateQuotesResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.binding import (
    IssueConditionalBinder,
    IssuePolicy,
    ReferBind,
    decide_bind,
    read_bind_ask,
)
from bindery.domain.contingencies import ContingencyKind
from bindery.domain.lifecycle import NOT_READY, OPEN_OFFERS, Trigger
from bindery.domain.policy import LINE_OF, PRODUCTS_OF, Policy, policy_number, renewed_number
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import (
    companies,
    contingencies,
    idempotency,
    papers,
    policies,
    queue,
    quotes,
    submissions,
)
from bindery.storage.database import Tx
from bindery.storage.policies import AlreadyBound

STANDING = (QuoteStatus.QUOTE_BIND_REQUESTED, QuoteStatus.POLICY_ACTIVE)
"""While a bind stands, the same ask is answered with the same receipt."""

AFTER_BIND = "finish_bind"
"""The job that makes the papers and tells the contacts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindCall:
    """A bind request and who sent it."""

    quote_id: uuid.UUID
    partner_id: int
    request: BindRequest
    actor: str
    idempotency_key: str | None
    request_hash: bytes


async def bind_quote(runtime: Runtime, call: BindCall) -> bytes:
    """Bind a quote, or ask an underwriter to, in one transaction; give the receipt's JSON.

    Raises:
        NotFound: there is no such quote of the partner.
        NotReady: the quote is still being worked on.
        WrongState: it is not open.
        InvalidRequest: the ask breaks a rule, or the company is covered already.
    """
    async with runtime.database.transaction() as tx:
        if call.idempotency_key is not None:
            first_answer = await idempotency.replay_or_hold(
                tx, partner_id=call.partner_id, key=call.idempotency_key, request_hash=call.request_hash
            )
            if first_answer is not None:
                return first_answer
        receipt = await _bind(runtime, tx, call)
        if call.idempotency_key is not None:
            await idempotency.record(
                tx,
                partner_id=call.partner_id,
                key=call.idempotency_key,
                request_hash=call.request_hash,
                response=receipt,
            )
        return receipt


async def _bind(runtime: Runtime, tx: Tx, call: BindCall) -> bytes:
    found = await quotes.find(tx, call.quote_id, partner_id=call.partner_id)
    if found is None:
        raise NotFound(f"There is no quote {call.quote_id}.")
    # Binds of one company come one after the other: the options of a line decide each other's fate.
    await companies.lock(tx, found.company_id)
    quote = await quotes.lock(tx, call.quote_id)
    assert quote is not None, "a quote is never deleted"
    if quote.status in NOT_READY:
        raise NotReady("The quote is not ready yet.")
    stored = await submissions.find(tx, quote.submission_id)
    assert stored is not None, "a quote has a submission"
    ask = read_bind_ask(call.request, quoted=stored.submission.term, product=quote.product)
    before = await policies.find(tx, quote.quote_id)
    if before is not None and quote.status in STANDING and before.ask_fingerprint == ask.fingerprint:
        return _receipt(quote)
    today = runtime.business_day(tx.now)
    owed = await contingencies.of_quote(tx, quote.quote_id)
    paper = await papers.signed_application(tx, quote.quote_id)
    decision = decide_bind(quote, ask, contingencies=owed, paper=paper, today=today)
    if await policies.is_covered(tx, quote, ask.term):
        raise AlreadyBound
    await policies.record_ask(tx, quote, ask)
    if ask.term != stored.submission.term:
        quote = await reprice_quote(runtime, tx, quote, term=ask.term)
    match decision:
        case ReferBind(adds):
            await contingencies.add(tx, quote.quote_id, adds)
            await advance_quote(tx, quote, Trigger.REQUEST_BIND, actor=call.actor)
        case IssueConditionalBinder(fulfil_by):
            await put_in_force(runtime, tx, quote, fulfil_by=fulfil_by, actor=call.actor)
        case IssuePolicy():
            await put_in_force(runtime, tx, quote, fulfil_by=None, actor=call.actor)
        case _:
            assert_never(decision)
    await pass_over_siblings(tx, quote, actor=call.actor)
    return _receipt(quote)


async def put_in_force(
    runtime: Runtime, tx: Tx, quote: Quote, *, fulfil_by: date | None, actor: str, reason: str = ""
) -> Quote:
    """Turn a recorded ask into a policy, or into a conditional binder where something is still owed.

    Raises:
        AlreadyBound: the company has cover of the line in the period.
    """
    policy = await policies.find(tx, quote.quote_id)
    assert policy is not None, "the ask was recorded"
    today = runtime.business_day(tx.now)
    number = await _number(tx, quote, policy)
    issued_on = today if fulfil_by is None else None
    await policies.put_in_force(
        tx, policy, number=number, bound_on=today, fulfil_by=fulfil_by, issued_on=issued_on
    )
    if fulfil_by is None:
        # An attested issuance closes the signature contingency at once.
        await contingencies.close_kind(tx, quote.quote_id, ContingencyKind.SIGNATURE)
    data: dict[str, Any] = {
        "policy_number": number,
        "effective": policy.term.effective.isoformat(),
        "expiration": policy.term.expiration.isoformat(),
        "premium": quote.premium,
        "conditional": fulfil_by is not None,
    }
    if fulfil_by is not None:
        data["fulfil_by"] = fulfil_by.isoformat()
    if reason:
        data["reason"] = reason
    trigger = Trigger.ISSUE if fulfil_by is None else Trigger.BIND_CONDITIONALLY
    bound = await advance_quote(tx, quote, trigger, actor=actor, data=data)
    await queue.enqueue(tx, AFTER_BIND, [str(quote.quote_id)])
    return bound


async def _number(tx: Tx, quote: Quote, policy: Policy) -> str:
    """Give a renewal the number of what it renews with the next suffix, anything else a number of its own."""
    renews = await submissions.renewed_by(tx, quote.submission_id)
    if renews is not None:
        expiring = await policies.find(tx, renews)
        if expiring is not None and expiring.policy_number is not None:
            return renewed_number(expiring.policy_number)
    return policy_number(quote.product, policy.term.effective, await policies.next_sequence(tx))


async def pass_over_siblings(tx: Tx, quote: Quote, *, actor: str) -> None:
    """Set the company's other open quotes of the line aside, remembering for which option."""
    for product in PRODUCTS_OF[LINE_OF[quote.product]]:
        for other in await quotes.lock_of_company(tx, quote.company_id, product, OPEN_OFFERS):
            if other.quote_id != quote.quote_id:
                await advance_quote(
                    tx,
                    replace(other, passed_over_for=quote.quote_id),
                    Trigger.PASS_OVER,
                    actor=actor,
                    data={"for": str(quote.quote_id)},
                )


def _receipt(quote: Quote) -> bytes:
    return msgspec.json.encode(
        CreateQuotesResponse(company_id=str(quote.company_id), quotes=[receipt_of(quote)])
    )
