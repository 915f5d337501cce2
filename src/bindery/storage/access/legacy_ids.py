"""Identifiers of version 0.1, which stay valid; the rest of the code never sees them."""

import uuid
from collections.abc import Sequence

from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.database import Reader, Tx


async def unknown_new_ids(tx: Reader, partner_id: int, rows: Sequence[LegacyRow]) -> list[str]:
    statement = """
    select new_id from unnest($1::text[], $2::text[]) as given(kind, new_id)
    where not case kind
        when 'quote' then exists (select from quotes where quote_id = new_id::uuid and partner_id = $3)
        else exists (select from companies where company_id = new_id::int and partner_id = $3)
    end
    """
    kinds, new_ids = [row.kind for row in rows], [row.new_id for row in rows]
    return await tx.column(str, statement, kinds, new_ids, partner_id)


async def import_ids(tx: Tx, partner_id: int, rows: Sequence[LegacyRow]) -> int:
    """Import a partner's old ids and return how many; a later file corrects an earlier one."""
    await tx.connection.executemany(
        """
        insert into legacy_ids (partner_id, kind, old_id, new_id) values ($1, $2, $3, $4)
        on conflict (partner_id, kind, old_id) do update set new_id = excluded.new_id
        """,
        [(partner_id, row.kind, row.old_id, row.new_id) for row in rows],
    )
    return len(rows)


async def quote_id_of(tx: Reader, identifier: str, *, partner_id: int) -> uuid.UUID | None:
    """Return the quote id that an identifier means: its own text, or the partner's version 0.1 alias."""
    if (quote_id := read_quote_id(identifier)) is not None:
        return quote_id
    new_id = await _resolve(tx, partner_id, "quote", identifier)
    return None if new_id is None else read_quote_id(new_id)


async def company_ids_of(tx: Reader, identifier: str, *, partner_id: int) -> list[int]:
    """Return the company numbers an identifier may mean: its nine digits, then the partner's 0.1 alias.

    An old id may be the number of another partner's company, so callers check whose it is.
    """
    is_number = identifier.isdecimal() and len(identifier) == len("123456789")
    alias = await _resolve(tx, partner_id, "company", identifier)
    return [int(number) for number in (identifier if is_number else None, alias) if number is not None]


def read_quote_id(text: str) -> uuid.UUID | None:
    # Only the canonical spelling: uuid.UUID also takes braces, "urn:" and bare hexadecimal.
    if len(text) != len("01890a5d-ac96-774b-bcce-b302099a8057") or text.count("-") != 4:  # noqa: PLR2004
        return None
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


async def _resolve(tx: Reader, partner_id: int, kind: str, old_id: str) -> str | None:
    statement = "select new_id from legacy_ids where partner_id = $1 and kind = $2 and old_id = $3"
    return await tx.find_value(str, statement, partner_id, kind, old_id)
