import hashlib
import secrets
from datetime import datetime
from typing import Final

from bindery.actions.access.check_password import Browser, check_password
from bindery.domain.access.users import User
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.database import Tx

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
