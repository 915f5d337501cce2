from bindery.domain.jobs import failure_of
from bindery.storage.database import Database
from bindery.storage.jobs import job_view, queue


async def retry_failures(database: Database, kind: str, failure: str) -> int:
    """Put the failed jobs of a kind back that failed in that way, and return how many."""
    async with database.transaction() as tx:
        failed = await job_view.list_jobs(
            tx, kind=kind, status=job_view.JobStatus.FAILED, limit=job_view.MOST_FAILED
        )
        alike = [job.id for job in failed if failure_of(job.error) == failure]
        return sum([await queue.retry_failed(tx, job_id=job_id) for job_id in alike])


async def retry_job(database: Database, job_id: int) -> int:
    """Put one failed job back into the queue; return 1, or 0 if it has not failed."""
    async with database.transaction() as tx:
        return await queue.retry_failed(tx, job_id=job_id)
