import uuid

from bindery.storage.database import Database
from bindery.storage.submission import drafts


async def delete_draft(database: Database, draft_id: uuid.UUID, *, partner_id: int) -> bool:
    """Delete a draft; False if it was sent or deleted before, or is another partner's."""
    async with database.transaction() as tx:
        return await drafts.delete(tx, draft_id, partner_id=partner_id)
