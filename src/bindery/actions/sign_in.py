import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from bindery.domain.access.users import (
    FAILURES_COUNT_FOR,
    MOST_FAILURES_OF_AN_ACCOUNT,
    MOST_FAILURES_OF_AN_ADDRESS,
    NotSignedIn,
    TooManyFailures,
    User,
)
from bindery.runtime import Runtime
from bindery.storage import users
from bindery.storage.database import Tx

TOKEN_BYTES: Final = 32
LONGEST_BROWSER: Final = 200
log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """From where somebody signs in."""

    address: str
    name: str


async def sign_in(runtime: Runtime, *, email: str, password: str, browser: Browser) -> str:
    """Sign a user in with a password, and return the token for the cookie.

    An address without an account takes as long to refuse as a wrong password, and is refused the same way.

    Raises:
        TooManyFailures: wrong passwords came too often, for this account or from this address.
        NotSignedIn: there is no such user, or the password is wrong.
    """
    now = runtime.clock.real_now()
    account, address = f"account {email.strip().lower()}", f"address {browser.address}"
    async with runtime.database.reading() as tx:
        failures = await users.count_failures(tx, [account, address], at=now)
        found = await users.find_by_email(tx, email.strip())
    if failures[account] >= MOST_FAILURES_OF_AN_ACCOUNT or failures[address] >= MOST_FAILURES_OF_AN_ADDRESS:
        minutes = int(FAILURES_COUNT_FOR.total_seconds()) // 60
        raise TooManyFailures(f"Too many wrong passwords. Try again in {minutes} minutes.")
    user, password_hash = found or (None, None)
    is_right = await runtime.passwords.check(password_hash, password)
    async with runtime.database.transaction() as tx:
        if user is None or not is_right:
            await users.record_failure(tx, [account, address], at=now)
        else:
            await users.forget_failures(tx, account)
            return await admit(tx, user, browser, at=now)
    log.warning("sign_in_failed", address=browser.address)
    raise NotSignedIn("The address or the password is wrong.")


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
