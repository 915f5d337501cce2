import hashlib
import secrets
from datetime import datetime
from typing import Final

from bindery.actions.access.check_password import Browser, check_password
from bindery.base.clock import Clock
from bindery.base.errors import NotFound
from bindery.domain.access.users import User
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.access.users import SignedIn
from bindery.storage.database import Database, Tx

TOKEN_BYTES: Final = 32
LONGEST_BROWSER: Final = 200


async def sign_in(runtime: Runtime, *, email: str, password: str, browser: Browser) -> str:
    """Sign a user in with a password, and return the token for the cookie.

    Raises:
        TooManyPasswords: as many wait to be checked as may, from this address or in all.
        TooManyFailures: wrong passwords came too often, for this account or from this address.
        NotSignedIn: there is no such user, or the password is wrong.
    """
    user = await check_password(runtime, email=email, password=password, browser=browser)
    async with runtime.database.transaction() as tx:
        return await admit(tx, user, browser, at=runtime.clock.real_now())


async def admit(tx: Tx, user: User, browser: Browser, *, at: datetime) -> str:
    """Sign a user in who has shown who it is, and return the token for the cookie."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    await users.record_sign_in(
        tx,
        user.user_id,
        token_sha256=hash_of(token),
        at=at,
        address=browser.address,
        browser=browser.name[:LONGEST_BROWSER],
    )
    return token


def hash_of(token: str) -> bytes:
    """Return what is kept of a token: whoever reads the database cannot sign in with it."""
    return hashlib.sha256(token.encode()).digest()


async def sign_out(database: Database, signed_in: SignedIn, *, everywhere: bool) -> None:
    """Sign a user out, in this browser or in all of them."""
    async with database.transaction() as tx:
        if everywhere:
            await users.sign_out_everywhere(tx, signed_in.user.user_id)
        else:
            await users.sign_out(tx, signed_in.token_sha256)


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
