import asyncpg

from bindery.storage.database import UNAVAILABLE, Connection, Database
from bindery.storage.revision import newest_revision


async def is_ready(database: Database) -> bool:
    """Say whether the database answers and has the schema of this version."""
    try:
        async with database.pool.acquire() as connection:
            return not await lacks_tables(connection)
    except (*UNAVAILABLE, asyncpg.PostgresError):
        return False


async def lacks_tables(connection: Connection) -> bool:
    """Whether the database has other tables than this version's, or none."""
    try:
        revision: str | None = await connection.fetchval("select version_num from alembic_version")
    except asyncpg.UndefinedTableError:
        return True
    return revision != newest_revision()
