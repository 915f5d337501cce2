"""squawk finds nothing in the migrations; what it may overlook stands with its reason here or beside it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from support.client_tools import run_tool

HERE = Path(__file__).parent
SCRIPTS = Path(__file__).parents[2] / "src" / "bindery" / "storage" / "migrations" / "versions"
IGNORED = re.compile(r"-- squawk-ignore\b(?P<rules>[^\n]*)")


def findings(folder: Path) -> list[str]:
    """Return what squawk finds in the scripts of a folder."""
    shutil.copy(HERE / "squawk.toml", folder)
    scripts = sorted(path.name for path in folder.glob("*.sql"))
    found = run_tool("squawk", "--config=squawk.toml", "--reporter=json", *scripts, folder=folder)
    assert found.returncode in {0, 1}, found.stderr
    return [
        f"{finding['file']}:{finding['line'] + 1} {finding['rule_name']}"
        for finding in json.loads(found.stdout)
    ]


def without_a_reason(script: str) -> list[str]:
    """Return the lines that silence squawk without saying, in the comment above, why."""
    lines = script.splitlines()
    return [
        line
        for above, line in zip(["", *lines], lines, strict=False)
        if IGNORED.search(line) and (not above.strip().startswith("-- ") or IGNORED.search(above))
    ]


def test_the_migrations_have_no_findings(tmp_path: Path) -> None:
    for script in SCRIPTS.glob("*.sql"):
        shutil.copy(script, tmp_path)

    assert len(list(tmp_path.glob("*.sql"))) > 25
    assert findings(tmp_path) == []


def test_what_is_overlooked_has_a_reason_above_it() -> None:
    silenced = {path.name: without_a_reason(path.read_text("utf-8")) for path in SCRIPTS.glob("*.sql")}

    assert {name: lines for name, lines in silenced.items() if lines} == {}


@pytest.mark.parametrize(
    ("script", "rule"),
    [
        ("create index later on quotes (product);", "require-concurrent-index-creation"),
        ("alter table quotes alter column product type varchar(8);", "changing-column-type"),
        ("alter table quotes drop column product;", "ban-drop-column"),
        ("alter table quotes rename column product to line;", "renaming-column"),
        ("alter table quotes add column line text not null;", "adding-required-field"),
        ("alter table quotes alter column product set not null;", "adding-not-nullable-field"),
        ("drop table quotes;", "ban-drop-table"),
        ("create table t (at timestamp not null);", "prefer-timestamp-tz"),
        ("alter table quotes add constraint c check (product <> '');", "constraint-missing-not-valid"),
    ],
)
def test_a_careless_migration_is_found(script: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "0999_careless.sql").write_text(f"{script}\n")

    assert rule in {finding.split()[1] for finding in findings(tmp_path)}


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("-- Small.\n-- squawk-ignore ban-drop-table\ndrop table a;", 0),
        ("-- squawk-ignore ban-drop-table\ndrop table a;", 1),
        ("-- Small.\n-- squawk-ignore ban-drop-table\n-- squawk-ignore ban-drop-column\ndrop table a;", 1),
        ("select 1;\n-- squawk-ignore ban-drop-table\ndrop table a;", 1),
    ],
)
def test_a_reason_that_is_missing_is_found(script: str, count: int) -> None:
    assert len(without_a_reason(script)) == count
