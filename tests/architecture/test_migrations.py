"""A migration that says it only expands takes nothing away from processes of the version before."""

import re
from importlib.resources import files

import pytest

from bindery.storage.revision import MigrationStep, own_chain

TAKES_AWAY = re.compile(
    r"\bdrop\s+(?:table|column|view|type)\b|\brename\b|\balter\s+column\s+\w+\s+(?:set\s+not\s+null|type|drop\s+default)"
    r"|^(?:truncate|delete\s+from)\b",
    re.IGNORECASE | re.MULTILINE,
)
DROPS = re.compile(r"\bdrop\s+(constraint|trigger|index|function)\s+(?:if\s+exists\s+)?(\w+)", re.IGNORECASE)


def what_it_takes_away(script: str) -> list[str]:
    """Return what a script drops or changes under those who use it; what it makes again is not among that."""
    code = re.sub(r"--.*", "", script)
    made = re.sub(r"\bdrop\s+\w+\s+\w+", "", code)
    dropped = [f"{kind} {name}" for kind, name in DROPS.findall(code) if not re.search(rf"\b{name}\b", made)]
    return [found[0] for found in TAKES_AWAY.finditer(code)] + dropped


def test_a_migration_that_expands_takes_nothing_away() -> None:
    folder = files("bindery.storage.migrations") / "versions"
    scripts = {
        revision: "".join(
            entry.read_text()
            for entry in folder.iterdir()
            if entry.name.startswith(f"{revision}_") and entry.name.endswith(".sql")
        )
        for revision, step in own_chain().steps.items()
        if step is MigrationStep.EXPAND
    }

    assert len(scripts) > 20
    assert {
        revision: what_it_takes_away(script)
        for revision, script in scripts.items()
        if what_it_takes_away(script)
    } == KNOWN


KNOWN = {
    # A broader trigger by another name takes its place.
    "0103": ["trigger renewal_type_is_shown"],
}


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("drop table a;", ["drop table"]),
        ("alter table a drop column b;", ["drop column"]),
        ("alter table a rename to b;", ["rename"]),
        ("alter table a alter column b set not null;", ["alter column b set not null"]),
        ("alter table a alter column b type bigint;", ["alter column b type"]),
        ("drop index one;", ["index one"]),
        ("drop index one;\ncreate index one on a (b);", []),
        ("alter table a drop constraint c, add constraint c check (true);", []),
        ("-- drop table a\nalter table a add column b text;", []),
    ],
)
def test_what_a_script_takes_away_is_found(script: str, found: list[str]) -> None:
    assert what_it_takes_away(script) == found
