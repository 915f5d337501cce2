import uuid
from collections.abc import Collection
from datetime import datetime

from bindery.domain.quote.clearance import Key
from bindery.domain.quote.record_letter import LetterDecision, RecordLetter
from bindery.storage.database import Reader, Tx, columns_of, values_of

_COLUMNS = columns_of(RecordLetter)


async def add(tx: Tx, letter: RecordLetter) -> None:
    await tx.insert("record_letters", values_of(letter))


async def find(tx: Reader, letter_id: uuid.UUID) -> RecordLetter | None:
    statement = f"select {_COLUMNS} from record_letters where letter_id = $1"
    return await tx.row(RecordLetter, statement, letter_id)


async def newest_of_draft(tx: Reader, draft_id: uuid.UUID) -> RecordLetter | None:
    statement = f"""
    select {_COLUMNS} from record_letters where draft_id = $1
    order by uploaded_at desc, letter_id desc limit 1
    """
    return await tx.row(RecordLetter, statement, draft_id)


async def waiting(tx: Reader, *, limit: int) -> list[RecordLetter]:
    """List the letters that nobody has decided on, the oldest first."""
    statement = f"""
    select {_COLUMNS} from record_letters where decision is null order by uploaded_at, letter_id limit $1
    """
    return await tx.rows(RecordLetter, statement, limit)


async def decide(
    tx: Tx, letter_id: uuid.UUID, decision: LetterDecision, *, reason: str = "", by: str
) -> bool:
    """Write what was decided on a letter, unless somebody was first."""
    statement = """
    update record_letters set decision = $2, reason = $3, decided_by = $4, decided_at = $5
    where letter_id = $1 and decision is null
    """
    return await tx.execute(statement, letter_id, decision, reason, by, tx.now) == 1


async def accepted_keys(
    tx: Reader, partner_ids: Collection[int], *, since: datetime
) -> dict[int, frozenset[Key]]:
    """Return what letters accepted since then have lifted the block of, by partner."""
    statement = """
    select l.partner_id, k.kind, k.value
    from record_letters l, unnest(l.key_kinds, l.key_values) as k(kind, value)
    where l.partner_id = any($1) and l.decision = 'accepted' and l.decided_at >= $2
    """
    found: dict[int, set[Key]] = {}
    for row in await tx.connection.fetch(statement, list(partner_ids), since):
        found.setdefault(row["partner_id"], set()).add((row["kind"], row["value"]))
    return {partner_id: frozenset(keys) for partner_id, keys in found.items()}
