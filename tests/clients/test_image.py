"""The image without an engine: its steps taken in a folder, its processes as the compose file starts them."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bindery.client import Bindery
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from support.client_tools import TOOLS, run_tool
from support.containers import OURS, Step, command_of, dockerfile, environment_of, only
from support.postgres import create_database, drop_database
from support.processes import Program, free_port
from support.source_tree import ROOT
from support.waiting import eventually

OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(TOOLS / "wheels"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
PORT = "8000"


def within(root: Path, text: str) -> str:
    """Rewrite the paths of a text to the folder that stands for the image's root."""
    return re.sub(r"(?<![\w.])/(build|opt|var)\b", rf"{root}/\1", text)


def flaws(dockerfile: Path) -> list[str]:
    """Return what Checkov finds in a file that makes an image."""
    found = run_tool(
        "checkov",
        "--framework=dockerfile",
        f"--file={dockerfile}",
        "--skip-download",
        "--quiet",
        "--output=json",
        folder=dockerfile.parent,
    )
    report = json.loads(found.stdout)
    assert report["summary"]["passed"] >= 50, found.stderr
    assert report["summary"]["parsing_errors"] == 0
    return [check["check_id"] for check in report["results"]["failed_checks"]]


@pytest.mark.parametrize(("without", "finding"), [(None, []), ("USER ", ["CKV_DOCKER_3"])])
def test_checkov_finds_nothing_in_the_image(without: str | None, finding: list[str], tmp_path: Path) -> None:
    lines = (ROOT / "deploy" / "Dockerfile").read_text("utf-8").splitlines(keepends=True)
    file = tmp_path / "Dockerfile"
    file.write_text("".join(line for line in lines if without is None or not line.startswith(without)))

    assert flaws(file) == finding


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the first stage of the image makes, by the commands that make it."""
    root = tmp_path_factory.mktemp("image")
    place = root
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for step in (step for step in dockerfile() if step.stage == 1):
        match step.name:
            case "WORKDIR":
                place = Path(within(root, step.said))
                place.mkdir()
            case "COPY":
                copy(step, place)
            case "RUN":
                command = ["sh", "-ec", within(root, step.said)]
                done = subprocess.run(
                    command,
                    cwd=place,
                    env={"PATH": path, **OFFLINE},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stdout + done.stderr
    return root


def copy(step: Step, place: Path) -> None:
    *sources, target = step.words
    for source in sources:
        found = ROOT / source
        if found.is_dir():
            shutil.copytree(found, place / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (place / target).mkdir(exist_ok=True)
            shutil.copy(found, place / target)


@pytest.fixture
async def empty_database(server: str) -> AsyncIterator[str]:
    """A database without tables, as a new PostgreSQL has it."""
    name = f"image_{uuid.uuid4().hex}"
    yield await create_database(server, name)
    await drop_database(server, name)


async def test_the_processes_start_in_their_order_and_bring_a_quote_to_its_price(
    root: Path, empty_database: str, tmp_path: Path
) -> None:
    port = str(free_port())

    def here(text: str) -> str:
        return within(root, text).replace(PORT, port).replace("$PATH", os.environ["PATH"])

    def program(service: str) -> Program:
        variables = {name: here(value) for name, value in environment_of(service).items()}
        variables["BINDERY_DATABASE_URL"] = empty_database
        return Program(tmp_path, variables, forked=False, path=root / "opt/bindery/bin/bindery")

    def is_healthy() -> bool:
        words = [here(word) for word in only("HEALTHCHECK").words]
        asked = subprocess.run(words, env=serving.environment(), capture_output=True, check=False)
        return asked.returncode == 0

    migrate, serving, working = (program(service) for service in OURS)
    assert not is_healthy()
    migrate.run(*command_of("migrate")).good()
    with (
        serving.start(*(here(word) for word in command_of("serve"))) as serve,
        working.start(*command_of("work")) as work,
    ):
        await eventually(is_healthy)
        token = take_first_steps(serving)
        with Bindery(token, f"http://127.0.0.1:{port}") as bindery:
            quotes = bindery.quote(CREATE_QUOTES_EXAMPLE)
        ends = [running.stop(signal.SIGTERM) for running in (serve, work)]

    assert [quote.quote_status for quote in quotes] == ["published", "published"]
    assert ends == [0, 0]


def take_first_steps(serving: Program) -> str:
    """Run what the operators' guide says to run once in the container of the API, and return the token."""
    guide = (ROOT / "docs" / "operations.md").read_text("utf-8")
    (steps,) = re.findall(r"exec serve sh -ec '\n(.*?)\n'", guide, re.DOTALL)
    done = subprocess.run(
        ["sh", "-ec", steps],
        cwd=serving.folder,
        env=serving.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]
