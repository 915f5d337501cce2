from enum import StrEnum

from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.users import problems_of_password
from bindery.runtime import Runtime
from bindery.storage.access import users


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
