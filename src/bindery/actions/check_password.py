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

WRONG: Final = "The address or the password is wrong."
log = structlog.get_logger()


async def check_password(runtime: Runtime, *, email: str, password: str, address: str) -> User:
    """Return the user who has that password, wherever somebody is asked for it; failures are counted.

    An e-mail address without an account takes as long to refuse as a wrong password, and is refused the same
    way. `address` is where the request comes from.

    Raises:
        TooManyFailures: wrong passwords came too often, for this account or from this address.
        NotSignedIn: there is no such user, or the password is wrong.
    """
    now = runtime.clock.real_now()
    of_account, of_address = f"account {email.strip().lower()}", f"address {address}"
    async with runtime.database.reading() as tx:
        failures = await users.count_failures(tx, [of_account, of_address], at=now)
        found = await users.find_by_email(tx, email.strip())
    if (
        failures[of_account] >= MOST_FAILURES_OF_AN_ACCOUNT
        or failures[of_address] >= MOST_FAILURES_OF_AN_ADDRESS
    ):
        minutes = int(FAILURES_COUNT_FOR.total_seconds()) // 60
        raise TooManyFailures(f"Too many wrong passwords. Try again in {minutes} minutes.")
    user, password_hash = found or (None, None)
    is_right = await runtime.passwords.check(password_hash, password)
    async with runtime.database.transaction() as tx:
        if user is not None and is_right:
            await users.forget_failures(tx, of_account)
            return user
        await users.record_failure(tx, [of_account, of_address], at=now)
    log.warning("sign_in_failed", address=address)
    raise NotSignedIn(WRONG)
