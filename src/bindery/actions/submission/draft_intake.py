import uuid
from dataclasses import dataclass

import msgspec

from bindery.base import ids
from bindery.contract.quotes import CreateQuotesResponse, QuoteReceipt
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.quote.quote import JournalState, Quote, first_entry
from bindery.domain.submission.value import Submission
from bindery.storage.access.partners import Broker
from bindery.storage.database import Tx
from bindery.storage.submission.intake import Intake


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitAsk:
    """An accepted create-quote request and who sent it, or what renews a policy in its name."""

    caller: Caller
    broker: Broker
    submission: Submission
    company_id: int | None
    body: str
    renews: uuid.UUID | None = None


def draft_intake(tx: Tx, ask: SubmitAsk) -> Intake:
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
    return Intake(
        caller=ask.caller,
        submission_id=submission_id,
        company_id=company_id,
        company_is_new=ask.company_id is None,
        broker_id=ask.broker.broker_id,
        at=tx.now,
        submission=submission,
        renews=ask.renews,
        body=ask.body,
        quotes=made,
        first_entries=[first_entry(quote, event_id=tx.new_id(), actor=ask.caller.actor) for quote in made],
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
