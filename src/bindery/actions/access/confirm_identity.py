from bindery.actions.access.check_password import Browser, check_password
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.access.users import SignedIn


async def confirm_identity(runtime: Runtime, signed_in: SignedIn, password: str, *, browser: Browser) -> None:
    """Note that whoever is signed in gave their password just now.

    Raises:
        TooManyPasswords: as many wait to be checked as may, from this address or in all.
        TooManyFailures: wrong passwords came too often, for this account or from this address.
        NotSignedIn: the password is wrong.
    """
    await check_password(runtime, email=signed_in.user.email, password=password, browser=browser)
    async with runtime.database.autocommit() as tx:
        await users.confirm(tx, signed_in.token_sha256, at=runtime.clock.real_now())
