import hashlib
import secrets

from bindery.domain.access.deeds import Deed, Doer
from bindery.storage.database import Database
from bindery.storage.operations import deeds
from bindery.storage.policy import calendar_feeds

TOKEN_BYTES = 32


def hash_of(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


async def make_calendar(database: Database, user_id: int, *, by: Doer) -> str:
    """Return the secret of a new address for a user's calendar; only its hash is kept."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    async with database.transaction() as tx:
        await calendar_feeds.put(tx, user_id, hash_of(token))
        await deeds.append(tx, by, Deed.CALENDAR_MADE, by.name, user_id=user_id)
    return token


async def remove_calendar(database: Database, user_id: int, *, by: Doer) -> bool:
    """Take the address of a user's calendar back; return whether there was one."""
    async with database.transaction() as tx:
        is_gone = await calendar_feeds.remove(tx, user_id)
        if is_gone:
            await deeds.append(tx, by, Deed.CALENDAR_REMOVED, by.name, user_id=user_id)
    return is_gone
