from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from bindery.actions.access.invite_user import Invitation, invite, post_of
from bindery.actions.access.set_new_password import replace_password
from bindery.actions.access.turn_off_two_step import forget_two_step
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.domain.access.deeds import SERVICE, Deed, Doer
from bindery.domain.access.users import Role, User, problems_of_password, problems_of_role, problems_of_user
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.mail_choices import MailChoice, MailSwitch
from bindery.runtime import Runtime
from bindery.storage.access import partners, users
from bindery.storage.access.partners import Partner
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.documents import mails
from bindery.storage.operations import deeds


async def _find_partner(tx: Reader, name: str, problems: list[Problem]) -> Partner | None:
    found = await partners.find_partner_as_typed(tx, name.strip())
    if found is None:
        problems.append(
            Problem("partner", "unknown_partner", f"{name!r} is unknown; use the name of a partner")
        )
    return found


async def add_user(
    runtime: Runtime,
    *,
    email: str,
    name: str,
    role: str,
    partner: str | None,
    password: str | None,
    by: Doer = SERVICE,
) -> User:
    """Add a user of the platform; without a password the account cannot sign in with one."""
    user, _ = await _add(runtime, email, name, role, partner, password=password, by=by, invites=False)
    return user


async def add_invited_user(
    runtime: Runtime, *, email: str, name: str, role: str, partner: str | None, by: Doer
) -> tuple[User, Invitation]:
    """Add a user and invite the user to choose a password, both or neither."""
    user, invitation = await _add(runtime, email, name, role, partner, password=None, by=by, invites=True)
    assert invitation is not None, "asked for"
    return user, invitation


async def _add(
    runtime: Runtime,
    email: str,
    name: str,
    role: str,
    partner: str | None,
    *,
    password: str | None,
    by: Doer,
    invites: bool,
) -> tuple[User, Invitation | None]:
    email, name = email.strip(), name.strip()
    problems = [*problems_of_user(email, name, role, partner)]
    if password is not None:
        problems += problems_of_password(password, email=email)
    partner_id = None
    if partner:
        async with runtime.database.reading() as tx:
            found = await _find_partner(tx, partner, problems)
        partner_id = None if found is None else found.partner_id
    if problems:
        raise InvalidRequest.because(problems)
    password_hash = None if password is None else await runtime.passwords.hash(password)
    post = post_of(runtime)
    async with runtime.database.transaction() as tx:
        user = await users.add(
            tx, email=email, name=name, role=Role(role), partner_id=partner_id, password_hash=password_hash
        )
        if user is None:
            raise InvalidRequest.because([Problem("email", "taken", "has an account already")])
        does = f"{role} of {partner}" if partner else role
        await deeds.append(
            tx, by, Deed.USER_ADDED, user.email, details=does, partner_id=partner_id, user_id=user.user_id
        )
        return user, await invite(tx, post, user, by=by) if invites else None


class UserChange(StrEnum):
    SIGN_OUT = "sign_out"
    DISABLE = "disable"
    ENABLE = "enable"
    RESET = "reset"
    TWO_STEP_OFF = "two_step_off"


DEEDS: Final[Mapping[UserChange, Deed]] = {
    UserChange.SIGN_OUT: Deed.USER_SIGNED_OUT,
    UserChange.DISABLE: Deed.USER_DISABLED,
    UserChange.ENABLE: Deed.USER_ENABLED,
    UserChange.RESET: Deed.PASSWORD_SET,
    UserChange.TWO_STEP_OFF: Deed.TWO_STEP_OFF,
}


async def change_user(
    runtime: Runtime, user_id: int, change: UserChange, *, by: Doer, password: str = ""
) -> None:
    """Change an account; every change but enabling signs the user out everywhere.

    The user is told by mail of a new password, and of two-step sign-in that was turned off.
    """
    if user_id == by.user_id:
        raise InvalidRequest("You cannot change your own account here.")
    async with runtime.database.reading() as tx:
        found = await users.find(tx, user_id)
    if found is None:
        raise NotFound("There is no such user.")
    password_hash = ""
    if change is UserChange.RESET:
        if problems := [*problems_of_password(password, email=found.email)]:
            raise InvalidRequest.because(problems)
        password_hash = await runtime.passwords.hash(password)
    async with runtime.database.transaction() as tx:
        await _carry_out(tx, runtime.rules, found, change, password_hash)
        await deeds.append(
            tx, by, DEEDS[change], found.email, partner_id=found.partner_id, user_id=found.user_id
        )


async def _carry_out(
    tx: Tx, rules: BusinessRules, user: User, change: UserChange, password_hash: str
) -> None:
    match change:
        case UserChange.SIGN_OUT:
            await users.sign_out_everywhere(tx, user.user_id)
        case UserChange.DISABLE:
            await users.set_disabled(tx, user.user_id, at=tx.real_now)
        case UserChange.ENABLE:
            await users.set_disabled(tx, user.user_id, at=None)
        case UserChange.RESET:
            await replace_password(tx, rules, user, password_hash, by_operator=True)
        case UserChange.TWO_STEP_OFF:
            await forget_two_step(tx, rules, user, by_operator=True)
            await users.sign_out_everywhere(tx, user.user_id)


async def change_role(database: Database, user_id: int, *, role: str, partner: str | None, by: Doer) -> bool:
    """Change a user's role or partner and sign the user out everywhere; return whether anything changed."""
    if user_id == by.user_id:
        raise InvalidRequest("You cannot change your own account here.")
    problems = [*problems_of_role(role, partner)]
    async with database.transaction() as tx:
        before = await users.find_record(tx, user_id)
        if before is None:
            raise NotFound("There is no such user.")
        found = await _find_partner(tx, partner, problems) if partner else None
        if problems:
            raise InvalidRequest.because(problems)
        partner_id = None if found is None else found.partner_id
        is_new = await users.set_role(tx, user_id, role=Role(role), partner_id=partner_id)
        if is_new:
            was, becomes = (
                f"{role_then} of {of}" if of else role_then
                for role_then, of in ((before.role, before.partner_name), (role, found and found.name))
            )
            await deeds.append(
                tx,
                by,
                Deed.ROLE_CHANGED,
                before.email,
                details=f"from {was} to {becomes}",
                partner_id=partner_id,
                user_id=user_id,
            )
    return is_new


async def change_appearance(
    database: Database, user: User, *, scheme: str | None = None, has_keys: bool | None = None
) -> None:
    async with database.autocommit() as tx:
        if scheme is not None:
            await users.set_scheme(tx, user.user_id, scheme)
        if has_keys is not None:
            await users.set_has_keys(tx, user.user_id, has_keys=has_keys)


async def choose_mails(database: Database, user: User, chosen: Mapping[MailSwitch, MailChoice]) -> None:
    """Keep how a broker wants kinds of mail; those that are not named stay as they were."""
    async with database.transaction() as tx:
        await mails.keep_choices(tx, user.user_id, chosen)


async def change_password(runtime: Runtime, user: User, password: str) -> None:
    """Change a user's password, sign out every browser, and tell the user by mail."""
    if problems := [*problems_of_password(password, email=user.email)]:
        raise InvalidRequest.because(problems)
    password_hash = await runtime.passwords.hash(password)
    async with runtime.database.transaction() as tx:
        await replace_password(tx, runtime.rules, user, password_hash, by_operator=False)
