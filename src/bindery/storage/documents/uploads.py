import uuid
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.domain.documents.application_matching import JudgedUpload
from bindery.storage.database import Reader, Tx, columns_of, read_row, values_of

_read_finding = msgspec.json.Decoder(JudgedUpload).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded file; its content is stored under that hash."""

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


_COLUMNS = columns_of(Upload)


def _from_row(row: asyncpg.Record) -> Upload:
    return read_row(Upload, row, finding=_read_finding(row["finding"]))


async def add(tx: Tx, upload: Upload) -> None:
    finding = msgspec.json.encode(upload.finding).decode()
    await tx.insert("uploads", values_of(upload) | {"finding": finding})


async def find(tx: Reader, document_id: uuid.UUID) -> Upload | None:
    row = await tx.connection.fetchrow(f"select {_COLUMNS} from uploads where document_id = $1", document_id)
    return None if row is None else _from_row(row)


async def find_same(
    tx: Reader, quote_id: uuid.UUID, contingency_id: int | None, *, sha256: str
) -> Upload | None:
    """Return the upload of the same content for the same contingency of a quote."""
    statement = f"""
    select {_COLUMNS} from uploads
    where quote_id = $1 and contingency_id is not distinct from $2 and sha256 = $3
    order by uploaded_at limit 1
    """
    row = await tx.connection.fetchrow(statement, quote_id, contingency_id, sha256)
    return None if row is None else _from_row(row)


async def contingencies_with_files(tx: Reader, quote_id: uuid.UUID) -> frozenset[str]:
    """Return the contingencies of a quote for which a file came that can be opened."""
    statement = """
    select distinct contingency_id::text from uploads
    where quote_id = $1 and contingency_id is not null and finding::json->>'verdict' <> 'damaged'
    """
    return frozenset(await tx.column(str, statement, quote_id))
