from enum import Enum, auto
from typing import Final

import structlog

from bindery.base.errors import Misconfigured
from bindery.domain.access.two_step import (
    CodeRefused,
    as_typed,
    hash_of_recovery_code,
    is_app_code,
    owner_of_secret,
    step_of_code,
)
from bindery.domain.access.users import FAILURES_COUNT_FOR, TooManyFailures, User
from bindery.outside.sealing import Sealer
from bindery.storage.access import sign_in_attempts, two_step
from bindery.storage.access.sign_in_attempts import SignInAttempt, Tried
from bindery.storage.database import Tx

WRONG: Final = "The code is wrong, or was used already. Take the next one that the app shows."

log = structlog.get_logger()


class UsedCode(Enum):
    APP = auto()
    RECOVERY = auto()


async def check_code(
    tx: Tx, sealer: Sealer, user: User, code: str, *, address: str
) -> UsedCode | TooManyFailures | CodeRefused:
    """Use up a code, of the app or for recovery, or return why not; the caller raises that after the commit.

    It is counted first and given back if it was right, as passwords are.
    """
    attempt = SignInAttempt(user.email, address, tx.real_now, Tried.CODE)
    if not await sign_in_attempts.spend(tx, attempt):
        minutes = int(FAILURES_COUNT_FOR.total_seconds()) // 60
        return TooManyFailures(f"Too many wrong codes. Try again in {minutes} minutes.")
    used = await _use(tx, sealer, user, as_typed(code))
    if used is not None:
        await sign_in_attempts.give_back(tx, attempt)
        return used
    await sign_in_attempts.forget_old(tx, at=attempt.at)
    log.warning("sign_in_code_failed", address=address)
    return CodeRefused(WRONG)


async def _use(tx: Tx, sealer: Sealer, user: User, typed: str) -> UsedCode | None:
    kept = await two_step.find(tx, user.user_id)
    if kept is None or kept.confirmed_at is None:
        return None
    if not is_app_code(typed):
        is_new = await two_step.take_recovery_code(tx, user.user_id, hash_of_recovery_code(typed))
        return UsedCode.RECOVERY if is_new else None
    try:
        secret = sealer.open(kept.sealed, owner=owner_of_secret(user.user_id))
    except Misconfigured as fault:
        # A recovery code still signs in.
        log.error("two_step_secret_unreadable", user_id=user.user_id, reason=fault.message)  # noqa: TRY400
        return None
    step = step_of_code(secret, typed, at=tx.real_now, after=kept.last_step)
    if step is None or not await two_step.take_step(tx, user.user_id, step):
        return None
    return UsedCode.APP
