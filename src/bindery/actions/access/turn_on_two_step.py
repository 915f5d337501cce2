from typing import Final

import structlog

from bindery.actions.access.check_code import UsedCode, check_code
from bindery.actions.documents.write_mails import write_mails
from bindery.base.errors import Misconfigured, WrongState
from bindery.domain.access.two_step import (
    CodeRefused,
    as_typed,
    hash_of_recovery_code,
    new_recovery_codes,
    new_secret,
    owner_of_secret,
    step_of_code,
)
from bindery.domain.access.users import User
from bindery.domain.messages.access_mails import two_step_on_mail
from bindery.runtime import Runtime
from bindery.storage.access import two_step
from bindery.storage.access.two_step import TwoStep
from bindery.storage.database import Tx

NOT_NOW: Final = (
    "That is not the code of now. Check the clock of your phone, and type the code that the app shows."
)
RESEAL_BATCH: Final = 500

log = structlog.get_logger()


async def begin_two_step(runtime: Runtime, user: User) -> bytes | None:
    """Return the secret to set up an authenticator app with; None if two-step sign-in is on already.

    Two tabs show the same secret.
    """
    owner = owner_of_secret(user.user_id)
    async with runtime.database.transaction() as tx:
        await two_step.begin(tx, user.user_id, runtime.sealer.seal(new_secret(), owner=owner))
        kept = await two_step.find(tx, user.user_id)
    assert kept is not None, "it was put there just now"
    return None if kept.confirmed_at else runtime.sealer.open(kept.sealed, owner=owner)


async def turn_on_two_step(runtime: Runtime, user: User, code: str) -> tuple[str, ...]:
    """Turn on two-step sign-in with a first code of the app, and return the recovery codes, this once.

    Raises:
        CodeRefused: it is not the code of now.
        WrongState: it is on already, or nobody has begun.
    """
    async with runtime.database.transaction() as tx:
        await two_step.hold(tx, user.user_id)
        kept = await two_step.find(tx, user.user_id)
        if kept is None or kept.confirmed_at is not None:
            said = "Two-step sign-in is on already." if kept else "Two-step sign-in was turned off meanwhile."
            raise WrongState(said, available_statuses=())
        secret = runtime.sealer.open(kept.sealed, owner=owner_of_secret(user.user_id))
        step = step_of_code(secret, as_typed(code), at=tx.real_now, after=kept.last_step)
        if step is None:
            raise CodeRefused(NOT_NOW)
        await two_step.confirm(tx, user.user_id, step=step)
        account = f"{runtime.rules.platform_url}/account"
        mail = two_step_on_mail(user, at=tx.real_now, zone=runtime.rules.zone, account=account)
        await write_mails(tx, None, [mail])
        return await _replace_recovery_codes(tx, user)


async def renew_recovery_codes(runtime: Runtime, user: User, code: str, *, address: str) -> tuple[str, ...]:
    """Make new recovery codes and return them, this once; the old ones stop working.

    Raises:
        TooManyFailures: too many wrong codes came for this account or from this address.
        CodeRefused: the code is wrong, or was used before.
    """
    async with runtime.database.transaction() as tx:
        used = await check_code(tx, runtime.sealer, user, code, address=address)
        if isinstance(used, UsedCode):
            return await _replace_recovery_codes(tx, user)
    raise used


async def _replace_recovery_codes(tx: Tx, user: User) -> tuple[str, ...]:
    codes = new_recovery_codes()
    hashes = [hash_of_recovery_code(as_typed(code)) for code in codes]
    await two_step.replace_recovery_codes(tx, user.user_id, hashes)
    return codes


async def reseal_two_step(runtime: Runtime) -> int:
    """Seal with the newest key every secret that is sealed with a former one, and return how many."""
    resealed = unreadable = last_id = 0
    while former := await _sealed_with_former_keys(runtime, after=last_id):
        last_id = former[-1].user_id
        for kept in former:
            owner = owner_of_secret(kept.user_id)
            try:
                opened = runtime.sealer.open(kept.sealed, owner=owner)
            except Misconfigured as fault:
                unreadable += 1
                log.error(  # noqa: TRY400 - its trace says nothing
                    "two_step_secret_unreadable", user_id=kept.user_id, reason=fault.message
                )
                continue
            async with runtime.database.transaction() as tx:
                await two_step.replace_sealed(tx, kept, runtime.sealer.seal(opened, owner=owner))
            resealed += 1
    if resealed or unreadable:
        log.info("two_step_secrets_resealed", count=resealed, unreadable=unreadable)
    return resealed


async def _sealed_with_former_keys(runtime: Runtime, *, after: int) -> list[TwoStep]:
    async with runtime.database.reading() as tx:
        key_name = runtime.sealer.newest_key_name
        return await two_step.sealed_with_other_keys(tx, key_name, after=after, limit=RESEAL_BATCH)
