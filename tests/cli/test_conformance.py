"""`bindery conformance` as a partner runs it: against a demo, and against something else."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from support.processes import Ended, Program, Running, demo_running, free_port
from support.spoiled_answers import CASES
from support.spoiling import spoiling_proxy


def play(demo: Running, *arguments: str) -> Any:
    ended = demo.program.run(
        "conformance", "--url", demo.url, "--token", demo.token, "--json", *arguments, timeout=600
    )
    assert ended.code in {0, 1}, ended.stderr
    return ended


@pytest.mark.long
def test_every_row_holds_in_the_demo(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with demo_running(server, template, tmp_path_factory.mktemp("conformance")) as demo:
        played = play(demo, "--decisions", "--move-clock").json()

    flaws = {row["id"]: row["why"] for row in played["rows"] if row["verdict"] != "held"}
    assert flaws == {}
    assert played["held"] == len(played["rows"]) > 800


@pytest.mark.long
def test_through_a_proxy_that_spoils_answers_exactly_the_rows_about_them_fail(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def played(demo: Running) -> Ended:
        async with spoiling_proxy(demo.url, [case.spoil for case in CASES.values()]) as url:
            arguments = ["conformance", "--url", url, "--token", demo.token, "--json", "--decisions"]
            return await asyncio.to_thread(demo.program.run, *arguments, timeout=600)

    with demo_running(server, template, tmp_path_factory.mktemp("spoiled")) as demo:
        ended = asyncio.run(played(demo))

    assert ended.code == 1
    failed = {row["id"] for row in json.loads(ended.stdout)["rows"] if row["verdict"] == "not_held"}
    assert failed == {row for case in CASES.values() for row in case.rows}


def test_rows_are_chosen_by_area_and_pattern(demo: Running) -> None:
    played = play(demo, "--only", "health", "--only", "products.*").json()

    assert {row["id"].partition(".")[0] for row in played["rows"]} == {"health", "products"}
    assert played["not_held"] == 0


def test_a_table_says_how_many_rows_of_each_area_held(demo: Running) -> None:
    ended = demo.program.run("conformance", "--url", demo.url, "--token", demo.token, "--only", "health")

    assert "health     2         -           -" in ended.good()
    assert "2 rows held, 0 did not, 0 not played" in ended.good()


def test_rows_that_need_days_are_not_played_without_leave(demo: Running) -> None:
    ended = demo.program.run(
        "conformance", "--url", demo.url, "--token", demo.token, "--only", "statuses.policy_expired"
    )

    assert "1 row not played: it needs days to pass: --move-clock moves the demo's clock." in ended.good()


def test_the_rows_can_be_read_without_any_service(bare: Program) -> None:
    listed = bare.run("conformance", "--list", "--only", "client.revenue.zero", "--json").json()

    assert listed == {
        "rows": [
            {
                "id": "client.revenue.zero",
                "section": "Client",
                "sentence": "Last 12 months revenue in USD. 1 to 5000000000.",
                "scene": "a CYB request taken",
                "expected": ["status 400", "message a text that is not empty"],
                "decision": False,
            }
        ]
    }


def test_our_decisions_are_rows_only_where_they_are_asked_for(bare: Program) -> None:
    without = bare.run("conformance", "--list", "--json").json()["rows"]
    with_them = bare.run("conformance", "--list", "--decisions", "--json").json()["rows"]

    assert not any(row["decision"] for row in without)
    assert [row for row in with_them if not row["decision"]] == without
    assert len(with_them) > len(without)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "nothing.*"], "No row has such an id; --list shows them"),
        (["--zone", "Mars/Olympus"], "--zone takes a name such as America/New_York, not 'Mars/Olympus'."),
        (["--listen", "9000"], "--listen takes HOST:PORT, not '9000'."),
        (["--listen", "127.0.0.1:70000"], "--listen takes HOST:PORT, not '127.0.0.1:70000'."),
        (["--url", "sandbox.example.com"], "The address of the service must begin with http:// or https://"),
    ],
)
def test_wrong_use_is_one_sentence(bare: Program, arguments: list[str], sentence: str) -> None:
    ended = bare.run("conformance", "--token", "x", *arguments)

    assert (ended.code, ended.complaint.startswith(sentence)) == (2, True)


def test_nobody_at_the_address_is_one_sentence(bare: Program) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"

    ended = bare.run("conformance", "--url", nobody, "--token", "x")

    assert ended.code == 2
    assert ended.complaint.startswith(f"{nobody}/v2 cannot be reached: ")


def test_a_token_that_is_refused_is_one_sentence(demo: Running) -> None:
    ended = demo.program.run("conformance", "--url", demo.url, "--token", "of-nobody")

    assert (ended.code, ended.complaint) == (2, f"{demo.url}/v2 refuses the token: it answered 401.")


def test_a_port_that_is_taken_is_one_sentence(demo: Running) -> None:
    taken = demo.url.rpartition(":")[2]

    ended = demo.program.run(
        "conformance", "--url", demo.url, "--token", demo.token, "--listen", f"127.0.0.1:{taken}"
    )

    assert ended.code == 2
    assert ended.complaint.startswith(f"Cannot listen on 127.0.0.1:{taken}: ")


def test_an_address_without_the_levers_is_not_written_to(bare: Program) -> None:
    with nothing_but_404() as (url, asked):
        ended = bare.run("conformance", "--url", url, "--token", "x")

    assert ended.code == 2
    assert ended.complaint.startswith(f"{url}/v2 is no demo: /demo/clock answered 404.")
    assert {method for method, _ in asked} == {"GET"}


def test_one_that_does_not_hold_a_row_is_told_which(bare: Program) -> None:
    with nothing_but_404() as (url, _):
        ended = bare.run("conformance", "--url", url, "--token", "x", "--without-demo", "--only", "health")

    assert ended.code == 1
    assert "health.none  not held" in ended.stdout
    assert "Request   GET /health_check" in ended.stdout
    assert "Expected  status 200; healthy true or false" in ended.stdout
    assert "Found     answered 404, not 200: nothing here; healthy is missing" in ended.stdout


@contextlib.contextmanager
def nothing_but_404() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A web server that is no service of ours, and what it was asked."""
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.refuse()

        def do_POST(self) -> None:
            self.refuse()

        def do_DELETE(self) -> None:
            self.refuse()

        def refuse(self) -> None:
            asked.append((self.command, self.path))
            self.send_response(404)
            self.end_headers()
            self.wfile.write(b"nothing here")

        def log_message(self, *_: object) -> None:
            """Keep requests out of the output of the tests."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()
