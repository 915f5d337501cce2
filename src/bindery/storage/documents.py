"""Which generated documents a quote has, and the frozen forms of its packets."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.contract.documents import DocumentType, PacketDocument, PacketType
from bindery.storage.database import Tx

_COLUMNS = "quote_id, type, version, sha256, size, fingerprint, made_at"
_read_forms = msgspec.json.Decoder(list[PacketDocument]).decode


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


async def newest(tx: Tx, quote_id: uuid.UUID, kind: DocumentType) -> StoredDocument | None:
    """Find the newest version of a document."""
    row = await tx.connection.fetchrow(
        f"select {_COLUMNS} from documents where quote_id = $1 and type = $2 order by version desc limit 1",
        quote_id,
        kind,
    )
    return None if row is None else _from_row(row)


async def of_quotes(tx: Tx, quote_ids: Sequence[uuid.UUID]) -> list[StoredDocument]:
    """List the newest version of each document of some quotes."""
    rows = await tx.connection.fetch(
        f"""
        select distinct on (quote_id, type) {_COLUMNS} from documents where quote_id = any($1)
        order by quote_id, type, version desc
        """,
        list(quote_ids),
    )
    return [_from_row(row) for row in rows]


async def add(tx: Tx, made: Sequence[StoredDocument]) -> int:
    """Record documents and give how many are new; what is recorded already stays as it is."""
    status: str = await tx.connection.execute(
        f"""
        insert into documents ({_COLUMNS})
        select * from unnest($1::uuid[], $2::text[], $3::smallint[], $4::text[], $5::int[], $6::text[],
                             $7::timestamptz[])
        on conflict do nothing
        """,
        [document.quote_id for document in made],
        [document.type for document in made],
        [document.version for document in made],
        [document.sha256 for document in made],
        [document.size for document in made],
        [document.fingerprint for document in made],
        [document.made_at for document in made],
    )
    return int(status.rpartition(" ")[2])


async def freeze_packet(
    tx: Tx, quote_id: uuid.UUID, packet: PacketType, forms: Sequence[PacketDocument]
) -> None:
    """Keep the forms of a packet as they are now; the first list stays."""
    await tx.connection.execute(
        """
        insert into packets (quote_id, packet, forms, made_at) values ($1, $2, $3, $4) on conflict do nothing
        """,
        quote_id,
        packet,
        msgspec.json.encode(forms).decode(),
        tx.now,
    )


async def forms_of(tx: Tx, quote_id: uuid.UUID, packet: PacketType) -> list[PacketDocument]:
    """Give the frozen forms of a packet; none while it does not exist."""
    forms: str | None = await tx.connection.fetchval(
        "select forms from packets where quote_id = $1 and packet = $2", quote_id, packet
    )
    return [] if forms is None else _read_forms(forms)
