import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bindery.actions.check_password import check_password
from bindery.domain.access.users import User
from bindery.runtime import Runtime
from bindery.storage import users
from bindery.storage.database import Tx

TOKEN_BYTES: Final = 32
LONGEST_BROWSER: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """From where somebody signs in."""

    address: str
    name: str


async def sign_in(runtime: Runtime, *, email: str, password: str, browser: Browser) -> str:
    """Sign a user in with a password, and return the token for the cookie.

    Raises:
        TooManyFailures: wrong passwords came too often, for this account or from this address.
        NotSignedIn: there is no such user, or the password is wrong.
    """
    user = await check_password(runtime, email=email, password=password, address=browser.address)
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
