import uuid

from bindery.storage.database import Database
from bindery.storage.desk import desk
from bindery.storage.desk.desk_filter import DeskFilter


async def take_next_case(database: Database, asked: DeskFilter, *, user_id: int) -> uuid.UUID | None:
    """Take the first case of a part of the queue that nobody has; None where there is none.

    A case is up to four rows of the queue, so it is taken by the statement that also compares who has them:
    of two people who ask together, the one who comes second gets the case after it.
    """
    async with database.autocommit() as tx:
        while (submission_id := await desk.first_free(tx, asked, user_id=user_id)) is not None:
            taken = await desk.take(tx, [submission_id], to=user_id, from_users=[user_id])
            if any(case.holder is None for case in taken):
                return submission_id
    return None
