from collections.abc import Sequence
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.users import problems_of_broker, problems_of_partner
from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.access import legacy_ids, partners
from bindery.storage.access.partners import Broker, Partner
from bindery.storage.database import Database

SHOWN: Final = 10


async def add_partner(database: Database, name: str, *, contact: str | None, may_exist: bool) -> Partner:
    """Add a partner; where it may exist, adding it again changes only its contact."""
    if problems := [*problems_of_partner(name, contact)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        if may_exist:
            return await partners.add_partner(tx, name, contact=contact)
        added = await partners.add_new_partner(tx, name, contact=contact)
    if added is None:
        raise InvalidRequest.because([Problem("name", "taken", "is taken; nothing was changed")])
    return added


async def add_broker(database: Database, partner: Partner, email: str, *, firm: str | None) -> Broker:
    """Add a broker of record to a partner; adding it again changes only its firm."""
    if problems := [*problems_of_broker(email, firm)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        return await partners.add_broker(tx, partner, email, firm=firm)


async def import_legacy_ids(database: Database, partner_name: str, rows: Sequence[LegacyRow]) -> int:
    """Import a partner's identifiers of version 0.1, all or none, and return how many."""
    async with database.transaction() as tx:
        partner = await partners.find_partner(tx, partner_name)
        if partner is None:
            raise InvalidRequest(f"There is no partner {partner_name!r}; add it with `bindery partner add`.")
        unknown = await legacy_ids.unknown_new_ids(tx, partner.partner_id, rows)
        if unknown:
            listed = ", ".join(unknown[:SHOWN])
            raise InvalidRequest(f"The partner {partner.name} has nothing with the new_id {listed}.")
        return await legacy_ids.import_ids(tx, partner.partner_id, rows)
