"""The collections as a demo hands them out: each tells its story to the end by its own runner."""

import zipfile
from pathlib import Path

import httpx
import pytest

from bindery.api.packages.story import STORY, TITLE
from support.client_tools import ANSWERS_WITHIN_S, run_tool
from support.processes import Running

CHECKS = sum(len(step.checks) for step in STORY)


@pytest.fixture
def taken(demo: Running, tmp_path: Path) -> Path:
    """A folder with what `/packages/` has for those who send requests by hand."""
    for name in ("bindery.postman_collection.json", "bindery.bruno.zip", "bindery.http"):
        answer = httpx.get(f"{demo.url}/packages/{name}", timeout=ANSWERS_WITHIN_S).raise_for_status()
        (tmp_path / name).write_bytes(answer.content)
    zipfile.ZipFile(tmp_path / "bindery.bruno.zip").extractall(tmp_path)
    return tmp_path


def test_newman_runs_the_story_of_the_postman_collection(demo: Running, taken: Path) -> None:
    collection = ("newman", "run", "bindery.postman_collection.json", "--folder", TITLE, "--color=off")

    told = run_tool(*collection, f"--env-var=token={demo.token}", folder=taken)
    refused = run_tool(*collection, "--env-var=token=wrong", "--bail", folder=taken)

    assert told.returncode == 0, told.stdout
    assert told.stdout.count("✓") == CHECKS
    assert refused.returncode == 1


def test_bruno_runs_the_story_of_its_collection(demo: Running, taken: Path) -> None:
    run = ("bru", "run", TITLE, "--env=service")

    told = run_tool(*run, f"--env-var=token={demo.token}", folder=taken / "bindery")
    refused = run_tool(*run, "--env-var=token=wrong", "--bail", folder=taken / "bindery")

    assert told.returncode == 0, told.stdout
    assert told.stdout.count("✓ ") >= CHECKS
    assert refused.returncode == 1


def test_httpyac_runs_the_story_of_the_http_file(demo: Running, taken: Path) -> None:
    run = ("httpyac", "send", "bindery.http", "--all", "--output=none")

    told = run_tool(*run, f"--var=token={demo.token}", folder=taken)
    refused = run_tool(*run, "--var=token=wrong", folder=taken)

    assert told.returncode == 0, told.stdout
    assert f"{len(STORY)} requests processed ({len(STORY)} succeeded)" in told.stdout
    assert (taken / "signed.pdf").read_bytes().startswith(b"%PDF-")
    assert refused.returncode != 0
