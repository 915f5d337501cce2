import uuid
from collections.abc import Sequence

import asyncpg

from bindery.contract.vocabulary import ContingencyStatus, ContingencyType
from bindery.domain.contingencies import Contingency, ContingencyKind, DraftContingency
from bindery.storage.database import Tx

_COLUMNS = "contingency_id, kind, type, text, status"


def _from_row(row: asyncpg.Record) -> Contingency:
    return Contingency(
        contingency_id=str(row["contingency_id"]),
        kind=ContingencyKind(row["kind"]),
        type=ContingencyType(row["type"]),
        text=row["text"],
        status=ContingencyStatus(row["status"]),
    )


async def add(tx: Tx, quote_id: uuid.UUID, drafts: Sequence[DraftContingency]) -> list[Contingency]:
    """Open contingencies on a quote and return them; one of a kind that only the machine sets opens once."""
    rows = await tx.connection.fetch(
        f"""
        insert into contingencies (quote_id, kind, type, text, status, created_at)
        select $1, d.kind, d.type, d.text, 'open', $5
        from unnest($2::text[], $3::text[], $4::text[]) with ordinality as d(kind, type, text, place)
        where d.kind = 'underwriter'
           or not exists (select from contingencies c where c.quote_id = $1 and c.kind = d.kind)
        order by d.place
        returning {_COLUMNS}
        """,
        quote_id,
        [draft.kind for draft in drafts],
        [draft.type for draft in drafts],
        [draft.text for draft in drafts],
        tx.now,
    )
    return [_from_row(row) for row in rows]


async def of_quote(tx: Tx, quote_id: uuid.UUID) -> list[Contingency]:
    """List a quote's contingencies in the order they were opened."""
    rows = await tx.connection.fetch(
        f"select {_COLUMNS} from contingencies where quote_id = $1 order by 1", quote_id
    )
    return [_from_row(row) for row in rows]


async def set_status(tx: Tx, quote_id: uuid.UUID, contingency_id: str, *, is_open: bool) -> None:
    """Open or close one contingency."""
    await tx.connection.execute(
        """
        update contingencies set status = case when $3 then 'open' else 'closed' end,
                                 closed_at = case when $3 then null else $4::timestamptz end
        where quote_id = $1 and contingency_id = $2
        """,
        quote_id,
        int(contingency_id),
        is_open,
        tx.now,
    )
