from bindery.actions.access.find_partner import find_partner
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.users import Role, problems_of_role
from bindery.storage.access import users
from bindery.storage.database import Database


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
