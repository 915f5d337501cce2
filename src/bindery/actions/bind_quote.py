"""Binding a quote: exactly one policy, whoever asks how often and whatever dies in between."""

import uuid
from dataclasses import dataclass, replace
from typing import assert_never

import msgspec

from bindery.actions.advance_quote import advance_quote
from bindery.actions.put_in_force import put_in_force, term_data
from bindery.actions.reprice_quote import reprice_quote
from bindery.actions.submit_quotes import receipt_of
from bindery.base.errors import AlreadyBound, NotFound, NotReady
from bindery.contract.binds import BindRequest
from bindery.contract.quotes import CreateQuotesResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain import demo
from bindery.domain.binding import (
    BindAsk,
    IssueConditionalBinder,
    IssuePolicy,
    ReferBind,
    decide_bind,
    read_bind_ask,
)
from bindery.domain.jobs import PLAY_UNDERWRITER
from bindery.domain.lifecycle import NOT_READY, OPEN_OFFERS, Trigger
from bindery.domain.policy import LINE_OF, PRODUCTS_OF, RenewalType
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
from bindery.storage.submissions import StoredSubmission

STANDING = (QuoteStatus.QUOTE_BIND_REQUESTED, QuoteStatus.POLICY_ACTIVE)
"""While a bind stands, the same ask is answered with the same receipt."""


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
        raise NotFound("There is no such quote.")
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
    expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
    renewal_type = RenewalType.AUTO if expiring is None else expiring.renewal_type
    await policies.record_ask(tx, quote, ask, renewal_type=renewal_type)
    if ask.term != stored.submission.term:
        quote = await reprice_quote(runtime, tx, quote, term=ask.term)
    match decision:
        case ReferBind(adds):
            await contingencies.add(tx, quote.quote_id, adds)
            await _request_bind(runtime, tx, quote, ask, stored, actor=call.actor)
        case IssueConditionalBinder(fulfil_by):
            await put_in_force(runtime, tx, quote, fulfil_by=fulfil_by, actor=call.actor)
        case IssuePolicy():
            await put_in_force(runtime, tx, quote, fulfil_by=None, actor=call.actor)
        case _:
            assert_never(decision)
    await pass_over_siblings(tx, quote, actor=call.actor)
    return _receipt(quote)


async def _request_bind(
    runtime: Runtime, tx: Tx, quote: Quote, ask: BindAsk, stored: StoredSubmission, *, actor: str
) -> None:
    """Put the bind on the underwriter's desk; in the demo a name may have it decided at once."""
    data = {**term_data(ask.term), "premium": quote.premium}
    await advance_quote(tx, quote, Trigger.REQUEST_BIND, actor=actor, data=data)
    if runtime.settings.is_demo and demo.played_decision(stored.submission.name) is not None:
        await queue.enqueue(tx, PLAY_UNDERWRITER, [str(quote.submission_id)])


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
