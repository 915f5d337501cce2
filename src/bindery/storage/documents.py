"""Which generated documents a quote has."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from bindery.contract.documents import DocumentType
from bindery.storage.database import Reader, Tx

_COLUMNS = "quote_id, type, version, sha256, size, fingerprint, made_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A generated document; its content is the file of that hash."""

    quote_id: uuid.UUID
    type: DocumentType
    version: int
    sha256: str
    size: int
    fingerprint: str | None
    made_at: datetime


def _from_row(row: asyncpg.Record) -> StoredDocument:
    return StoredDocument(**{**row, "type": DocumentType(row["type"])})


async def of_version(
    tx: Reader, quote_id: uuid.UUID, kind: DocumentType, version: int
) -> StoredDocument | None:
    """Find one version of a document."""
    row = await tx.connection.fetchrow(
        f"select {_COLUMNS} from documents where quote_id = $1 and type = $2 and version = $3",
        quote_id,
        kind,
        version,
    )
    return None if row is None else _from_row(row)


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[StoredDocument]:
    """List the newest version of each document of some quotes."""
    rows = await tx.connection.fetch(
        f"""
        select distinct on (quote_id, type) {_COLUMNS} from documents where quote_id = any($1)
        order by quote_id, type, version desc
        """,
        list(quote_ids),
    )
    return [_from_row(row) for row in rows]


async def add(tx: Tx, made: StoredDocument) -> None:
    """Record a document; one that is recorded already stays as it is."""
    await tx.connection.execute(
        f"insert into documents ({_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing",
        made.quote_id,
        made.type,
        made.version,
        made.sha256,
        made.size,
        made.fingerprint,
        made.made_at,
    )


async def find_shared(
    tx: Reader, quote_id: uuid.UUID, kind: DocumentType, *, frozen_at: datetime
) -> StoredDocument | None:
    """Find a document of another option of the submission that was offered at the same moment."""
    row = await tx.connection.fetchrow(
        f"""
        select {", ".join("d." + column.strip() for column in _COLUMNS.split(","))}
        from quotes mine
        join quotes other using (submission_id)
        join packets p on p.quote_id = other.quote_id and p.packet = 'quote' and p.made_at = $3
        join documents d on d.quote_id = other.quote_id and d.type = $2
        where mine.quote_id = $1 limit 1
        """,
        quote_id,
        kind,
        frozen_at,
    )
    return None if row is None else _from_row(row)
