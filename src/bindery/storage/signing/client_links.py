"""Links to clients; their status is written by `move` and `expire` alone."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from bindery.domain.signing.client_link import MOVES, ClientLink, LinkPurpose, LinkStatus
from bindery.storage.database import Reader, Tx, columns_of, values_of

_COLUMNS = columns_of(ClientLink)


async def add(tx: Tx, link: ClientLink, *, token_sha256: bytes, sealed_token: bytes) -> None:
    row = {**values_of(link), "token_sha256": token_sha256, "sealed_token": sealed_token}
    await tx.insert("client_links", row)


async def find_by_token(tx: Reader, token_sha256: bytes) -> ClientLink | None:
    return await tx.row(
        ClientLink, f"select {_COLUMNS} from client_links where token_sha256 = $1", token_sha256
    )


async def find(tx: Reader, link_id: uuid.UUID, *, partner_id: int) -> ClientLink | None:
    statement = f"select {_COLUMNS} from client_links where link_id = $1 and partner_id = $2"
    return await tx.row(ClientLink, statement, link_id, partner_id)


async def get(tx: Reader, link_id: uuid.UUID) -> ClientLink:
    link = await tx.row(ClientLink, f"select {_COLUMNS} from client_links where link_id = $1", link_id)
    assert link is not None, "a link is removed long after it ended"
    return link


async def lock(tx: Tx, link_id: uuid.UUID) -> ClientLink:
    """Lock a link, after its quote: the order in which every action locks them."""
    # Not for update: a try of the link's code, which is counted at the same time, refers to it by its key.
    statement = f"select {_COLUMNS} from client_links where link_id = $1 for no key update"
    link = await tx.row(ClientLink, statement, link_id)
    assert link is not None, "a link is removed long after it ended"
    return link


async def of_quotes(tx: Reader, quote_ids: list[uuid.UUID], *, limit: int) -> list[ClientLink]:
    """List the links about quotes, the newest first."""
    statement = f"""
    select {_COLUMNS} from client_links where quote_id = any($1) order by created_at desc, link_id limit $2
    """
    return await tx.rows(ClientLink, statement, quote_ids, limit)


async def of_draft(tx: Reader, draft_id: uuid.UUID, *, limit: int) -> list[ClientLink]:
    statement = f"""
    select {_COLUMNS} from client_links where draft_id = $1 order by created_at desc, link_id limit $2
    """
    return await tx.rows(ClientLink, statement, draft_id, limit)


async def sealed_tokens(tx: Reader, link_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, bytes]:
    statement = "select link_id, sealed_token from client_links where link_id = any($1)"
    rows = await tx.connection.fetch(statement, list(link_ids))
    return {row["link_id"]: row["sealed_token"] for row in rows}


async def count_since(
    tx: Reader, *, quote_id: uuid.UUID | None, draft_id: uuid.UUID | None, since: datetime
) -> int:
    which = "quote_id = $1" if quote_id is not None else "draft_id = $1"
    statement = f"select count(*) from client_links where {which} and created_at > $2"
    return await tx.value(int, statement, quote_id or draft_id, since)


async def waiting_for(
    tx: Reader,
    *,
    quote_ids: Sequence[uuid.UUID],
    draft_id: uuid.UUID | None,
    purpose: LinkPurpose,
    email: str,
) -> list[uuid.UUID]:
    """Return the links to the same address, about one of the quotes or the draft, that wait for its owner."""
    which = "quote_id = any($1)" if quote_ids else "draft_id = $1"
    statement = f"""
    select link_id from client_links
    where {which} and purpose = $2 and lower(email) = lower($3) and status in ('sent', 'opened')
    """
    return await tx.column(uuid.UUID, statement, list(quote_ids) or draft_id, purpose, email)


async def move(
    tx: Tx,
    link_id: uuid.UUID,
    to: LinkStatus,
    *,
    read_version: int | None = None,
    said: str | None = None,
    answers: str | None = None,
) -> bool:
    """Move a link to a status, unless somebody was first: the one door to it.

    With a `read_version` only while the letter of its offer still has that version.
    """
    statement = """
    update client_links l set status = $2,
        opened_at = case when $2 = 'opened' then $4 else opened_at end,
        settled_at = case when $2 <> 'opened' then $4::timestamptz end,
        said = coalesce($5, said), answers = coalesce($6, answers)
    where link_id = $1 and status = any($3)
      and ($7::integer is null or $7 = (select coalesce(max(version), 1) from editions e
                                        where e.quote_id = l.quote_id and e.type = 'quote_letter'))
    """
    values = link_id, to, list(MOVES[to]), tx.now, said, answers, read_version
    return await tx.execute(statement, *values) == 1


async def take(tx: Tx, link_id: uuid.UUID, *, by: str | None = None) -> bool:
    """Note that a client's answers are in the draft, unless somebody was first."""
    statement = """
    update client_links set taken_at = $2, taken_by = $3
    where link_id = $1 and status = 'answered' and taken_at is null
    """
    return await tx.execute(statement, link_id, tx.now, by) == 1


async def revoke_of_draft(tx: Tx, draft_id: uuid.UUID) -> None:
    """Revoke the links that wait for answers to a draft that is sent or deleted."""
    statement = """
    select link_id from client_links where draft_id = $1 and status in ('sent', 'opened') order by link_id
    """
    for link_id in await tx.column(uuid.UUID, statement, draft_id):
        await move(tx, link_id, LinkStatus.REVOKED)


async def expire(tx: Tx, *, limit: int) -> int:
    """Move links that have ended to `expired`, and return how many."""
    statement = """
    update client_links set status = 'expired', settled_at = $1
    where link_id in (select link_id from client_links
                      where status in ('sent', 'opened') and expires_at <= $1
                      order by expires_at limit $2 for update skip locked)
    """
    return await tx.execute(statement, tx.now, limit)


async def standing_still(
    tx: Reader, endings: Sequence[str], *, before: datetime, limit: int
) -> list[uuid.UUID]:
    """List links to sign that wait for applicants whose names end so."""
    statement = """
    select l.link_id from client_links l join quotes q using (quote_id)
    join submissions s using (submission_id)
    where l.status in ('sent', 'opened') and l.purpose <> 'answers' and l.created_at < $1
      and s.name like any($2)
    order by l.expires_at limit $3
    """
    return await tx.column(uuid.UUID, statement, before, [f"%{ending}" for ending in endings], limit)


async def count_opening(tx: Tx, link_id: uuid.UUID) -> None:
    await tx.execute("update client_links set openings = openings + 1 where link_id = $1", link_id)


async def choose(tx: Tx, link_id: uuid.UUID, quote_id: uuid.UUID) -> bool:
    """Note which option of a proposal the client chose, while it waits."""
    statement = """
    update client_links set quote_id = $2, chosen_at = $3
    where link_id = $1 and purpose = 'proposal' and status in ('sent', 'opened') and $2 = any(option_ids)
    """
    return await tx.execute(statement, link_id, quote_id, tx.now) == 1


async def purge(tx: Tx, *, before: datetime, limit: int) -> int:
    """Remove links that ended before without the client having done anything."""
    statement = """
    delete from client_links where link_id in (
        select link_id from client_links where status in ('expired', 'revoked') and settled_at < $1
        order by settled_at limit $2 for update skip locked)
    """
    return await tx.execute(statement, before, limit)
