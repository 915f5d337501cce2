import uuid
from collections.abc import Sequence

from bindery.contract.vocabulary import ContingencyStatus, ContingencyType
from bindery.domain.contingencies import Contingency, ContingencyKind, DraftContingency
from bindery.storage.database import Tx


async def add(tx: Tx, quote_id: uuid.UUID, drafts: Sequence[DraftContingency]) -> None:
    """Open contingencies on a quote; one of a kind that only the machine sets is opened once."""
    await tx.connection.execute(
        """
        insert into contingencies (quote_id, kind, type, text, status, created_at)
        select $1, d.kind, d.type, d.text, 'open', $5
        from unnest($2::text[], $3::text[], $4::text[]) with ordinality as d(kind, type, text, place)
        where d.kind = 'underwriter'
           or not exists (select from contingencies c where c.quote_id = $1 and c.kind = d.kind)
        order by d.place
        """,
        quote_id,
        [draft.kind for draft in drafts],
        [draft.type for draft in drafts],
        [draft.text for draft in drafts],
        tx.now,
    )


async def of_quote(tx: Tx, quote_id: uuid.UUID) -> list[Contingency]:
    """List a quote's contingencies in the order they were opened."""
    rows = await tx.connection.fetch(
        "select contingency_id, kind, type, text, status from contingencies where quote_id = $1 order by 1",
        quote_id,
    )
    return [
        Contingency(
            contingency_id=str(row["contingency_id"]),
            kind=ContingencyKind(row["kind"]),
            type=ContingencyType(row["type"]),
            text=row["text"],
            status=ContingencyStatus(row["status"]),
        )
        for row in rows
    ]
