from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.users import Role, User, problems_of_password, problems_of_user
from bindery.runtime import Runtime
from bindery.storage.access import partners, users
from bindery.storage.access.partners import Partner
from bindery.storage.database import Reader


async def find_partner(tx: Reader, name: str, problems: list[Problem]) -> Partner | None:
    """Find a partner by the name that somebody typed, in capitals or not; an unknown one is a problem."""
    found = await partners.find_partner_as_typed(tx, name.strip())
    if found is None:
        problems.append(
            Problem("partner", "unknown_partner", f"{name!r} is unknown; use the name of a partner")
        )
    return found


async def add_user(
    runtime: Runtime, *, email: str, name: str, role: str, partner: str | None, password: str | None
) -> User:
    """Add a user of the platform; without a password nobody signs in with one.

    Raises:
        InvalidRequest: something about it is wrong; everything is listed.
    """
    email, name = email.strip(), name.strip()
    problems = [*problems_of_user(email, name, role, partner)]
    if password is not None:
        problems += problems_of_password(password, email=email)
    partner_id = None
    if partner:
        async with runtime.database.reading() as tx:
            found = await find_partner(tx, partner, problems)
        partner_id = None if found is None else found.partner_id
    if problems:
        raise InvalidRequest.because(problems)
    password_hash = None if password is None else await runtime.passwords.hash(password)
    async with runtime.database.transaction() as tx:
        user = await users.add(
            tx, email=email, name=name, role=Role(role), partner_id=partner_id, password_hash=password_hash
        )
    if user is None:
        raise InvalidRequest.because([Problem("email", "taken", "has an account already")])
    return user
