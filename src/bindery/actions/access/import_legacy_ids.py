from collections.abc import Sequence
from typing import Final

from bindery.base.errors import InvalidRequest
from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.access import legacy_ids, partners
from bindery.storage.database import Database

SHOWN: Final = 10


async def import_legacy_ids(database: Database, partner_name: str, rows: Sequence[LegacyRow]) -> int:
    """Import a partner's identifiers of version 0.1, all or none, and return how many.

    Raises:
        InvalidRequest: there is no such partner, or a new id is not one of the partner's.
    """
    async with database.transaction() as tx:
        partner = await partners.find_partner(tx, partner_name)
        if partner is None:
            raise InvalidRequest(f"There is no partner {partner_name!r}; add it with `bindery partner add`.")
        unknown = await legacy_ids.unknown_new_ids(tx, partner.partner_id, rows)
        if unknown:
            listed = ", ".join(unknown[:SHOWN])
            raise InvalidRequest(f"The partner {partner.name} has nothing with the new_id {listed}.")
        return await legacy_ids.import_ids(tx, partner.partner_id, rows)
