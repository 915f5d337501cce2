"""Spectral and Redocly find nothing; what they may overlook stands with its reason in their settings here."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.client_tools import NODE_MODULES, run_tool

HERE = Path(__file__).parent


def spectral(document: Path, folder: Path) -> list[str]:
    """Return what Spectral finds, by the rules of its own and those of OWASP."""
    shutil.copy(HERE / "spectral.yaml", folder)
    (folder / "node_modules").symlink_to(NODE_MODULES)
    found = run_tool(
        "spectral",
        "lint",
        document,
        "--ruleset=spectral.yaml",
        "--fail-severity=hint",
        "--format=json",
        "--quiet",
        folder=folder,
    )
    assert found.returncode in {0, 1}, found.stderr
    return [
        f"{finding['code']} {'.'.join(map(str, finding['path']))}: {finding['message']}"
        for finding in json.loads(found.stdout)
    ]


def redocly(document: Path, folder: Path) -> list[str]:
    """Return what Redocly finds, by its strictest rules."""
    shutil.copy(HERE / "redocly.yaml", folder)
    found = run_tool(
        "redocly",
        "lint",
        document,
        "--config=redocly.yaml",
        "--format=json",
        "--max-problems=1000",
        folder=folder,
    )
    assert found.returncode in {0, 1}, found.stderr
    return [
        f"{finding['ruleId']} {finding['location'][0]['pointer']}: {finding['message']}"
        for finding in json.loads(found.stdout)["problems"]
    ]


LINTERS = (spectral, redocly)


@pytest.mark.parametrize("linter", LINTERS)
def test_the_document_has_no_findings(linter: Any, document: Path, tmp_path: Path) -> None:
    assert linter(document, tmp_path) == []


@pytest.mark.parametrize(
    ("linter", "path", "rule"),
    [
        (spectral, ("components", "schemas", "Question", "properties", "value"), "array-items"),
        (spectral, ("info", "contact"), "info-contact"),
        (
            spectral,
            ("paths", "/v2/quotes", "get", "responses", "429"),
            "owasp:api4:2023-rate-limit-responses-429",
        ),
        (redocly, ("tags", 0, "description"), "tag-description"),
    ],
)
def test_a_document_that_gets_worse_has_findings(
    linter: Any, path: tuple[str | int, ...], rule: str, document: Path, tmp_path: Path
) -> None:
    worse = json.loads(document.read_text())
    *parents, last = path
    place = worse
    for key in parents:
        place = place[key]
    if last == "value":
        place[last] = {"type": "array"}
    else:
        del place[last]
    file = tmp_path / "worse.json"
    file.write_text(json.dumps(worse))

    found = linter(file, tmp_path)

    assert rule in {finding.split(" ")[0] for finding in found}
