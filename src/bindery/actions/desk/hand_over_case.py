import uuid
from collections.abc import Sequence

from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.users import Role
from bindery.storage.access import users
from bindery.storage.database import Database
from bindery.storage.desk import desk
from bindery.storage.desk.desk import TakenCase


async def hand_over_case(
    database: Database, submission_ids: Sequence[uuid.UUID], *, user_id: int, to: int
) -> tuple[str, list[TakenCase]]:
    """Hand cases that are free or the user's to another underwriter, and return that underwriter's name.

    Cases of colleagues stay with them.

    Raises:
        InvalidRequest: there is no such underwriter who could work on it, or nothing was picked.
    """
    if not submission_ids:
        raise InvalidRequest.because([Problem("submission_id", "required", "is required: pick a row")])
    async with database.transaction() as tx:
        name = await users.name_of(tx, to, role=Role.UNDERWRITER)
        if name is None:
            flaw = Problem("to", "unknown_user", "must be an underwriter who is not disabled")
            raise InvalidRequest.because([flaw])
        return name, await desk.take(tx, submission_ids, to=to, from_users=[user_id, to])


async def take_case(
    database: Database, submission_ids: Sequence[uuid.UUID], *, user_id: int, over_from: Sequence[int] = ()
) -> list[TakenCase]:
    """Take waiting cases; those of colleagues stay with them, except those of the users in `over_from`."""
    async with database.autocommit() as tx:
        return await desk.take(tx, submission_ids, to=user_id, from_users=[user_id, *over_from])
