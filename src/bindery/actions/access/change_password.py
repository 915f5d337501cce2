from bindery.base.errors import InvalidRequest
from bindery.domain.access.users import User, problems_of_password
from bindery.runtime import Runtime
from bindery.storage.access import users


async def change_password(runtime: Runtime, user: User, password: str) -> None:
    """Change a user's password; every browser is signed out.

    Raises:
        InvalidRequest: the password is weak.
    """
    if problems := [*problems_of_password(password, email=user.email)]:
        raise InvalidRequest.because(problems)
    password_hash = await runtime.passwords.hash(password)
    async with runtime.database.transaction() as tx:
        await users.set_password(tx, user.user_id, password_hash)
