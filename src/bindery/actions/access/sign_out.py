from bindery.storage.access import users
from bindery.storage.access.users import SignedIn
from bindery.storage.database import Database


async def sign_out(database: Database, signed_in: SignedIn, *, everywhere: bool) -> None:
    """Sign a user out, in this browser or in all of them."""
    async with database.transaction() as tx:
        if everywhere:
            await users.sign_out_everywhere(tx, signed_in.user.user_id)
        else:
            await users.sign_out(tx, signed_in.token_sha256)
