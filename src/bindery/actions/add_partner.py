from bindery.base.errors import InvalidRequest
from bindery.domain.access.partners import problems_of_partner
from bindery.runtime import Runtime
from bindery.storage import partners
from bindery.storage.partners import Partner


async def add_partner(runtime: Runtime, name: str, *, contact: str | None) -> Partner:
    """Add a partner; adding it again changes only its contact.

    Raises:
        InvalidRequest: something about it is wrong; everything is listed.
    """
    if problems := [*problems_of_partner(name, contact)]:
        raise InvalidRequest.because(problems)
    async with runtime.database.transaction() as tx:
        return await partners.add_partner(tx, name, contact=contact)
