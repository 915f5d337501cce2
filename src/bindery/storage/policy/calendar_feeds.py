"""The secret addresses at which calendars read due dates; each is that of one operator."""

from dataclasses import dataclass
from datetime import datetime

from bindery.storage.database import Reader, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarFeed:
    user_id: int
    made_at: datetime


async def of_user(tx: Reader, user_id: int) -> CalendarFeed | None:
    return await tx.row(
        CalendarFeed, "select user_id, made_at from calendar_feeds where user_id = $1", user_id
    )


async def find(tx: Reader, token_sha256: bytes) -> CalendarFeed | None:
    """Return the feed of an address, as long as its user is an operator and may sign in."""
    statement = """
    select f.user_id, f.made_at from calendar_feeds f join users u using (user_id)
    where f.token_sha256 = $1 and u.role = 'operator' and u.disabled_at is null
    """
    return await tx.row(CalendarFeed, statement, token_sha256)


async def put(tx: Tx, user_id: int, token_sha256: bytes) -> None:
    """Keep a user's address; the one before it works no more."""
    row = {"user_id": user_id, "token_sha256": token_sha256, "made_at": tx.real_now}
    changed = "(token_sha256, made_at) = (excluded.token_sha256, excluded.made_at)"
    otherwise = f"on conflict (user_id) do update set {changed}"
    await tx.insert("calendar_feeds", row, otherwise=otherwise)


async def remove(tx: Tx, user_id: int) -> bool:
    return bool(await tx.execute("delete from calendar_feeds where user_id = $1", user_id))
