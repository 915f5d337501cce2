from bindery.actions.access.check_password import Browser
from bindery.actions.access.sign_in import admit
from bindery.base.clock import Clock
from bindery.base.errors import NotFound
from bindery.storage.access import users
from bindery.storage.database import Database


async def enter_demo(database: Database, clock: Clock, email: str, browser: Browser) -> str:
    """Sign one of the demo's people in without a password, and return the token for the cookie.

    Raises:
        NotFound: the demo has nobody of that address.
    """
    async with database.transaction() as tx:
        found = await users.find_by_email(tx, email)
        if found is None:
            raise NotFound("There is no such page.")
        return await admit(tx, found[0], browser, at=clock.real_now())
