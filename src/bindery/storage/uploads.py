"""Papers that partners uploaded, and what was found in them."""

import uuid
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.domain.papers.application_matching import JudgedUpload
from bindery.storage.database import Reader, Tx

_COLUMNS = """
    document_id, quote_id, contingency_id, name, content_type, size, sha256, uploaded_at, uploaded_by, finding
"""
_read_finding = msgspec.json.Decoder(JudgedUpload).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded paper; its content is the file of that hash."""

    document_id: uuid.UUID
    quote_id: uuid.UUID
    contingency_id: int | None
    name: str
    content_type: str
    size: int
    sha256: str
    uploaded_at: datetime
    uploaded_by: str
    finding: JudgedUpload


def _from_row(row: asyncpg.Record) -> Upload:
    return Upload(**{**row, "finding": _read_finding(row["finding"])})


async def add(tx: Tx, upload: Upload) -> None:
    """Record an upload."""
    await tx.connection.execute(
        f"insert into uploads ({_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        upload.document_id,
        upload.quote_id,
        upload.contingency_id,
        upload.name,
        upload.content_type,
        upload.size,
        upload.sha256,
        upload.uploaded_at,
        upload.uploaded_by,
        msgspec.json.encode(upload.finding).decode(),
    )


async def of_quote(tx: Reader, quote_id: uuid.UUID) -> list[Upload]:
    """List what was uploaded for a quote, the oldest first."""
    rows = await tx.connection.fetch(
        f"select {_COLUMNS} from uploads where quote_id = $1 order by uploaded_at, document_id", quote_id
    )
    return [_from_row(row) for row in rows]


async def find(tx: Reader, document_id: uuid.UUID) -> Upload | None:
    """Find an upload."""
    row = await tx.connection.fetchrow(f"select {_COLUMNS} from uploads where document_id = $1", document_id)
    return None if row is None else _from_row(row)
