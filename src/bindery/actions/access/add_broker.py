from bindery.base.errors import InvalidRequest
from bindery.domain.access.users import problems_of_broker
from bindery.storage.access import partners
from bindery.storage.access.partners import Broker, Partner
from bindery.storage.database import Database


async def add_broker(database: Database, partner: Partner, email: str, *, firm: str | None) -> Broker:
    """Add a broker of record to a partner; adding it again changes only its firm.

    Raises:
        InvalidRequest: something about it is wrong; everything is listed.
    """
    if problems := [*problems_of_broker(email, firm)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        return await partners.add_broker(tx, partner, email, firm=firm)
