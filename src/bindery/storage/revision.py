import re
from functools import lru_cache
from importlib import resources
from typing import Final

import asyncpg

LACKS_TABLES: Final = "The database lacks this version's tables; run `bindery migrate` first."
_MIGRATION = re.compile(r"([0-9]{4})_[a-z0-9_]+\.py")


@lru_cache(maxsize=1)
def known_revisions() -> frozenset[str]:
    """Return the revisions that this version of the program has migrations for, by the names of their files.

    Every process asks at its start; loading the migration tool for the answer would take most of that time.
    """
    versions = resources.files("bindery.storage.migrations") / "versions"
    found = (_MIGRATION.fullmatch(entry.name) for entry in versions.iterdir())
    return frozenset(match[1] for match in found if match)


def newest_revision() -> str:
    return max(known_revisions())


def is_newer(revision: str | None) -> bool:
    return revision is not None and revision > newest_revision()


def flaw_of(revision: str | None) -> str:
    """Return why this version cannot work on tables of a revision, in a sentence; empty where it can."""
    if is_newer(revision):
        return (
            f"The database belongs to a newer version: its tables are at revision {revision}, and this "
            f"version knows them up to {newest_revision()}. Run the newer version, or restore the backup "
            "from before the upgrade."
        )
    return "" if revision == newest_revision() else LACKS_TABLES


async def revision_of(
    connection: "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]",
) -> str | None:
    try:
        found: str | None = await connection.fetchval("select version_num from alembic_version")
    except asyncpg.UndefinedTableError:
        return None
    return found
