"""The client packages as partners get them: built, installed where nothing else is, and one story in both."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from support.client_tools import run_tool
from support.processes import EXAMPLES, Running, free_port

HERE = Path(__file__).parent / "sdks"
STEPS = json.loads((HERE / "story.json").read_text())["steps"]
ALLOWED = {"bindery-client", "httpx", "msgspec", "anyio", "certifi", "h11", "httpcore", "idna", "pip"}
MAY_COME_WITH_THEM = {"sniffio", "typing_extensions", "setuptools"}


def run_program(command: list[str | Path], demo: Running, folder: Path, *, address: str = "") -> str:
    done = run_tool(*command, folder=folder, BINDERY_URL=address or demo.url, BINDERY_TOKEN=demo.token)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_story(told: str) -> None:
    gave = json.loads(told)
    assert [dict(step, gives=given) for step, given in zip(STEPS, gave, strict=True)] == STEPS


def test_nothing_of_the_service_comes_with_the_python_client(python: Path) -> None:
    listed: list[Any] = json.loads(
        subprocess.check_output([python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"])
    )
    names = {package["name"] for package in listed}

    assert names - MAY_COME_WITH_THEM == ALLOWED


def test_the_typescript_client_depends_on_nothing(node_project: Path) -> None:
    manifest = json.loads(
        (node_project / "node_modules" / "@bindery" / "client" / "package.json").read_text()
    )

    assert "dependencies" not in manifest
    assert manifest["version"] == "0.1.0"


def test_the_story_in_python(python: Path, demo: Running, tmp_path: Path) -> None:
    check_story(run_program([python, HERE / "story.py", HERE / "story.json"], demo, tmp_path))


def test_the_story_in_typescript(node_project: Path, demo: Running) -> None:
    (node_project / "request.json").write_text(json.dumps(CREATE_QUOTES_EXAMPLE))

    check_story(run_program(["node", "story.ts", HERE / "story.json", "request.json"], demo, node_project))


def test_the_python_examples_and_the_story_pass_strict_types(python: Path, tmp_path: Path) -> None:
    programs = [*sorted((EXAMPLES / "python").glob("*.py")), HERE / "story.py"]
    checked = run_tool(
        "mypy",
        "--strict",
        f"--python-executable={python}",
        f"--cache-dir={tmp_path}",
        *programs,
        folder=tmp_path,
    )

    assert checked.returncode == 0, checked.stdout


def test_the_typescript_examples_and_the_story_pass_strict_types(node_project: Path) -> None:
    checked = run_tool("tsc", "--project", ".", folder=node_project)

    assert checked.returncode == 0, checked.stdout


@pytest.fixture(params=["python", "typescript"])
def example(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A way to start an example of one language."""
    if request.param == "python":
        interpreter = request.getfixturevalue("python")
        yield lambda name: [interpreter, EXAMPLES / "python" / f"{name}.py"]
    else:
        project = request.getfixturevalue("node_project")
        yield lambda name: ["node", project / f"{name.replace('_', '-')}.ts"]


def test_an_example_takes_a_request_to_a_policy_on_disk(example: Any, demo: Running, tmp_path: Path) -> None:
    said = run_program([*example("quote_to_policy"), EXAMPLES / "cyb.json", "policy.pdf"], demo, tmp_path)

    assert re.search(r"policy_issued CYB-\d\d-\d{7}-\d-00", said)
    assert (tmp_path / "policy.pdf").read_bytes().startswith(b"%PDF-")


def test_an_example_says_every_problem(example: Any, demo: Running, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(
        (EXAMPLES / "cyb.json").read_text().replace('"revenue": ', '"revenue": -')
    )

    refused = run_tool(
        *example("quote_to_policy"),
        "bad.json",
        "policy.pdf",
        folder=tmp_path,
        BINDERY_URL=demo.url,
        BINDERY_TOKEN=demo.token,
    )

    assert refused.returncode == 1
    assert refused.stderr.startswith("client.revenue: ")
    assert "(invalid_request, req_" in refused.stderr


def test_an_example_goes_on_where_it_left_the_feed(example: Any, demo: Running, tmp_path: Path) -> None:
    run_program([*example("quote_to_policy"), EXAMPLES / "mpl.json", "policy.pdf"], demo, tmp_path)
    follow = [*example("follow_events"), "cursor.txt"]

    # The address may end in a slash, and may have its /v2.
    first = run_program(follow, demo, tmp_path, address=f"{demo.url}/")
    second = run_program(follow, demo, tmp_path, address=f"{demo.url}/v2")

    assert "policy.issued" in first
    assert "policy.issued" not in second


def test_an_example_receives_and_verifies(example: Any, demo: Running, tmp_path: Path) -> None:
    command = [str(part) for part in (*example("webhook_receiver"), free_port())]
    environment = {"BINDERY_URL": demo.url, "BINDERY_TOKEN": demo.token, "PYTHONUNBUFFERED": "1"}
    if command[0] == "node":
        command[0] = str(Path(sys.executable).with_name("node"))
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as receiver:
        assert receiver.stdout is not None
        said = next((line for line in receiver.stdout if line.startswith("webhook.ping ")), "")
        # `node` is started by a program of its own, and both have to end.
        os.killpg(receiver.pid, signal.SIGKILL)

    assert json.loads(said.removeprefix("webhook.ping ").replace("'", '"')).keys() == {"webhook_id"}


def test_many_files_are_quoted_at_once(python: Path, demo: Running, tmp_path: Path) -> None:
    files = [EXAMPLES / f"{product}.json" for product in ("cyb", "teo", "mpl")]

    said = run_program([python, EXAMPLES / "python" / "many_quotes.py", *files], demo, tmp_path)

    assert sorted(line.partition(":")[0] for line in said.splitlines()) == [
        "cyb.json",
        "mpl.json",
        "teo.json",
    ]
