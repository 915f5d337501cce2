"""The facts of the second and later versions of documents; a packet has those of the first."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.contract.documents import DocumentType, PacketType
from bindery.domain.documents.editions import Edition
from bindery.domain.documents.facts import OptionFacts, read_option_facts, write_facts
from bindery.storage.database import Reader, Tx
from bindery.storage.documents.packets import forms_in

_NEXT: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEdition:
    """Documents of one packet of a quote that say something else from now on."""

    submission_id: uuid.UUID
    quote_id: uuid.UUID
    packet: PacketType
    facts: OptionFacts
    documents: tuple[DocumentType, ...]


async def freeze(tx: Tx, new: Sequence[NewEdition]) -> None:
    """Keep the facts of new versions, one version each; their packets have documents to make again."""
    moments: dict[uuid.UUID, datetime] = {}
    for edition in new:
        if edition.submission_id not in moments:
            moments[edition.submission_id] = await _moment(tx, edition.submission_id)
        await tx.execute(
            """
            with packet as (
                update packets set forms = $4, documents_made = false, claimed_until = null,
                    renewed = case when documents_made then $5::text[]
                              when renewed is not null then array(select distinct unnest(renewed || $5)) end
                where quote_id = $1 and packet = $2
            )
            insert into editions (quote_id, type, version, facts, frozen_at)
            select $1, kind, 1 + coalesce((select max(version) from editions e
                                           where e.quote_id = $1 and e.type = kind), 1), $3, $6
            from unnest($5::text[]) as kind
            """,
            edition.quote_id,
            edition.packet,
            write_facts(edition.facts),
            forms_in(edition.facts, edition.packet),
            list(edition.documents),
            moments[edition.submission_id],
        )


async def _moment(tx: Tx, submission_id: uuid.UUID) -> datetime:
    """Return the moment of what changes now, after every earlier one of the submission.

    The versions of a comparison are these moments. An action that waited for its lock read the clock before
    it; what the same transaction has frozen already belongs to the same version.
    """
    statement = """
    select max(frozen_at) from quotes q join (
        select quote_id, made_at as frozen_at from packets where packet = 'quote'
        union all select quote_id, frozen_at from editions
    ) as f using (quote_id) where q.submission_id = $1
    """
    last = await tx.find_value(datetime, statement, submission_id)
    return tx.now if last is None or last <= tx.now else last + _NEXT


async def newest(
    tx: Reader, quote_id: uuid.UUID, packet: PacketType, kinds: Collection[DocumentType]
) -> dict[DocumentType, Edition]:
    """Return the newest version of documents; empty where none of their facts were frozen."""
    statement = """
    select distinct on (kind) kind, coalesce(e.version, 1), coalesce(e.facts, p.facts)
    from unnest($3::text[]) as kind
    join packets p on p.quote_id = $1 and p.packet = $2 and p.facts is not null
    left join editions e on e.quote_id = $1 and e.type = kind
    order by kind, e.version desc nulls last
    """
    rows = await tx.connection.fetch(statement, quote_id, packet, list(kinds))
    return {DocumentType(row[0]): Edition(row[1], read_option_facts(row[2])) for row in rows}


async def newest_version(tx: Reader, quote_id: uuid.UUID, kind: DocumentType) -> int:
    statement = "select coalesce(max(version), 1) from editions where quote_id = $1 and type = $2"
    return await tx.value(int, statement, quote_id, kind)


async def newest_of(tx: Reader, quote_ids: Sequence[uuid.UUID], kind: DocumentType) -> dict[uuid.UUID, int]:
    """Return the newest version of one document of several quotes; of those that have more than one."""
    statement = """
    select quote_id, max(version) from editions where quote_id = any($1) and type = $2 group by quote_id
    """
    return {row[0]: row[1] for row in await tx.connection.fetch(statement, list(quote_ids), kind)}


async def newest_versions(tx: Reader, quote_id: uuid.UUID) -> dict[DocumentType, int]:
    """Return the newest versions of the documents of a quote that have more than one."""
    statement = "select type, max(version) from editions where quote_id = $1 group by type"
    rows = await tx.connection.fetch(statement, quote_id)
    return {DocumentType(row[0]): row[1] for row in rows}
