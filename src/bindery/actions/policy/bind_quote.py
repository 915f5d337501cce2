"""Binding a quote: exactly one policy, however often it is asked for and whatever dies in between."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

import msgspec

from bindery.actions.policy.put_in_force import put_in_force
from bindery.actions.policy.take_capacity import look_for_capacity, take_capacity
from bindery.actions.quote.advance_quote import advance_quote, change_contingencies, pass_over_siblings
from bindery.base.errors import InvalidRequest, NotFound, Problem, QuoteInProgress
from bindery.contract.binds import BindOutcome, BindReceipt, BindRequest, BindResponse
from bindery.contract.event_details import QuoteBindRequested
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.applicant.risk import Term
from bindery.domain.business_rules import BusinessRules
from bindery.domain.jobs import PLAY_UNDERWRITER
from bindery.domain.policy.bind_ask import BindAsk, read_bind_ask
from bindery.domain.policy.binders import NoAuthority
from bindery.domain.policy.binding import (
    BindDecision,
    IssueConditionalBinder,
    IssuePolicy,
    ReferBind,
    bad_effective,
    check_bindable,
    check_no_less_than_shown,
    decide_bind,
    refer_for_authority,
    withdrawn_contingencies,
)
from bindery.domain.policy.contingencies import NOT_NEEDED, Contingency
from bindery.domain.policy.evidence import Evidence, bad_paper
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.quote.lifecycle import NOT_READY, Trigger
from bindery.domain.quote.quote import Quote, receipt_of
from bindery.domain.quote.repricing import reprice_today
from bindery.domain.quote.underwriting import add_corrections, check_as_shown
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.jobs import queue
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies, quotes
from bindery.storage.submission import submissions
from bindery.storage.submission.submissions import StoredSubmission

STANDING = (QuoteStatus.QUOTE_BIND_REQUESTED, QuoteStatus.POLICY_ACTIVE)
"""While a bind stands, the same ask is answered with the same receipt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindCall:
    """A bind request and who sent it.

    `contacts` are the request's, as they were sent; `unknown_fields` those that a bind request does not have.
    `shown_premium` and `shown_outcome` are what a page showed: nothing is bound at another premium, or to
    less than that.
    """

    caller: Caller
    quote_id: uuid.UUID
    request: BindRequest
    contacts: str | None
    unknown_fields: tuple[Problem, ...]
    shown_premium: int | None = None
    shown_outcome: BindOutcome | None = None


async def bind_quote(database: Database, rules: BusinessRules, call: BindCall) -> bytes:
    """Bind a quote, or ask an underwriter to, in one transaction; return the receipt's JSON."""
    async with database.transaction() as tx:
        return await idempotently(tx, call.caller, partial(_bind, tx, rules, call))


async def _bind(tx: Tx, rules: BusinessRules, call: BindCall) -> bytes:
    found = await quotes.find(tx, call.quote_id, partner_id=call.caller.partner_id)
    if found is None:
        raise NotFound("There is no such quote.")
    # Binds of one company come one after the other: the options of a line decide each other's fate.
    await submissions.lock(tx, found.company_id)
    quote = await quotes.lock(tx, call.quote_id)
    if quote.status in NOT_READY:
        raise QuoteInProgress("The quote is not ready yet.")
    stored = await submissions.get(tx, quote.submission_id)
    ask = read_bind_ask(
        call.request,
        contacts=call.contacts,
        quoted=stored.submission.term,
        product=quote.product,
        unknown_fields=call.unknown_fields,
    )
    before = await policies.find(tx, quote.quote_id)
    if before is not None and quote.status in STANDING and before.ask_fingerprint == ask.fingerprint:
        return await policies.receipt_of(tx, quote.quote_id) or _receipt(quote, before)
    chosen = await policies.find(tx, quote.passed_over_for) if quote.passed_over_for is not None else None
    renewed_by = before.renewal_quote_id if before is not None else None
    renewal = await policies.find(tx, renewed_by) if renewed_by is not None else None
    check_bindable(quote, tx.today, policy=before, chosen=chosen, renewal=renewal)
    bound = await _carry_out(tx, rules, quote, ask, stored, call)
    policy = await policies.find(tx, quote.quote_id)
    assert policy is not None, "the ask was recorded"
    receipt = _receipt(bound, policy)
    await policies.keep_receipt(tx, quote.quote_id, receipt)
    return receipt


