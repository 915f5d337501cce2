import hashlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from bindery.actions.access.check_code import UsedCode, check_code
from bindery.base.clock import Clock
from bindery.base.errors import NotFound
from bindery.base.fair_queue import QueueFull
from bindery.domain.access.two_step import SignInTooLate
from bindery.domain.access.users import (
    FAILURES_COUNT_FOR,
    NotSignedIn,
    TooManyFailures,
    TooManyPasswords,
    User,
)
from bindery.runtime import Runtime
from bindery.storage.access import sign_in_attempts, two_step, users
from bindery.storage.access.sign_in_attempts import SignInAttempt
from bindery.storage.access.users import SignedIn
from bindery.storage.database import Database, Tx

WRONG: Final = "The address or the password is wrong."
log = structlog.get_logger()
TOKEN_BYTES: Final = 32
LONGEST_BROWSER: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """Where a password was typed, and whether its sender still waits for the answer."""

    address: str
    name: str
    has_left: Callable[[], Awaitable[bool]]


async def check_password(runtime: Runtime, *, email: str, password: str, browser: Browser) -> User:
    """Return the user who has that password.

    Addresses take turns, so that a flood from one does not keep others waiting. In its turn a password is
    counted first, then hashed, and the count is given back if it is right: passwords sent at once are not all
    tried. An email address without an account takes as long to refuse as a wrong password, and is refused
    the same way.

    Raises:
        TooManyPasswords: too many checks wait, from this address or in all.
        TooManyFailures: too many wrong passwords came for this account or from this address.
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
            await sign_in_attempts.give_back(tx, attempt)
            return user
        await sign_in_attempts.forget_old(tx, at=attempt.at)
    log.warning("sign_in_failed", address=browser.address)
    raise NotSignedIn(WRONG)


async def confirm_identity(runtime: Runtime, signed_in: SignedIn, password: str, *, browser: Browser) -> None:
    """Record that a signed-in user just gave their password; raises what `check_password` does."""
    await check_password(runtime, email=signed_in.user.email, password=password, browser=browser)
    now = runtime.clock.real_now()
    async with runtime.database.transaction() as tx:
        await users.confirm(tx, signed_in.token_sha256, at=now)
        await sign_in_attempts.remember_address(tx, signed_in.user.user_id, browser.address, at=now)


@dataclass(frozen=True, slots=True)
class SignedInNow:
    """The user is in; `token` is for the cookie."""

    token: str
    recovery_codes_left: int | None = None
    """Given after signing in with one."""


@dataclass(frozen=True, slots=True)
class NeedsCode:
    """The password was right; with `token` and a code the user is in."""

    token: str


async def sign_in(
    runtime: Runtime, *, email: str, password: str, browser: Browser
) -> SignedInNow | NeedsCode:
    """Sign a user in, or ask for the code of two-step sign-in; raises what `check_password` does."""
    user = await check_password(runtime, email=email, password=password, browser=browser)
    now = runtime.clock.real_now()
    async with runtime.database.transaction() as tx:
        if await two_step.is_on(tx, user.user_id):
            # The password alone makes no address known: whoever stole it could try codes without end.
            token = secrets.token_urlsafe(TOKEN_BYTES)
            await two_step.begin_sign_in(tx, user.user_id, hash_of(token))
            return NeedsCode(token)
        await sign_in_attempts.remember_address(tx, user.user_id, browser.address, at=now)
        return SignedInNow(await _admit(tx, user, browser, at=now))


async def finish_sign_in(runtime: Runtime, *, token: str, code: str, browser: Browser) -> SignedInNow:
    """Sign in a user who has given the password with a code, of the app or for recovery.

    Raises:
        SignInTooLate: the password has to be given again.
        TooManyFailures: too many wrong codes came for this account or from this address.
        CodeRefused: the code is wrong, or was used before.
    """
    half = hash_of(token)
    async with runtime.database.transaction() as tx:
        user = await two_step.find_half(tx, half)
        if user is None:
            raise SignInTooLate("That took too long, or it was finished elsewhere. Please sign in again.")
        used = await check_code(tx, runtime.sealer, user, code, address=browser.address)
        # Once: a sign-in that was sent twice is one browser.
        if isinstance(used, UsedCode) and await two_step.end_half(tx, half):
            await sign_in_attempts.remember_address(tx, user.user_id, browser.address, at=tx.real_now)
            kept = await two_step.find(tx, user.user_id) if used is UsedCode.RECOVERY else None
            admitted = await _admit(tx, user, browser, at=tx.real_now)
            return SignedInNow(admitted, kept.codes_left if kept else None)
    if isinstance(used, UsedCode):
        raise SignInTooLate("You are signed in already, or were signed out. Please sign in again.")
    raise used


async def _admit(tx: Tx, user: User, browser: Browser, *, at: datetime) -> str:
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
    """Hash a token for storage: nobody who reads the database can sign in with the hash."""
    return hashlib.sha256(token.encode()).digest()


async def sign_out(database: Database, signed_in: SignedIn, *, everywhere: bool) -> None:
    async with database.transaction() as tx:
        if everywhere:
            await users.sign_out_everywhere(tx, signed_in.user.user_id)
        else:
            await users.sign_out(tx, signed_in.token_sha256)


async def enter_demo(database: Database, clock: Clock, email: str, browser: Browser) -> str:
    """Sign one of the demo's people in without a password, and return the token for the cookie."""
    async with database.transaction() as tx:
        found = await users.find_by_email(tx, email)
        if found is None:
            raise NotFound("There is no such page.")
        return await _admit(tx, found[0], browser, at=clock.real_now())
