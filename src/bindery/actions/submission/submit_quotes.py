"""Taking submissions in: new applicants who come at the same time share a transaction.

A commit waits for the disk, so one for up to 32 requests is worth several times as many requests a second.
Each request still succeeds or fails alone.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import asyncpg
import msgspec

from bindery.actions.quote.advance_quote import advance_quote
from bindery.base import ids
from bindery.base.errors import BinderyError
from bindery.base.tracing import current_trace, going_on_with
from bindery.contract.event_details import QuoteRevoked
from bindery.contract.quotes import CreateQuotesResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.clearance import (
    Applying,
    Conflict,
    Key,
    check_clearance,
    conflict_over,
    window_start,
)
from bindery.domain.quote.lifecycle import IN_PIPELINE, OPEN_OFFERS, Trigger
from bindery.domain.quote.quote import JournalState, Quote, first_entry, receipt_of
from bindery.domain.quote.record_letter import HOLDS_FOR, lifted
from bindery.domain.submission.value import Submission
from bindery.metrics import group_commit_size
from bindery.storage import idempotency
from bindery.storage.access.partners import Broker
from bindery.storage.database import UNAVAILABLE, Database, Reader, Tx
from bindery.storage.quote import quotes
from bindery.storage.submission import intake, record_letters, submissions
from bindery.storage.submission.intake import Intake

MOST_TOGETHER = 32
COMPANY_ID_TRIES = 5
Outcome = bytes | Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitAsk:
    """An accepted create-quote request and its sender, or the renewal of a policy in a partner's name."""

    caller: Caller
    broker: Broker
    submission: Submission
    company_id: int | None
    body: str
    renews: uuid.UUID | None = None
    trace: str | None = field(default_factory=current_trace)
    """That of the request: it is written in a batch's task, together with those of others."""


def draft_intake(tx: Tx, ask: SubmitAsk) -> Intake:
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
        trace=ask.trace,
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


async def find_conflicts(tx: Reader, rules: BusinessRules, applying: Sequence[Applying]) -> list[Conflict]:
    """Return the other organizations that conflict with each submission; the demo only simulates this."""
    played = [rules.demo_outcomes.played_conflict(applicant.submission) for applicant in applying]
    taken: Mapping[Key, frozenset[int]] = {}
    if None in played:
        since = window_start(tx.today, rules.zone)
        taken = await submissions.taken_keys(tx, applying, since=since)
    found = [
        conflict_over(applicant.keys, taken, applicant.partner_id) if conflict is None else conflict
        for applicant, conflict in zip(applying, played, strict=True)
    ]
    return await _without_lifted(tx, applying, found, taken) if any(each.kinds for each in found) else found


async def _without_lifted(
    tx: Reader,
    applying: Sequence[Applying],
    found: Sequence[Conflict],
    taken: Mapping[Key, frozenset[int]],
) -> list[Conflict]:
    """Leave out what a broker-of-record letter was accepted for; only what is blocked looks for one."""
    partners = {applicant.partner_id for applicant in applying}
    accepted = await record_letters.accepted_keys(tx, partners, since=tx.now - HOLDS_FOR)
    return [
        lifted(
            conflict,
            # Whatever the demo plays is about all that is applied with.
            [key for key in applicant.keys if key in taken] or applicant.keys,
            accepted.get(applicant.partner_id, ()),
        )
        for applicant, conflict in zip(applying, found, strict=True)
    ]


async def submit_quotes(database: Database, rules: BusinessRules, asks: Sequence[SubmitAsk]) -> list[Outcome]:
    """Write accepted requests and return for each its receipt's JSON, or the fault that refused it."""
    group_commit_size.observe(len(asks))
    outcomes: dict[int, Outcome] = {}
    together = _strangers(asks)
    if len(together) > 1:
        written = await _write_group(database, rules, [asks[place] for place in together])
        outcomes = {
            place: outcome
            for place, outcome in zip(together, written, strict=True)
            if not _may_try_alone(outcome)
        }
    return [
        outcomes[place] if place in outcomes else await _write_one(database, rules, ask)
        for place, ask in enumerate(asks)
    ]


