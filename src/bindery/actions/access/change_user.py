from enum import StrEnum

from bindery.actions.access.add_user import find_partner
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.users import Role, User, problems_of_password, problems_of_role
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.database import Database


class UserChange(StrEnum):
    """What an operator does to somebody else's account."""

    SIGN_OUT = "sign_out"
    DISABLE = "disable"
    ENABLE = "enable"
    RESET = "reset"


async def change_user(
    runtime: Runtime, user_id: int, change: UserChange, *, by: int | None, password: str = ""
) -> None:
    """Change an account; whatever it is but enabling signs the user out everywhere.

    `by` is the operator; None on the command line, where nobody is signed in.

    Raises:
        NotFound: there is no such user.
        InvalidRequest: it is the operator's own account, or the password is weak.
    """
    if user_id == by:
        raise InvalidRequest("You cannot change your own account here.")
    async with runtime.database.reading() as tx:
        found = await users.find_record(tx, user_id)
    if found is None:
        raise NotFound("There is no such user.")
    password_hash = ""
    if change is UserChange.RESET:
        if problems := [*problems_of_password(password, email=found.email)]:
            raise InvalidRequest.because(problems)
        password_hash = await runtime.passwords.hash(password)
    async with runtime.database.transaction() as tx:
        match change:
            case UserChange.SIGN_OUT:
                await users.sign_out_everywhere(tx, user_id)
            case UserChange.DISABLE:
                await users.set_disabled(tx, user_id, at=runtime.clock.real_now())
            case UserChange.ENABLE:
                await users.set_disabled(tx, user_id, at=None)
            case UserChange.RESET:
                await users.set_password(tx, user_id, password_hash)


async def change_role(database: Database, user_id: int, *, role: str, partner: str | None, by: int) -> bool:
    """Change the role or partner of a user, who is signed out everywhere, and return whether it was another.

    Raises:
        NotFound: there is no such user.
        InvalidRequest: it is the operator's own account, or something is wrong; everything is listed.
    """
    if user_id == by:
        raise InvalidRequest("You cannot change your own account here.")
    problems = [*problems_of_role(role, partner)]
    async with database.transaction() as tx:
        if await users.find_record(tx, user_id) is None:
            raise NotFound("There is no such user.")
        found = await find_partner(tx, partner, problems) if partner else None
        if problems:
            raise InvalidRequest.because(problems)
        return await users.set_role(
            tx, user_id, role=Role(role), partner_id=None if found is None else found.partner_id
        )


async def change_appearance(
    database: Database, user: User, *, scheme: str | None = None, has_keys: bool | None = None
) -> None:
    """Keep how pages look for a user, and whether single keys do something there."""
    async with database.autocommit() as tx:
        if scheme is not None:
            await users.set_scheme(tx, user.user_id, scheme)
        if has_keys is not None:
            await users.set_has_keys(tx, user.user_id, has_keys=has_keys)
