import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.contract.documents import DocumentType
from bindery.storage.database import Reader, Tx, columns_of, of_table, values_of


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


_COLUMNS = columns_of(StoredDocument)


async def of_version(
    tx: Reader, quote_id: uuid.UUID, kind: DocumentType, version: int
) -> StoredDocument | None:
    statement = f"select {_COLUMNS} from documents where quote_id = $1 and type = $2 and version = $3"
    return await tx.row(StoredDocument, statement, quote_id, kind, version)


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[StoredDocument]:
    statement = f"""
    select distinct on (quote_id, type) {_COLUMNS} from documents where quote_id = any($1)
    order by quote_id, type, version desc
    """
    return await tx.rows(StoredDocument, statement, list(quote_ids))


async def add(tx: Tx, made: StoredDocument) -> None:
    await tx.insert("documents", values_of(made), otherwise="on conflict do nothing")


async def find_shared(
    tx: Reader, quote_id: uuid.UUID, kind: DocumentType, *, frozen_at: datetime
) -> StoredDocument | None:
    """Find a document of another option of the submission that was offered at the same moment."""
    statement = f"""
    select {of_table("d", _COLUMNS)}
    from quotes mine
    join quotes other using (submission_id)
    join packets p on p.quote_id = other.quote_id and p.packet = 'quote' and p.made_at = $3
    join documents d on d.quote_id = other.quote_id and d.type = $2
    where mine.quote_id = $1 limit 1
    """
    return await tx.row(StoredDocument, statement, quote_id, kind, frozen_at)
