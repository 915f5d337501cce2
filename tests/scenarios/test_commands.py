"""The first quarter of an hour with the program: an empty folder, a demo, a request, a second start."""

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.processes import EXAMPLES, PROGRAM, Program, Running, free_port


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Program]:
    """Somebody with an empty folder, whose name is not an easy one."""
    folder = tmp_path / "my first try"
    folder.mkdir()
    program = Program(folder, forked=False)
    yield program
    program.run("database", "stop")


def greeting_of(running: Running) -> str:
    return running.read_until("Ctrl-C stops it")


def lines_after(greeting: str, title: str) -> str:
    """Return what is printed to be copied below a title."""
    return greeting.split(f"{title}\n", 1)[1].split("\n\n", 1)[0]


def in_a_shell(newcomer: Program, lines: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines],
        capture_output=True,
        text=True,
        cwd=newcomer.folder,
        env=newcomer.environment(PATH=f"{PROGRAM.parent}:{os.environ['PATH']}"),
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_a_demo_from_an_empty_folder_answers_what_it_prints_and_keeps_its_data(newcomer: Program) -> None:
    port = str(free_port())
    with newcomer.start("demo", "--port", port, stdout=subprocess.PIPE) as first:
        greeting = greeting_of(first)
        token = lines_after(greeting, "Address and token of the partner demo")
        request = lines_after(greeting, "A first request; its receipt")
        receipt = json.loads(in_a_shell(newcomer, f"{token}\n{request}"))
        shown = json.loads(in_a_shell(newcomer, f"{token}\n{lines_after(greeting, 'The first quote of it')}"))
        followed = in_a_shell(newcomer, lines_after(greeting, "Both in one command"))
        another = newcomer.run("demo", "--port", str(free_port()))
        stopped = first.stop(signal.SIGINT)

    identifier = receipt["quotes"][0]["quote_identifier"]
    assert re.fullmatch(
        rf"export BINDERY_URL=http://127\.0\.0\.1:{port}\nexport BINDERY_TOKEN=[A-Za-z0-9_.-]{{150,200}}",
        token,
    )
    assert request.startswith(f"curl -s http://127.0.0.1:{port}/v2/quotes ")
    assert [option["requested_aggregate_limit"] for option in receipt["quotes"]] == [1_000_000, 2_000_000]
    assert (shown["quote_identifier"], shown["quote_status"]) == (identifier, "published")
    assert followed.count("published") == 2
    assert another.complaint.startswith(
        f"A demo is already running on {newcomer.data} at http://127.0.0.1:{port}/v2."
    )
    assert stopped == 0

    with newcomer.start("demo", "--port", port, stdout=subprocess.PIPE) as second:
        again = greeting_of(second)
        again_shown = in_a_shell(
            newcomer,
            f"{token}\ncurl -s http://127.0.0.1:{port}/v2/quotes/{identifier} "
            '-H "Authorization: Bearer $BINDERY_TOKEN" -H "Prefer: wait=20"',
        )
        second.stop(signal.SIGTERM)

    assert lines_after(again, "Address and token of the partner demo") == token
    assert json.loads(again_shown)["quote_status"] == "published"
    assert json.loads(again_shown)["premium"] == 1536


@pytest.mark.long
def test_an_operator_sets_up_a_service_command_by_command(newcomer: Program) -> None:
    port = str(free_port())
    newcomer.run("migrate").good()
    newcomer.run("partner", "add", "Northwind").good()
    newcomer.run("broker", "add", "broker@example.com", "--partner", "Northwind").good()
    token = newcomer.run("token", "issue", "--partner", "Northwind", "--days", "7").good().strip()

    url = f"http://127.0.0.1:{port}"
    with newcomer.start("serve", "--port", port) as server, newcomer.start("work"):
        server.url = url
        server.wait_until_ready()
        quotes = newcomer.run(
            "quote", str(EXAMPLES / "mpl.json"), "--wait", "--json", "--url", f"{url}/v2", BINDERY_TOKEN=token
        ).json()

    assert [quote["quote_status"] for quote in quotes] == ["published"] * 5
    assert newcomer.run("database", "status", "--json").json()["running"] is True


def test_a_port_that_is_taken_names_the_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        refused = Program(tmp_path).run("demo", "--port", str(port))

    assert f"`make demo PORT={port + 1}`" in refused.complaint
