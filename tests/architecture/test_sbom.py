"""The bill of materials names everything that is locked, each with its license and what it needs."""

import json
import re
from pathlib import Path

from tools import sbom

LOCKED = dict(re.findall(r"^([\w.-]+)==(\S+)", sbom.LOCK.read_text("utf-8"), re.MULTILINE))
MADE = sbom.bill_of_materials(sbom.LOCK.read_text("utf-8"))
LIBRARIES = {made["name"]: made for made in MADE["components"] if made["type"] == "library"}


def test_everything_that_is_locked_is_in_it_once() -> None:
    assert {name: made["version"] for name, made in LIBRARIES.items()} == LOCKED
    assert len(MADE["components"]) == len(LOCKED) + len(sbom.FILES)
    assert len(LOCKED) >= 60


def test_whatever_is_installed_says_its_license() -> None:
    installed = [made for made in MADE["components"] if "scope" not in made]

    assert len(installed) >= 60
    for made in installed:
        (license_,) = made["licenses"]
        assert license_.get("expression") or license_["license"]["name"], made["name"]


def test_what_others_made_of_the_pages_is_in_it() -> None:
    notices = {file.name for file in (sbom.ROOT / "src").rglob("*-LICENSE.txt")}

    assert notices == {"icons-LICENSE.txt", "inter-LICENSE.txt"}
    assert sbom.FILES.keys() == {"Inter", "Lucide"}


def test_each_need_is_a_component_and_everything_is_reached_from_the_program() -> None:
    needs = {row["ref"]: row["dependsOn"] for row in MADE["dependencies"]}
    reached = {MADE["metadata"]["component"]["bom-ref"]}
    while more := {needed for ref in reached for needed in needs[ref]} - reached:
        reached |= more

    there = {made["bom-ref"] for made in LIBRARIES.values() if "scope" not in made}
    assert {needed for row in needs.values() for needed in row} <= needs.keys()
    assert there <= reached


def test_it_is_written_alike_each_time(tmp_path: Path) -> None:
    files = [tmp_path / "new" / "one.json", tmp_path / "two.json"]

    assert [sbom.main([str(file)]) for file in files] == [0, 0]

    assert files[0].read_bytes() == files[1].read_bytes()
    assert json.loads(files[0].read_text("utf-8")) == MADE
