import re
from functools import lru_cache
from importlib import resources

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
    """Return the revision that this version of the program needs."""
    return max(known_revisions())
