from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.users import problems_of_partner
from bindery.storage.access import partners
from bindery.storage.access.partners import Partner
from bindery.storage.database import Database


async def add_partner(database: Database, name: str, *, contact: str | None, may_exist: bool) -> Partner:
    """Add a partner; where it may exist, adding it again changes only its contact.

    Raises:
        InvalidRequest: something about it is wrong, or the name is taken; everything is listed.
    """
    if problems := [*problems_of_partner(name, contact)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        if may_exist:
            return await partners.add_partner(tx, name, contact=contact)
        added = await partners.add_new_partner(tx, name, contact=contact)
    if added is None:
        raise InvalidRequest.because([Problem("name", "taken", "is taken; nothing was changed")])
    return added
