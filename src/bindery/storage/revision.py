import re
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Final

import asyncpg

if TYPE_CHECKING:
    from bindery.storage.database import Connection

LACKS_TABLES: Final = "The database lacks this version's tables; run `bindery migrate` first."
_MIGRATION = re.compile(r"([0-9]{4})_[a-z0-9_]+\.py")


@lru_cache(maxsize=1)
def newest_revision() -> str:
    """Return the revision this version of the program needs, by the names of its migrations.

    Every process asks at its start; loading the migration tool for the answer would take most of that time.
    """
    versions = resources.files("bindery.storage.migrations") / "versions"
    found = (_MIGRATION.fullmatch(entry.name) for entry in versions.iterdir())
    return max(match[1] for match in found if match)


async def revision_of(connection: "Connection") -> str | None:
    """Return the revision of a database's tables; None without tables."""
    try:
        found: str | None = await connection.fetchval("select version_num from alembic_version")
    except asyncpg.UndefinedTableError:
        return None
    return found
