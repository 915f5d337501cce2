from bindery.domain.access.users import User
from bindery.storage.access import users
from bindery.storage.database import Database


async def change_appearance(
    database: Database, user: User, *, scheme: str | None = None, has_keys: bool | None = None
) -> None:
    """Keep how pages look for a user, and whether single keys do something there."""
    async with database.autocommit() as tx:
        if scheme is not None:
            await users.set_scheme(tx, user.user_id, scheme)
        if has_keys is not None:
            await users.set_has_keys(tx, user.user_id, has_keys=has_keys)
