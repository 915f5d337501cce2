"""Which tables a database has, and which of them this version of the program can work on.

A migration expands, so that processes of the version before go on as they did, or contracts: it takes away or
changes what they use. A database keeps which of its migrations contracted, and whoever does not know all of
those leaves it alone.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import asyncpg

LACKS_TABLES: Final = "The database lacks this version's tables; run `bindery migrate` first."
_HEADER: Final = re.compile(
    r'^revision = "(?P<revision>\w+)"\ndown_revision = (?:"(?P<after>\w+)"|None)\nstep = "(?P<step>\w+)"$',
    re.MULTILINE,
)


class MigrationStep(StrEnum):
    EXPAND = "expand"
    CONTRACT = "contract"


@dataclass(frozen=True, slots=True)
class Chain:
    """The migrations that a version of the program knows, in their order, and whether each contracts."""

    steps: dict[str, MigrationStep]

    @property
    def newest(self) -> str:
        return list(self.steps)[-1]

    @property
    def needed(self) -> str:
        """Return the revision from which on this version works: contracting at the end can wait."""
        return next(
            revision for revision, step in reversed(self.steps.items()) if step is MigrationStep.EXPAND
        )

    def after(self, revision: str | None) -> dict[str, MigrationStep]:
        """Return the migrations that follow a revision; all of them without a revision yet."""
        if revision is None:
            return self.steps
        begun = list(self.steps).index(revision) + 1
        return dict(list(self.steps.items())[begun:])

    def comes_before(self, revision: str, other: str) -> bool:
        """Whether a revision is known and comes before another one."""
        return revision in self.steps and other in self.after(revision)

    def is_newer(self, tables: "Tables") -> bool:
        """Whether a newer version has changed the tables so that this one cannot work on them."""
        if tables.contracts - self.steps.keys():
            return True
        # A newer version notes what it did; what nobody noted has come about by other means.
        is_known = tables.revision is None or tables.revision in self.steps or tables.is_noted
        return not is_known and tables.revision is not None and tables.revision > self.newest

    def flaw_of(self, tables: "Tables") -> str:
        """Return why this version cannot work on tables, in a sentence; empty where it can."""
        if self.is_newer(tables):
            changed = sorted(tables.contracts - self.steps.keys())
            by = f" and no longer what it knows since {changed[0]}" if changed else ""
            return (
                f"The database belongs to a newer version: its tables are at revision {tables.revision}{by}, "
                f"and this version knows them up to {self.newest}. Run the newer version, or restore the "
                "backup from before the upgrade."
            )
        if tables.revision in self.steps:
            return LACKS_TABLES if self.comes_before(tables.revision, self.needed) else ""
        return "" if tables.is_noted else LACKS_TABLES


@dataclass(frozen=True, slots=True)
class Tables:
    """What a database says of its tables: their revision, and which of their migrations contracted.

    `is_noted` is whether the migration of that revision has noted that it ran.
    """

    revision: str | None
    contracts: frozenset[str] = frozenset()
    is_noted: bool = False


@lru_cache(maxsize=1)
def own_chain() -> Chain:
    """Return the migrations of this version of the program.

    Every process asks at its start; loading the migration tool for the answer would take most of that time.
    """
    return read_chain(resources.files("bindery.storage.migrations") / "versions")


def read_chain(folder: Traversable) -> Chain:
    """Read the heads of migrations, and put them in the order in which they follow each other.

    Raises:
        ValueError: one of them does not say what it is, or follows none of the others.
    """
    following: dict[str | None, tuple[str, MigrationStep]] = {}
    files = [entry for entry in folder.iterdir() if re.fullmatch(r"[0-9]{4}_[a-z0-9_]+\.py", entry.name)]
    for file in files:
        head = _HEADER.search(file.read_text())
        if head is None:
            raise ValueError(f"{file.name} needs revision, down_revision and step, one line each")
        following[head["after"]] = head["revision"], MigrationStep(head["step"])
    steps: dict[str, MigrationStep] = {}
    last: str | None = None
    while last in following:
        last, step = following[last]
        steps[last] = step
    if len(steps) != len(files):
        raise ValueError(
            f"{len(files) - len(steps)} migrations do not follow one another: check down_revision"
        )
    return Chain(steps)


async def tables_of(
    connection: "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]",
) -> Tables:
    try:
        row = await connection.fetchrow(
            "select version_num, array(select revision from migrations_done where step = 'contract'), "
            "exists (select from migrations_done where revision = version_num) from alembic_version"
        )
    except asyncpg.UndefinedTableError:
        return Tables(await _revision_alone(connection))
    return Tables(None) if row is None else Tables(row[0], frozenset(row[1]), row[2])


async def _revision_alone(
    connection: "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]",
) -> str | None:
    """Return the revision of a database of the time when migrations noted nothing."""
    try:
        found: str | None = await connection.fetchval("select version_num from alembic_version")
    except asyncpg.UndefinedTableError:
        return None
    return found
