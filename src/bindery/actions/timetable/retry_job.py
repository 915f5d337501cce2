from bindery.storage.database import Database
from bindery.storage.jobs import queue


async def retry_job(database: Database, job_id: int) -> int:
    """Put one failed job back into the queue; return 1, or 0 if it has not failed."""
    async with database.transaction() as tx:
        return await queue.retry_failed(tx, job_id=job_id)
