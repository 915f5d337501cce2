from bindery.base.errors import NotFound
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.bordereaux.bordereau import Month
from bindery.storage.database import Database
from bindery.storage.operations import deeds
from bindery.storage.policy import bordereaux
from bindery.storage.policy.bordereaux import KeptBordereau


async def note_bordereau_sent(
    database: Database, bordereau_id: int, *, by: Doer
) -> tuple[KeptBordereau, bool]:
    """Note that a bordereau was sent; return it as it is now, and whether this was the one who noted it.

    Raises:
        NotFound: there is no such bordereau.
    """
    async with database.transaction() as tx:
        is_first = await bordereaux.mark_sent(tx, bordereau_id, by=by.name)
        kept = await bordereaux.find_by_id(tx, bordereau_id)
        if kept is None:
            raise NotFound("There is no such bordereau.")
        if is_first:
            about = f"{kept.agreement} {Month(kept.month)} {kept.kind}"
            await deeds.append(tx, by, Deed.BORDEREAU_SENT, about, details=f"template {kept.template}")
    return kept, is_first
