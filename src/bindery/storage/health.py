import asyncpg

from bindery.storage.database import UNAVAILABLE, Database
from bindery.storage.revision import newest_revision


async def is_ready(database: Database) -> bool:
    """Say whether the database answers and has the schema of this version."""
    try:
        async with database.pool.acquire() as connection:
            revision: str | None = await connection.fetchval("select version_num from alembic_version")
    except (*UNAVAILABLE, asyncpg.PostgresError):
        return False
    return revision == newest_revision()
