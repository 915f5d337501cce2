from bindery.domain.access.users import User
from bindery.runtime import Runtime
from bindery.storage.access import users


async def change_appearance(
    runtime: Runtime, user: User, *, scheme: str | None = None, has_keys: bool | None = None
) -> None:
    """Keep how pages look for a user, and whether single keys do something there."""
    async with runtime.database.autocommit() as tx:
        if scheme is not None:
            await users.set_scheme(tx, user.user_id, scheme)
        if has_keys is not None:
            await users.set_has_keys(tx, user.user_id, has_keys=has_keys)
