import uuid
from collections.abc import Sequence

from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.users import Role
from bindery.runtime import Runtime
from bindery.storage import desk, users


async def hand_over_case(runtime: Runtime, submission_ids: Sequence[uuid.UUID], *, to: int) -> str:
    """Hand waiting submissions to another underwriter, and return that underwriter's name.

    Raises:
        InvalidRequest: there is no such underwriter who could work on it, or nothing was picked.
    """
    if not submission_ids:
        raise InvalidRequest.because([Problem("submission_id", "required", "is required: pick a row")])
    async with runtime.database.transaction() as tx:
        name = await users.name_of(tx, to, role=Role.UNDERWRITER)
        if name is None:
            flaw = Problem("to", "unknown_user", "must be an underwriter who is not disabled")
            raise InvalidRequest.because([flaw])
        # In one order, so that two who hand over the same rows do not wait for each other.
        for submission_id in sorted(submission_ids):
            await desk.take(tx, submission_id, user_id=to)
    return name
