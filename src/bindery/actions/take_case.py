import uuid

from bindery.runtime import Runtime
from bindery.storage import desk


async def take_case(runtime: Runtime, submission_id: uuid.UUID, *, user_id: int | None) -> None:
    """Record who works on a waiting submission; None puts it back on the desk."""
    async with runtime.database.transaction() as tx:
        await desk.take(tx, submission_id, user_id=user_id)
