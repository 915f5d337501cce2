from bindery.actions.access.check_password import Browser
from bindery.actions.access.sign_in import admit
from bindery.base.errors import NotFound
from bindery.runtime import Runtime
from bindery.storage.access import users


async def enter_demo(runtime: Runtime, email: str, browser: Browser) -> str:
    """Sign one of the demo's people in without a password, and return the token for the cookie.

    Raises:
        NotFound: the demo has nobody of that address.
    """
    async with runtime.database.transaction() as tx:
        found = await users.find_by_email(tx, email)
        if found is None:
            raise NotFound("There is no such page.")
        return await admit(tx, found[0], browser, at=runtime.clock.real_now())
