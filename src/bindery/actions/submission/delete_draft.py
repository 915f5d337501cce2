import uuid

from bindery.storage.database import Database
from bindery.storage.signing import client_links
from bindery.storage.submission import drafts


async def delete_draft(database: Database, draft_id: uuid.UUID, *, partner_id: int) -> bool:
    """Delete a draft and take back what its client was asked.

    False if it was sent or deleted before, or is another partner's.
    """
    async with database.transaction() as tx:
        is_deleted = await drafts.delete(tx, draft_id, partner_id=partner_id)
        if is_deleted:
            await client_links.revoke_of_draft(tx, draft_id)
        return is_deleted
