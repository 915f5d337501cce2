from collections.abc import Sequence
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.deeds import SERVICE, Deed, Doer
from bindery.domain.access.users import problems_of_broker, problems_of_partner
from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.access import legacy_ids, partners
from bindery.storage.access.partners import Broker, Partner
from bindery.storage.database import Database
from bindery.storage.operations import deeds

SHOWN: Final = 10


async def add_partner(
    database: Database, name: str, *, contact: str | None, may_exist: bool, by: Doer = SERVICE
) -> Partner:
    """Add a partner; where it may exist, adding it again changes only its contact."""
    if problems := [*problems_of_partner(name, contact)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        partner, deed = await partners.add_new_partner(tx, name, contact=contact), Deed.PARTNER_ADDED
        if partner is None and not may_exist:
            raise InvalidRequest.because([Problem("name", "taken", "is taken; nothing was changed")])
        if partner is None:
            partner, deed = await partners.add_partner(tx, name, contact=contact), Deed.CONTACT_SET
        if deed is Deed.PARTNER_ADDED or contact is not None:
            await deeds.append(
                tx, by, deed, partner.name, details=contact or "", partner_id=partner.partner_id
            )
    return partner


async def add_broker(
    database: Database, partner: Partner, email: str, *, firm: str | None, by: Doer = SERVICE
) -> Broker:
    """Add a broker of record to a partner; adding it again changes only its firm."""
    if problems := [*problems_of_broker(email, firm)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        broker = await partners.add_broker(tx, partner, email, firm=firm)
        await deeds.append(
            tx, by, Deed.BROKER_ADDED, broker.email, details=firm or "", partner_id=partner.partner_id
        )
    return broker


async def remove_broker(database: Database, partner: Partner, email: str, *, by: Doer) -> bool:
    """Let nothing new come through a broker; return whether that is new. What is on record stays."""
    async with database.transaction() as tx:
        is_new = await partners.remove_broker(tx, partner.partner_id, email)
        if is_new:
            await deeds.append(tx, by, Deed.BROKER_REMOVED, email.lower(), partner_id=partner.partner_id)
    return is_new


async def import_legacy_ids(
    database: Database, partner_name: str, rows: Sequence[LegacyRow], *, by: Doer = SERVICE
) -> int:
    """Import a partner's identifiers of version 0.1, all or none, and return how many."""
    async with database.transaction() as tx:
        partner = await partners.find_partner(tx, partner_name)
        if partner is None:
            raise InvalidRequest(f"There is no partner {partner_name!r}; add it with `bindery partner add`.")
        unknown = await legacy_ids.unknown_new_ids(tx, partner.partner_id, rows)
        if unknown:
            listed = ", ".join(unknown[:SHOWN])
            raise InvalidRequest(f"The partner {partner.name} has nothing with the new_id {listed}.")
        count = await legacy_ids.import_ids(tx, partner.partner_id, rows)
        await deeds.append(
            tx,
            by,
            Deed.LEGACY_IDS_IMPORTED,
            partner.name,
            details=f"{count:,} of them",
            partner_id=partner.partner_id,
        )
    return count
