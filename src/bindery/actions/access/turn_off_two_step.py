from bindery.actions.access.check_code import UsedCode, check_code
from bindery.actions.documents.write_mails import write_mails
from bindery.domain.access.users import User
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.access_mails import two_step_off_mail
from bindery.runtime import Runtime
from bindery.storage.access import two_step
from bindery.storage.database import Tx


async def turn_off_two_step(runtime: Runtime, user: User, code: str, *, address: str) -> None:
    """Turn off two-step sign-in with a code, after the password; raises what `renew_recovery_codes` does."""
    async with runtime.database.transaction() as tx:
        used = await check_code(tx, runtime.sealer, user, code, address=address)
        if isinstance(used, UsedCode):
            await forget_two_step(tx, runtime.rules, user, by_operator=False)
            return
    raise used


async def forget_two_step(tx: Tx, rules: BusinessRules, user: User, *, by_operator: bool) -> bool:
    """Forget a user's app and recovery codes, and tell the owner; return whether it was on."""
    was_on = await two_step.remove(tx, user.user_id)
    if was_on:
        account = f"{rules.platform_url}/account"
        mail = two_step_off_mail(
            user, at=tx.real_now, zone=rules.zone, by_operator=by_operator, account=account
        )
        await write_mails(tx, None, [mail])
    return was_on
