import uuid
from collections.abc import Mapping, Sequence

import asyncpg
import msgspec

from bindery.contract.vocabulary import ContingencyStatus
from bindery.domain.documents.application_matching import JudgedUpload
from bindery.domain.policy.contingencies import Closing, Contingency, DraftContingency, ReceivedFile
from bindery.domain.policy.evidence import Evidence, PageSignature, best_evidence
from bindery.storage.database import Reader, Tx, columns_of, read_row

_COLUMNS = columns_of(Contingency)


def _from_row(row: asyncpg.Record) -> Contingency:
    return read_row(Contingency, row, contingency_id=str(row["contingency_id"]))


async def add(
    tx: Tx, drafts: Mapping[uuid.UUID, Sequence[DraftContingency]]
) -> dict[uuid.UUID, list[Contingency]]:
    """Open contingencies on quotes and return those that are new; the machine opens one of a kind once."""
    asked = [(quote_id, draft) for quote_id, its in drafts.items() for draft in its]
    opened: dict[uuid.UUID, list[Contingency]] = {quote_id: [] for quote_id in drafts}
    if not asked:
        return opened
    rows = await tx.connection.fetch(
        f"""
        insert into contingencies (quote_id, kind, type, text, status, created_at, owed_by)
        select d.quote_id, d.kind, d.type, d.text, 'open', $5,
               case when d.kind = 'underwriter' or d.type = 'pre_bind'
                    then (select q.partner_id from quotes q where q.quote_id = d.quote_id) end
        from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
             with ordinality as d(quote_id, kind, type, text, place)
        where d.kind = 'underwriter'
           or not exists (select from contingencies c where c.quote_id = d.quote_id and c.kind = d.kind)
        order by d.place
        returning quote_id, {_COLUMNS}
        """,
        [quote_id for quote_id, _ in asked],
        [draft.kind for _, draft in asked],
        [draft.type for _, draft in asked],
        [draft.text for _, draft in asked],
        tx.now,
    )
    for row in rows:
        opened[row["quote_id"]].append(_from_row(row))
    return opened


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Contingency]]:
    rows = await tx.connection.fetch(
        f"select quote_id, {_COLUMNS} from contingencies where quote_id = any($1) order by contingency_id",
        list(quote_ids),
    )
    found: dict[uuid.UUID, list[Contingency]] = {quote_id: [] for quote_id in quote_ids}
    for row in rows:
        found[row["quote_id"]].append(_from_row(row))
    return found


async def of_quote(tx: Reader, quote_id: uuid.UUID) -> list[Contingency]:
    return (await of_quotes(tx, [quote_id]))[quote_id]


async def close(tx: Tx, quote_id: uuid.UUID, contingency_id: str, closing: Closing) -> None:
    await tx.update(
        "contingencies",
        {"quote_id": quote_id, "contingency_id": int(contingency_id)},
        status=ContingencyStatus.CLOSED,
        closed_at=tx.now,
        closed_as=closing.closed_as,
        closed_reason=closing.reason or None,
    )


async def reopen(tx: Tx, quote_id: uuid.UUID, contingency_id: str, *, because: str = "") -> None:
    statement = """
    update contingencies c
    set status = 'open', closed_at = null, closed_as = null, closed_reason = null, asked_again_at = $3,
        asked_again_because = $4, owed_by = q.partner_id
    from quotes q where q.quote_id = c.quote_id and c.quote_id = $1 and c.contingency_id = $2
    """
    await tx.execute(statement, quote_id, int(contingency_id), tx.now, because)


async def files_of(tx: Reader, quote_id: uuid.UUID) -> list[ReceivedFile]:
    statement = """
    select c.contingency_id::text as contingency, u.uploaded_at as received,
           u.finding::json ->> 'verdict' as finding, c.asked_again_at
    from uploads u join contingencies c using (contingency_id)
    where u.quote_id = $1
    """
    return await tx.rows(ReceivedFile, statement, quote_id)


_read = msgspec.json.Decoder(JudgedUpload).decode


async def signed_application(tx: Reader, quote_id: uuid.UUID) -> Evidence:
    statement = """
    select u.finding from uploads u join contingencies c using (contingency_id)
    where u.quote_id = $1 and c.kind = 'signature'
    """
    rows = await tx.connection.fetch(statement, quote_id)
    return best_evidence(_read(row["finding"]) for row in rows)


async def page_signature(tx: Reader, quote_id: uuid.UUID) -> PageSignature | None:
    return (await page_signatures(tx, [quote_id])).get(quote_id)


async def page_signatures(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, PageSignature]:
    """Return the last signature made on the client's page for each, unless it was asked for again since."""
    statement = """
    select distinct on (s.quote_id) s.quote_id, s.name, s.signed_at
    from signatures s join contingencies c using (quote_id)
    where s.quote_id = any($1) and c.kind = 'signature'
      and (c.asked_again_at is null or c.asked_again_at < s.signed_at)
    order by s.quote_id, s.signed_at desc
    """
    rows = await tx.connection.fetch(statement, list(quote_ids))
    return {row["quote_id"]: read_row(PageSignature, row) for row in rows}