def _strangers(asks: Sequence[SubmitAsk]) -> list[int]:
    """Choose the requests that share no key, so that none decides another's fate."""
    chosen: list[int] = []
    seen: set[object] = set()
    for place, ask in enumerate(asks):
        marks: set[object] = set(_applying(ask).keys)
        if ask.caller.idempotency_key is not None:
            marks.add((ask.caller.partner_id, ask.caller.idempotency_key))
        if ask.company_id is None and not marks & seen:
            chosen.append(place)
            seen |= marks
    return chosen


async def _write_one(database: Database, rules: BusinessRules, ask: SubmitAsk) -> Outcome:
    for _ in range(COMPANY_ID_TRIES):
        (outcome,) = await _write_group(database, rules, [ask])
        # Company numbers are random; one that exists is drawn again.
        if getattr(outcome, "constraint_name", None) != "companies_pkey":
            break
    return outcome


async def _write_group(database: Database, rules: BusinessRules, asks: Sequence[SubmitAsk]) -> list[Outcome]:
    """Write a group in one transaction and return each outcome; a fault of the group fails each."""
    try:
        async with database.transaction() as tx:
            return await _write(tx, rules, asks)
    except Exception as fault:  # noqa: BLE001 - each caller receives it, not only the first
        return [fault] * len(asks)


def _may_try_alone(outcome: Outcome) -> bool:
    """Whether the database refused the group, so that certainly none of it was committed.

    A commit without an answer may have happened: a caller with an idempotency key can ask again.
    """
    if isinstance(outcome, asyncpg.DeadlockDetectedError):
        return True
    return isinstance(outcome, asyncpg.PostgresError) and not isinstance(outcome, UNAVAILABLE)


async def _write(tx: Tx, rules: BusinessRules, asks: Sequence[SubmitAsk]) -> list[Outcome]:
    outcomes: list[Outcome | None] = [await _first_answer(tx, ask) for ask in asks]
    fresh = [ask for ask, outcome in zip(asks, outcomes, strict=True) if outcome is None]
    refusals = await _refusals(tx, rules, fresh)
    cleared = [ask for ask, refusal in zip(fresh, refusals, strict=True) if refusal is None]
    for ask in cleared:
        if ask.company_id is not None:
            with going_on_with(ask.trace):
                await _revoke_outdated(tx, ask, ask.company_id)
    drafts = [draft_intake(tx, ask) for ask in cleared]
    if drafts:
        await intake.write(tx, drafts)
    responses = iter(draft.response for draft in drafts)
    decided = iter([refusal if refusal is not None else next(responses) for refusal in refusals])
    return [next(decided) if outcome is None else outcome for outcome in outcomes]


async def _first_answer(tx: Tx, ask: SubmitAsk) -> Outcome | None:
    try:
        return await idempotency.replay_or_hold(tx, ask.caller)
    except BinderyError as refusal:
        return refusal


async def _refusals(tx: Tx, rules: BusinessRules, asks: Sequence[SubmitAsk]) -> list[BinderyError | None]:
    """Check broker-of-record conflicts in one query; submissions that share a key take turns."""
    applying = [_applying(ask) for ask in asks]
    held = [
        key
        for applicant in applying
        if rules.demo_outcomes.played_conflict(applicant.submission) is None
        for key in applicant.keys
    ]
    if held:
        await submissions.hold_keys(tx, held)
    return [_refusal(conflict) for conflict in await find_conflicts(tx, rules, applying)]


def _refusal(conflict: Conflict) -> BinderyError | None:
    try:
        check_clearance(conflict)
    except BinderyError as refusal:
        return refusal
    return None


def _applying(ask: SubmitAsk) -> Applying:
    return Applying(ask.submission, partner_id=ask.caller.partner_id, company_id=ask.company_id)


async def _revoke_outdated(tx: Tx, ask: SubmitAsk, company_id: int) -> None:
    """Revoke the company's open quotes of the product when the facts they were rated on have changed."""
    await submissions.lock(tx, company_id)
    product = ask.submission.product
    rated_before = await submissions.newest_rated_fingerprint(tx, company_id, product)
    if rated_before is None or rated_before == ask.submission.rated_fingerprint():
        return
    for quote in await quotes.lock_of_company(tx, company_id, product, (*IN_PIPELINE, *OPEN_OFFERS)):
        await advance_quote(
            tx, quote, Trigger.REVOKE, actor=ask.caller.actor, said=QuoteRevoked(reason="submission_changed")
        )
