"""Group commit: new applicants who come at the same time share a transaction.

A commit waits for the disk, so one for up to 32 requests is worth several times as many requests a second.
Each request still succeeds or fails alone.
"""

from collections.abc import Mapping, Sequence

import asyncpg

from bindery.actions.submit_quotes import SubmitAsk, draft_intake, submit_quotes
from bindery.base.errors import BinderyError
from bindery.domain import clearance as bor
from bindery.domain.clearance import clearance_keys
from bindery.domain.practice import Practice
from bindery.metrics import group_commit_size
from bindery.runtime import Runtime
from bindery.storage import clearance, idempotency, intake
from bindery.storage.database import UNAVAILABLE, Tx

MOST_TOGETHER = 32
Outcome = bytes | Exception


async def submit_together(runtime: Runtime, asks: Sequence[SubmitAsk]) -> list[Outcome]:
    """Write accepted requests and give each its receipt's JSON, or what refused it."""
    group_commit_size.observe(len(asks))
    outcomes: dict[int, Outcome] = {}
    together = _strangers(asks)
    if len(together) > 1:
        written = await _write_batch(runtime, [asks[place] for place in together])
        outcomes.update(zip(together, written, strict=False))
    return [
        outcomes[place] if place in outcomes else await _alone(runtime, ask) for place, ask in enumerate(asks)
    ]


class _BatchRefused(Exception):
    """The database refused the batch before anything was committed."""


async def _write_batch(runtime: Runtime, asks: Sequence[SubmitAsk]) -> list[Outcome]:
    """Write a batch and return what became of each; nothing when each may be tried again alone.

    Only a batch that was refused before its commit is tried again. When the commit itself fails, it may have
    happened all the same: then everybody hears of the fault, and whoever has a key can ask again.
    """
    try:
        async with runtime.database.transaction() as tx:
            try:
                return await _write(tx, runtime.practice, asks)
            except asyncpg.PostgresError as fault:
                if isinstance(fault, UNAVAILABLE):
                    raise
                raise _BatchRefused from fault
    except _BatchRefused:
        # A row that the database refuses fails alone.
        return []
    except Exception as fault:  # noqa: BLE001 - each caller hears of it, not only the first
        return [fault] * len(asks)


def _strangers(asks: Sequence[SubmitAsk]) -> list[int]:
    """Choose the requests that have nothing to do with each other, so that none decides another's fate."""
    chosen: list[int] = []
    seen: set[object] = set()
    for place, ask in enumerate(asks):
        marks: set[object] = set(clearance_keys(ask.submission))
        if ask.caller.idempotency_key is not None:
            marks.add((ask.caller.partner_id, ask.caller.idempotency_key))
        if ask.company_id is None and not marks & seen:
            chosen.append(place)
            seen |= marks
    return chosen


async def _write(tx: Tx, practice: Practice, asks: Sequence[SubmitAsk]) -> list[Outcome]:
    outcomes: list[Outcome | None] = [await _first_answer(tx, ask) for ask in asks]
    fresh = [ask for ask, outcome in zip(asks, outcomes, strict=True) if outcome is None]
    refusals = await _refusals(tx, practice, fresh)
    drafts = [draft_intake(tx, ask) for ask, refusal in zip(fresh, refusals, strict=True) if refusal is None]
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


async def _refusals(tx: Tx, practice: Practice, asks: Sequence[SubmitAsk]) -> list[BinderyError | None]:
    """Check the broker of record of all of them with one look."""
    keys = [clearance_keys(ask.submission) for ask in asks]
    played = [practice.magic.played_conflict(ask.submission) for ask in asks]
    taken: Mapping[bor.Key, frozenset[int]] = {}
    if None in played:
        everybodys = [key for its_keys in keys for key in its_keys]
        await clearance.hold_keys(tx, everybodys)
        since = bor.window_start(tx.today, practice.zone)
        taken = await clearance.taken_keys(tx, everybodys, company_id=None, since=since)
    return [
        _refusal(conflict or bor.conflict_over(its_keys, taken, ask.caller.partner_id))
        for ask, its_keys, conflict in zip(asks, keys, played, strict=True)
    ]


def _refusal(conflict: bor.Conflict) -> BinderyError | None:
    try:
        bor.check_clearance(conflict)
    except BinderyError as refusal:
        return refusal
    return None


async def _alone(runtime: Runtime, ask: SubmitAsk) -> Outcome:
    try:
        return await submit_quotes(runtime, ask)
    except Exception as fault:  # noqa: BLE001 - it is the caller's to hear, not his neighbours'
        return fault
