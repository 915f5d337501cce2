import uuid
from collections.abc import Sequence

from bindery.storage.database import Database
from bindery.storage.desk import desk
from bindery.storage.desk.desk import TakenCase


async def take_case(
    database: Database, submission_ids: Sequence[uuid.UUID], *, user_id: int, over_from: Sequence[int] = ()
) -> list[TakenCase]:
    """Take waiting cases; those of colleagues stay with them, except those of the users in `over_from`."""
    async with database.autocommit() as tx:
        return await desk.take(tx, submission_ids, to=user_id, from_users=[user_id, *over_from])