async def _carry_out(
    tx: Tx, rules: BusinessRules, quote: Quote, ask: BindAsk, stored: StoredSubmission, call: BindCall
) -> Quote:
    actor = call.caller.actor
    decision, withdrawn = await _weigh(tx, rules, quote, ask)
    expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
    renewal_type = RenewalType.AUTO if expiring is None else expiring.renewal_type
    await policies.record_ask(tx, quote, ask, renewal_type=renewal_type)
    quote = _price_for_period(tx, rules, quote, stored, ask)
    check_as_shown(quote.premium, call.shown_premium)
    # Last of what is locked: all binds on a binder wait for the one that holds its row.
    section = None if isinstance(decision, ReferBind) else await take_capacity(tx, quote, ask.term)
    if isinstance(section, NoAuthority):
        decision, section = refer_for_authority(section), None
    check_no_less_than_shown(decision, call.shown_outcome)
    if ask.corrections and quote.assessment is not None:
        quote = replace(quote, assessment=add_corrections(quote.assessment, ask.corrections))
    quote = await change_contingencies(
        tx, quote, close=[(owed, NOT_NEEDED) for owed in withdrawn], actor=actor
    )
    match decision:
        case ReferBind(adds=adds):
            quote = await change_contingencies(tx, quote, add=adds, actor=actor)
            bound = await _request_bind(tx, rules, quote, ask, stored, actor=actor)
        case IssueConditionalBinder(fulfil_by):
            bound = await put_in_force(tx, rules, quote, section=section, fulfil_by=fulfil_by, actor=actor)
        case IssuePolicy():
            bound = await put_in_force(tx, rules, quote, section=section, fulfil_by=None, actor=actor)
        case _:
            assert_never(decision)
    await pass_over_siblings(tx, bound, actor=actor)
    return bound


async def _request_bind(
    tx: Tx, rules: BusinessRules, quote: Quote, ask: BindAsk, stored: StoredSubmission, *, actor: str
) -> Quote:
    """Put the bind on the underwriter's desk; in the demo a name may have it decided at once."""
    said = QuoteBindRequested(
        effective=ask.term.effective, expiration=ask.term.expiration, premium=quote.premium
    )
    requested = await advance_quote(tx, quote, Trigger.REQUEST_BIND, actor=actor, said=said)
    if rules.demo_outcomes.played_decision(stored.submission.name) is not None:
        await queue.enqueue(tx, PLAY_UNDERWRITER, [str(quote.submission_id)])
    return requested


def _receipt(quote: Quote, policy: Policy) -> bytes:
    if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        outcome = BindOutcome.BIND_REQUESTED
    else:
        outcome = BindOutcome.POLICY_ISSUED if policy.is_issued else BindOutcome.CONDITIONAL_BINDER
    receipt = BindReceipt(
        **msgspec.structs.asdict(receipt_of(quote)),
        outcome=outcome,
        quote_status=quote.status,
        policy_number=policy.policy_number,
    )
    return msgspec.json.encode(BindResponse(company_id=str(quote.company_id), quotes=[receipt]))


@dataclass(frozen=True, slots=True)
class ForeseenBind:
    """The outcome of a bind, the quote priced for the period, and the period."""

    decision: BindDecision
    quote: Quote
    term: Term


async def foresee_bind(
    tx: Reader, rules: BusinessRules, quote: Quote, request: BindRequest, *, assumed: Evidence | None = None
) -> ForeseenBind:
    """Decide what a bind would lead to now, and change nothing.

    `assumed` is the evidence of a file that nobody has read yet, in place of those that came in.

    Raises:
        InvalidRequest: it would be refused; every problem is listed, whatever a bind would stop at.
    """
    stored = await submissions.get(tx, quote.submission_id)
    check_bindable(quote, tx.today, policy=None, chosen=None)
    quoted = stored.submission.term
    try:
        ask = read_bind_ask(request, contacts=None, quoted=quoted, product=quote.product)
    except InvalidRequest as fault:
        further = list(bad_effective(request.dates.effective or quoted.effective, tx.today))
        if request.app_attestation:
            further += bad_paper(assumed or await contingencies.signed_application(tx, quote.quote_id))
        raise InvalidRequest.because([*fault.problems, *further]) from None
    decision, _ = await _weigh(tx, rules, quote, ask, assumed)
    priced = _price_for_period(tx, rules, quote, stored, ask)
    if not isinstance(decision, ReferBind):
        section = await look_for_capacity(tx, priced, ask.term)
        if isinstance(section, NoAuthority):
            decision = refer_for_authority(section)
    return ForeseenBind(decision, priced, ask.term)


async def _weigh(
    tx: Reader, rules: BusinessRules, quote: Quote, ask: BindAsk, assumed: Evidence | None = None
) -> tuple[BindDecision, Sequence[Contingency]]:
    """Decide on the bind of an open quote, and return the contingencies that the bind withdraws too."""
    owed = await contingencies.of_quote(tx, quote.quote_id)
    withdrawn = withdrawn_contingencies(ask, owed)
    signed = await contingencies.page_signature(tx, quote.quote_id)
    decision = decide_bind(
        quote,
        ask,
        contingencies=[contingency for contingency in owed if contingency not in withdrawn],
        paper=assumed or await contingencies.signed_application(tx, quote.quote_id),
        cover=await policies.covered_by(tx, quote, ask.term),
        today=tx.today,
        is_signed=signed is not None and signed.is_fresh(rules.zone, today=tx.today),
    )
    return decision, withdrawn


def _price_for_period(
    tx: Reader, rules: BusinessRules, quote: Quote, stored: StoredSubmission, ask: BindAsk
) -> Quote:
    if ask.term == stored.submission.term:
        return quote
    submission = replace(stored.submission, term=ask.term)
    applicant = applicant_of(submission, scan=stored.scan, sanctions=rules.sanctions)
    return reprice_today(quote, applicant, today=tx.today, asked_for="dates")
