import uuid
from dataclasses import dataclass

import asyncpg
import msgspec

from bindery.actions.advance_quote import advance_quote
from bindery.base import ids
from bindery.contract.quotes import CreateQuotesResponse, QuoteReceipt
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain import clearance as bor
from bindery.domain.caller import Caller
from bindery.domain.clearance import clearance_keys
from bindery.domain.lifecycle import IN_PIPELINE, OPEN_OFFERS, Trigger
from bindery.domain.practice import Practice
from bindery.domain.quote import JournalState, Quote, first_entry
from bindery.domain.submission.value import Submission
from bindery.runtime import Runtime
from bindery.storage import clearance, companies, intake, quotes
from bindery.storage.database import Reader, Tx
from bindery.storage.idempotency import replay_or_hold
from bindery.storage.intake import IdempotencyRecord, Intake
from bindery.storage.partners import Broker

COMPANY_ID_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitAsk:
    """An accepted create-quote request and who sent it."""

    caller: Caller
    broker: Broker
    submission: Submission
    company_id: int | None
    body: str


async def submit_quotes(runtime: Runtime, ask: SubmitAsk) -> bytes:
    """Write a submission with its quotes, journal and job in one transaction, and give the receipt's JSON.

    Raises:
        ClearanceBlocked: another organization has the same domain or address (production).
        IdempotencyInFlight: the same key is being worked on.
        IdempotencyMismatch: the same key came with another request before.
    """
    for last_try in (*[False] * (COMPANY_ID_TRIES - 1), True):
        try:
            async with runtime.database.transaction() as tx:
                return await _submit(tx, runtime.practice, ask)
        except asyncpg.UniqueViolationError as clash:
            # Company numbers are drawn by chance; a number drawn twice is drawn again.
            if clash.constraint_name != "companies_pkey" or last_try:
                raise
    raise AssertionError("the last try returns or raises")


async def _submit(tx: Tx, practice: Practice, ask: SubmitAsk) -> bytes:
    if (first_answer := await replay_or_hold(tx, ask.caller)) is not None:
        return first_answer
    await _clear(tx, practice, ask)
    if ask.company_id is not None:
        await _revoke_outdated(tx, ask, ask.company_id)
    drafted = draft_intake(tx, ask)
    await intake.write(tx, [drafted])
    return drafted.response


async def _clear(tx: Tx, practice: Practice, ask: SubmitAsk) -> None:
    """Check the broker of record, one submission with the same domain or address at a time."""
    if practice.magic.played_conflict(ask.submission) is None:
        await clearance.hold_keys(tx, clearance_keys(ask.submission))
    conflict = await conflict_of(
        tx, practice, ask.submission, partner_id=ask.caller.partner_id, company_id=ask.company_id
    )
    bor.check_clearance(conflict)


async def conflict_of(
    tx: Reader, practice: Practice, submission: Submission, *, partner_id: int, company_id: int | None
) -> bor.Conflict:
    """Return what other organizations stand in the way; the demo only plays it."""
    played = practice.magic.played_conflict(submission)
    if played is not None:
        return played
    keys = clearance_keys(submission)
    since = bor.window_start(tx.today, practice.zone)
    taken = await clearance.taken_keys(tx, keys, company_id=company_id, since=since)
    return bor.conflict_over(keys, taken, partner_id)


async def _revoke_outdated(tx: Tx, ask: SubmitAsk, company_id: int) -> None:
    """Revoke the company's open quotes of the product when the facts they were rated on have changed."""
    await companies.lock(tx, company_id)
    product = ask.submission.product
    rated_before = await companies.newest_rated_fingerprint(tx, company_id, product)
    if rated_before is None or rated_before == ask.submission.rated_fingerprint():
        return
    for quote in await quotes.lock_of_company(tx, company_id, product, (*IN_PIPELINE, *OPEN_OFFERS)):
        await advance_quote(
            tx, quote, Trigger.REVOKE, actor=ask.caller.actor, data={"reason": "submission_changed"}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedIntake(Intake):
    """An intake together with the answer that will be given for it."""

    response: bytes


def draft_intake(tx: Tx, ask: SubmitAsk) -> DraftedIntake:
    """Make the rows and the receipt of a submission."""
    submission = ask.submission
    company_id = ids.company_id(tx.rng) if ask.company_id is None else ask.company_id
    submission_id = tx.new_id()
    made = [
        _new_quote(tx, ask, company_id, submission_id, number) for number in range(len(submission.options))
    ]
    response = msgspec.json.encode(
        CreateQuotesResponse(company_id=str(company_id), quotes=[receipt_of(quote) for quote in made])
    )
    return DraftedIntake(
        submission_id=submission_id,
        company_id=company_id,
        company_is_new=ask.company_id is None,
        partner_id=ask.caller.partner_id,
        broker_id=ask.broker.broker_id,
        at=tx.now,
        submission=submission,
        body=ask.body,
        quotes=made,
        first_entries=[first_entry(quote, event_id=tx.new_id(), actor=ask.caller.actor) for quote in made],
        idempotency=(
            IdempotencyRecord(
                partner_id=ask.caller.partner_id,
                key=ask.caller.idempotency_key,
                request_hash=ask.caller.request_hash,
                response=response,
            )
            if ask.caller.idempotency_key is not None
            else None
        ),
        response=response,
    )


def _new_quote(tx: Tx, ask: SubmitAsk, company_id: int, submission_id: uuid.UUID, number: int) -> Quote:
    return Quote(
        quote_id=tx.new_id(),
        submission_id=submission_id,
        company_id=company_id,
        partner_id=ask.caller.partner_id,
        option_number=number,
        product=ask.submission.product,
        status=QuoteStatus.CREATED,
        version=0,
        created_at=tx.now,
        updated_at=tx.now,
        ask=ask.submission.options[number],
        journal=JournalState(entries=1),
    )


def receipt_of(quote: Quote) -> QuoteReceipt:
    """Echo what was requested; null where nothing was."""
    return QuoteReceipt(
        quote_identifier=str(quote.quote_id),
        requested_aggregate_limit=quote.ask.aggregate_limit,
        requested_aggregate_retention=quote.ask.aggregate_retention,
        requested_per_claim_limit=quote.ask.per_claim_limit,
        requested_per_claim_retention=quote.ask.per_claim_retention,
    )
