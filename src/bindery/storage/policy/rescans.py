"""Policies whose domains are scanned again, and what each of those scans showed."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from bindery.domain.policy.policy import Policy
from bindery.domain.policy.watching import Rescan, next_rescan
from bindery.domain.products import record_of
from bindery.domain.scan.scan import Finding, ScanOutcome
from bindery.storage.database import Reader, Tx

_read_findings = msgspec.json.Decoder(tuple[Finding, ...]).decode


async def watch(tx: Tx, policy: Policy) -> None:
    """Plan the next scan of a policy that comes into force; one that has a day for it keeps that day."""
    if record_of(policy.product).is_scanned:
        row = {"quote_id": policy.quote_id, "due_on": next_rescan(policy, after=tx.today)}
        await tx.insert("watched_policies", row, otherwise="on conflict do nothing")


async def due_on(tx: Reader, quote_id: uuid.UUID) -> date | None:
    statement = "select due_on from watched_policies where quote_id = $1"
    return await tx.find_value(date, statement, quote_id)


async def take_turn(tx: Tx, policy: Policy, turn: date) -> bool:
    """Put a policy off to its next turn; False where somebody else has done so."""
    following = next_rescan(policy, after=tx.today)
    which = {"quote_id": policy.quote_id, "due_on": turn}
    return await tx.update("watched_policies", which, due_on=following) == 1


async def stop(tx: Tx, quote_id: uuid.UUID) -> None:
    await tx.execute("delete from watched_policies where quote_id = $1", quote_id)


async def last_known(tx: Reader, quote_id: uuid.UUID) -> tuple[Finding, ...] | None:
    """Return the findings known after the last rescan; None before the first."""
    statement = "select known from rescans where quote_id = $1 order by scanned_at desc limit 1"
    known = await tx.find_value(str, statement, quote_id)
    return None if known is None else _read_findings(known)


async def alarms_of(tx: Reader, quote_id: uuid.UUID) -> tuple[Finding, ...]:
    statement = "select alarming from rescans where quote_id = $1 and alarming <> '[]' order by scanned_at"
    found = await tx.column(str, statement, quote_id)
    return tuple(finding for alarming in found for finding in _read_findings(alarming))


async def keep(tx: Tx, quote_id: uuid.UUID, rescan: Rescan) -> None:
    await tx.insert(
        "rescans",
        {
            "quote_id": quote_id,
            "scanned_at": tx.now,
            "outcome": rescan.result.outcome,
            "score": rescan.result.score,
            "known": msgspec.json.encode(rescan.known).decode(),
            "alarming": msgspec.json.encode(rescan.alarming).decode(),
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRescan:
    quote_id: uuid.UUID
    scanned_at: datetime
    outcome: ScanOutcome
    score: int | None
    alarming: tuple[Finding, ...]


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID], *, limit: int) -> list[PastRescan]:
    """Return the last rescans of each quote, the newest first."""
    statement = """
    select r.quote_id, r.scanned_at, r.outcome, r.score, r.alarming
    from unnest($1::uuid[]) as asked(quote_id)
    cross join lateral (
        select * from rescans where quote_id = asked.quote_id order by scanned_at desc limit $2) r
    order by r.scanned_at desc
    """
    rows = await tx.connection.fetch(statement, list(quote_ids), limit)
    return [
        PastRescan(
            **dict(row)
            | {"outcome": ScanOutcome(row["outcome"]), "alarming": _read_findings(row["alarming"])}
        )
        for row in rows
    ]


async def purge(tx: Tx, *, before: datetime, limit: int) -> int:
    statement = """
    delete from rescans where (quote_id, scanned_at) in (
        select quote_id, scanned_at from rescans where scanned_at < $1
        order by scanned_at limit $2 for update skip locked)
    """
    return await tx.execute(statement, before, limit)
