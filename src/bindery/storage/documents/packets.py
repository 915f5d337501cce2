"""The facts that documents of a quote show, frozen with the offer, the bind or the issuance."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import msgspec

from bindery.contract.documents import DocumentType, PacketDocument, PacketType
from bindery.domain.documents.access import FROZEN_WITH
from bindery.domain.documents.facts import (
    ApplicantFacts,
    DocumentFacts,
    OptionFacts,
    ScanView,
    join_facts,
    read_applicant_facts,
    read_option_facts,
    write_facts,
)
from bindery.storage.database import Reader, Tx

_read_forms = msgspec.json.Decoder(list[PacketDocument]).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenPacket:
    submission_id: uuid.UUID
    quote_id: uuid.UUID
    packet: PacketType
    applicant: ApplicantFacts
    option: OptionFacts


@dataclass(frozen=True, slots=True)
class FoundPacket:
    facts: DocumentFacts
    frozen_at: datetime
    is_made: bool


async def freeze(tx: Tx, packets: Sequence[FrozenPacket]) -> None:
    """Keep the facts and forms of packets as they are now; what was frozen before stays."""
    applicants = {packet.submission_id: packet.applicant for packet in packets}
    await tx.execute(
        """
        with applicants as (
            insert into applicant_facts (submission_id, facts)
            select * from unnest($1::uuid[], $2::text[]) on conflict do nothing
        )
        insert into packets (quote_id, packet, forms, facts, made_at)
        select *, $7 from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) on conflict do nothing
        """,
        list(applicants),
        [write_facts(applicant) for applicant in applicants.values()],
        [packet.quote_id for packet in packets],
        [packet.packet for packet in packets],
        [forms_in(packet.option, packet.packet) for packet in packets],
        [write_facts(packet.option) for packet in packets],
        tx.now,
    )


def forms_in(facts: OptionFacts, packet: PacketType) -> str:
    shown = [msgspec.convert(form, PacketDocument, from_attributes=True) for form in facts.forms.of(packet)]
    return msgspec.json.encode(shown).decode()


async def find(
    tx: Reader, quote_id: uuid.UUID, packet: PacketType, kind: DocumentType | None = None, version: int = 1
) -> FoundPacket | None:
    """Find a packet with the facts of a version of one of its documents.

    One from before facts were frozen is not there.
    """
    statement = """
    select coalesce(e.facts, p.facts), a.facts, p.made_at, p.documents_made
    from packets p join quotes q using (quote_id) join applicant_facts a using (submission_id)
    left join editions e on e.quote_id = p.quote_id and e.type = $3 and e.version = $4
    where p.quote_id = $1 and p.packet = $2 and coalesce(e.facts, p.facts) is not null
    """
    row = await tx.connection.fetchrow(statement, quote_id, packet, kind, version)
    if row is None:
        return None
    return FoundPacket(join_facts(read_applicant_facts(row[1]), read_option_facts(row[0])), row[2], row[3])


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """`facts` is None for an option offered before facts were frozen."""

    quote_id: uuid.UUID
    option_number: int
    facts: OptionFacts | None


@dataclass(frozen=True, slots=True)
class OfferedOptions:
    """The options of a submission at one moment; `replaces` is the moment before it, if there was one."""

    applicant: ApplicantFacts | None
    options: tuple[OfferedOption, ...]
    asked_for: int
    replaces: datetime | None


_OFFERED: Final = """
    from quotes mine join quotes other using (submission_id)
    join (select quote_id, made_at as frozen_at, facts from packets where packet = 'quote'
          union all
          select quote_id, frozen_at, facts from editions where type = 'quote_letter') as f
      on f.quote_id = other.quote_id
    where mine.quote_id = $1
