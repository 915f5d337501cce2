from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from bindery.base.fair_queue import QueueFull
from bindery.domain.access.users import (
    FAILURES_COUNT_FOR,
    NotSignedIn,
    TooManyFailures,
    TooManyPasswords,
    User,
)
from bindery.runtime import Runtime
from bindery.storage.access import sign_in_attempts, users
from bindery.storage.access.sign_in_attempts import SignInAttempt
from bindery.storage.access.users import SignedIn

WRONG: Final = "The address or the password is wrong."
log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """From where somebody gives a password, and whether they still wait for the answer."""

    address: str
    name: str
    has_left: Callable[[], Awaitable[bool]]


async def check_password(runtime: Runtime, *, email: str, password: str, browser: Browser) -> User:
    """Return the user who has that password, wherever somebody is asked for it.

    Addresses take turns, so that a flood from one does not keep others waiting. In its turn a password is
    counted first, then hashed, and not counted after all if it is right: passwords sent at once are not all
    tried. An e-mail address without an account takes as long to refuse as a wrong password, and is refused
    the same way.

    Raises:
        TooManyPasswords: as many wait as may, from this address or in all.
        TooManyFailures: wrong passwords came too often, for this account or from this address.
        NotSignedIn: there is no such user, or the password is wrong.
    """
    try:
        async with runtime.passwords.turn(browser.address):
            return await _check(runtime, email.strip().lower(), password, browser)
    except QueueFull:
        raise TooManyPasswords("Too many people are signing in. Please try again in a few seconds.") from None


async def _check(runtime: Runtime, email: str, password: str, browser: Browser) -> User:
    if await browser.has_left():
        # Nobody reads the answer, so the password is neither counted nor looked at.
        raise NotSignedIn(WRONG)
    attempt = SignInAttempt(email, browser.address, runtime.clock.real_now())
    async with runtime.database.transaction() as tx:
        may_try = await sign_in_attempts.spend(tx, attempt)
        found = await users.find_by_email(tx, email)
    if not may_try:
        minutes = int(FAILURES_COUNT_FOR.total_seconds()) // 60
        raise TooManyFailures(f"Too many wrong passwords. Try again in {minutes} minutes.")
    user, password_hash = found or (None, None)
    is_right = await runtime.passwords.check(password_hash, password)
    async with runtime.database.transaction() as tx:
        if user is not None and is_right:
            await sign_in_attempts.give_back(tx, attempt, user_id=user.user_id)
            return user
        await sign_in_attempts.forget_old(tx, at=attempt.at)
    log.warning("sign_in_failed", address=browser.address)
    raise NotSignedIn(WRONG)


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
