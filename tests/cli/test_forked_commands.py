"""The commands of these tests are forks of one process; they do what a newly started program does."""

import asyncio
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.forked import ForkServer
from support.processes import (
    PROGRAM,
    Program,
    free_port,
    is_alive,
    kept_variables,
    wait_for,
    without_watch,
)

pytestmark = pytest.mark.long


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ForkServer]:
    """A server of the test's own, which takes a fifth of the time to start where nothing is watched."""
    server = ForkServer(PROGRAM, without_watch(kept_variables()))
    yield server
    server.stop()


def children_of(server: ForkServer) -> list[int]:
    pid = server.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["token"], ["token", "list", "--data", "nowhere"], ["openapi"]],
    ids=" ".join,
)
def test_a_fork_ends_and_says_what_the_program_does(bare: Program, arguments: list[str]) -> None:
    anew = Program(bare.folder, forked=False)

    assert bare.run(*arguments) == anew.run(*arguments)


def test_a_fork_knows_its_own_input_environment_and_folder_and_nothing_of_the_one_before(
    bare: Program,
) -> None:
    mistyped = bare.run("token", "list", BINDERY_DATA_DIR="elsewhere")
    (bare.folder / "x.json").write_text("{}")
    from_its_folder = bare.run("quote", "x.json")
    by_input = bare.run(
        "quote", "-", "--url", "http://127.0.0.1:9/v2", stdin="{}" * 100_000, BINDERY_TOKEN="x"
    )

    assert mistyped.complaint.startswith("There is no data folder at elsewhere.")
    assert from_its_folder.complaint.startswith("There is no token")
    assert by_input.complaint.startswith("There is no answer from http://127.0.0.1:9/v2: ")


def test_commands_run_at_once_and_no_two_draw_the_same(program: Program) -> None:
    def issue(_number: int) -> str:
        return program.run("token", "issue", "--partner", "Northwind").good()

    program.run("partner", "add", "Northwind").good()
    with ThreadPoolExecutor(4) as threads:
        tokens = list(threads.map(issue, range(8)))

    assert len(set(tokens)) == 8
    assert len(program.run("token", "list", "--json").json()) == 8


async def test_a_command_is_killed_when_its_time_is_over_and_when_nobody_is_left_to_wait(
    own: ForkServer, bare: Program
) -> None:
    def run(*arguments: str, timeout: float) -> int:
        ended = own.run(arguments, input=None, timeout=timeout, cwd=bare.folder, env=bare.environment())
        return ended.returncode

    listen = ("listen", "--no-register", "--port", str(free_port()))
    begun = await asyncio.to_thread(run, "--version", timeout=180)
    with pytest.raises(subprocess.TimeoutExpired):
        await asyncio.to_thread(run, *listen, timeout=0.5)
    left = await wait_for(lambda: children_of(own), until=lambda found: not found)
    listening = asyncio.create_task(asyncio.to_thread(run, *listen, timeout=180))
    (child,) = await wait_for(lambda: children_of(own), until=bool)

    own.control.close()
    with pytest.raises(AssertionError, match="the server of commands has ended"):
        await listening
    outlived = await wait_for(lambda: is_alive(child), until=lambda alive: not alive)

    assert begun == 0
    assert left == []
    assert not outlived
    assert own.process.wait(timeout=30) == 0
