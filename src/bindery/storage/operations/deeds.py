"""Who did what: a list that only grows, which the database itself sees to."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from bindery.domain.access.deeds import Deed, Doer
from bindery.storage.database import Reader, Tx
from bindery.storage.list_pages import Cursor, ListPage, page_of


async def append(
    tx: Tx,
    by: Doer,
    deed: Deed,
    about: str,
    *,
    details: str = "",
    partner_id: int | None = None,
    user_id: int | None = None,
    token_id: str | None = None,
    quote_id: uuid.UUID | None = None,
) -> None:
    """Note what somebody does, in the transaction in which it is done.

    `about` names what it was done to; the ids say on whose pages it is shown.
    """
    row = {
        "at": tx.real_now,
        "kind": deed,
        "actor": by.name,
        "actor_id": by.user_id,
        "place": by.place,
        "about": about,
        "details": details,
        "partner_id": partner_id,
        "user_id": user_id,
        "token_id": token_id,
        "quote_id": quote_id,
    }
    await tx.insert("deeds", row)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDeed:
    """A deed as it was noted, with what links to it need today."""

    deed_id: int
    at: datetime
    kind: str
    actor: str
    actor_id: int | None
    place: str
    about: str
    details: str
    user_id: int | None
    token_id: str | None
    quote_id: uuid.UUID | None
    partner_key: str | None
    partner_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Which deeds: without any of it, all; `actor` is any part of a name."""

    kinds: Collection[str] = ()
    actor: str = ""
    partner_id: int | None = None
    user_id: int | None = None


_DEEDS: Final = """
select d.deed_id, d.at, d.kind, d.actor, d.actor_id, d.place, d.about, d.details, d.user_id, d.token_id,
       d.quote_id, p.partner_key, p.name as partner_name
from deeds d left join partners p using (partner_id)
"""


async def newest(
    tx: Reader, sought: Sought, *, limit: int, cursor: Cursor | None = None
) -> ListPage[KeptDeed]:
    # Only what is asked for is in the statement, so that each list is read from its index.
    values: list[object] = []

    def given(value: object) -> str:
        values.append(value)
        return f"${len(values)}"

    conditions = ["true"]
    if sought.kinds:
        conditions.append(f"d.kind = any({given(list(sought.kinds))})")
    if sought.actor:
        conditions.append(f"strpos(lower(d.actor), lower({given(sought.actor)})) > 0")
    if sought.partner_id is not None:
        conditions.append(f"d.partner_id = {given(sought.partner_id)}")
    if sought.user_id is not None:
        number = given(sought.user_id)
        conditions.append(f"(d.user_id = {number} or d.actor_id = {number})")
    is_backward = cursor is not None and cursor.backward
    if cursor is not None:
        conditions.append(f"d.deed_id {'>' if is_backward else '<'} {given(cursor.key)}")
    found = await tx.rows(
        KeptDeed,
        f"{_DEEDS} where {' and '.join(conditions)} "
        f"order by d.deed_id {'asc' if is_backward else 'desc'} limit {given(limit + 1)}",
        *values,
    )
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("deed_id"))
