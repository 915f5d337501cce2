import uuid

from bindery.storage.database import Database
from bindery.storage.desk import desk
from bindery.storage.desk.desk import TakenCase


async def put_back_case(database: Database, submission_id: uuid.UUID, *, user_id: int) -> list[TakenCase]:
    """Put a case back on the desk that the user has; one of a colleague's stays with them."""
    async with database.autocommit() as tx:
        return await desk.take(tx, [submission_id], to=None, from_users=[user_id])