"""


async def offered_moments(tx: Reader, quote_id: uuid.UUID) -> int:
    """Count the moments at which options of a submission were offered or changed."""
    return await tx.value(int, f"select count(distinct f.frozen_at) {_OFFERED}", quote_id)


async def offered_options(tx: Reader, quote_id: uuid.UUID, moment: int) -> OfferedOptions:
    """Return the options of a submission as they were offered at one of those moments, counted from 1."""
    statement = f"""
    with offered as (select f.*, other.option_number {_OFFERED}),
         moments as (select array_agg(distinct frozen_at order by frozen_at) as at from offered)
    select distinct on (o.quote_id) o.quote_id, o.option_number, o.facts, a.facts as applicant,
           (select count(*) from quotes q
            where q.submission_id = s.submission_id and q.created_at <= m.at[$2]) as asked_for,
           m.at[$2 - 1] as replaces
    from offered o cross join moments m
    join quotes s on s.quote_id = $1 left join applicant_facts a using (submission_id)
    where o.frozen_at <= m.at[$2] order by o.quote_id, o.frozen_at desc
    """
    rows = await tx.connection.fetch(statement, quote_id, moment)
    applicant = rows[0]["applicant"]
    return OfferedOptions(
        applicant=read_applicant_facts(applicant) if applicant else None,
        options=tuple(
            OfferedOption(row[0], row[1], read_option_facts(row[2]) if row[2] else None) for row in rows
        ),
        asked_for=rows[0]["asked_for"],
        replaces=rows[0]["replaces"],
    )


@dataclass(frozen=True, slots=True)
class IssuedDocument:
    """The newest version of a document, made or not, and since when it says what it says."""

    version: int
    at: datetime


async def issued_documents(tx: Reader, quote_id: uuid.UUID) -> dict[DocumentType, IssuedDocument]:
    """Return what is known of the documents of a quote.

    What no facts were frozen for counts from the moment at which it was made, and is not there before.
    """
    statement = f"""
    select type, max(version), coalesce(max(at) filter (where is_frozen), max(at)) from (
        select k.type, 1 as version, p.made_at as at, true as is_frozen
        from packets p join unnest($2::text[], $3::text[]) as k (type, packet) using (packet)
        where p.quote_id = $1
        union all select type, version, frozen_at, true from editions where quote_id = $1
        union all select type, version, written_at, true from notices where quote_id = $1
        union all select $4, 1 + version, written_at, true from notices where quote_id = $1 and type = $5
        union all select $6, dense_rank() over (order by f.frozen_at), f.frozen_at, true {_OFFERED}
        union all select type, version, made_at, false from documents where quote_id = $1
    ) as known group by type
    """
    kinds, of_packets = list(FROZEN_WITH), list(FROZEN_WITH.values())
    certificate = (DocumentType.CERTIFICATE, DocumentType.ENDORSEMENT)
    rows = await tx.connection.fetch(
        statement, quote_id, kinds, of_packets, *certificate, DocumentType.COMPARISON
    )
    return {DocumentType(row[0]): IssuedDocument(row[1], row[2]) for row in rows}


async def forms_of(tx: Reader, quote_id: uuid.UUID, packet: PacketType) -> list[PacketDocument]:
    statement = "select forms from packets where quote_id = $1 and packet = $2"
    forms = await tx.find_value(str, statement, quote_id, packet)
    return [] if forms is None else _read_forms(forms)


@dataclass(frozen=True, slots=True)
class MadePacket:
    """`renewed` are the documents that are new since the packet was complete before; None for all."""

    renewed: list[str] | None


async def mark_made(tx: Tx, quote_id: uuid.UUID, packet: PacketType) -> MadePacket | None:
    """Record that a packet is complete; None where that is no news."""
    statement = """
    update packets set documents_made = true
    where quote_id = $1 and packet = $2 and not documents_made returning renewed
    """
    return await tx.row(MadePacket, statement, quote_id, packet)


async def claim_unmade(tx: Tx, *, lease: timedelta) -> tuple[uuid.UUID, PacketType] | None:
    """Claim the newest packet with documents to make, for the time of a lease; None if all are made."""
    statement = """
    update packets p set claimed_until = now() + $1::interval
    from (select quote_id, packet from packets
          where not documents_made and (claimed_until is null or claimed_until < now())
          order by made_at desc limit 1 for update skip locked) as newest
    where p.quote_id = newest.quote_id and p.packet = newest.packet
    returning p.quote_id, p.packet
    """
    row = await tx.connection.fetchrow(statement, lease)
    return None if row is None else (row["quote_id"], PacketType(row["packet"]))


async def give_back(tx: Tx, quote_id: uuid.UUID, packet: PacketType) -> None:
    await tx.update("packets", {"quote_id": quote_id, "packet": packet}, claimed_until=None)


@dataclass(frozen=True, slots=True)
class Background:
    broker_name: str | None
    broker_firm: str | None
    earlier_scan: ScanView | None


class _Scanned(msgspec.Struct):
    scan: ScanView | None


_read_scanned = msgspec.json.Decoder(_Scanned).decode


async def of_submissions(tx: Reader, submission_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Background]:
    statement = """
    select s.submission_id, u.name, b.firm, (
        select a.facts from submissions e join applicant_facts a using (submission_id)
        where e.company_id = s.company_id and e.created_at < s.created_at and e.scan is not null
        order by e.created_at desc limit 1)
    from submissions s join brokers b using (broker_id)
    left join users u on u.email = b.email and u.partner_id = b.partner_id and u.disabled_at is null
    where s.submission_id = any($1)
    """
    rows = await tx.connection.fetch(statement, list(submission_ids))
    return {
        row[0]: Background(row[1], row[2], _read_scanned(row[3]).scan if row[3] else None) for row in rows
    }
