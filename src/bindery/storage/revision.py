import re
from functools import lru_cache
from importlib import resources

_MIGRATION = re.compile(r"([0-9]{4})_[a-z0-9_]+\.py")


@lru_cache(maxsize=1)
def newest_revision() -> str:
    """Give the revision this version of the program needs, by the names of its migrations.

    Every process asks at its start; loading the migration tool for the answer would take most of that time.
    """
    versions = resources.files("bindery.storage.migrations") / "versions"
    found = (_MIGRATION.fullmatch(entry.name) for entry in versions.iterdir())
    return max(match[1] for match in found if match)
