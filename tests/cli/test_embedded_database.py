"""The embedded PostgreSQL of a data folder, from the command line."""

import asyncio
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import pytest

from support.processes import Program, free_port, wait_for

pytestmark = pytest.mark.long


def test_a_command_starts_the_server_and_database_stop_ends_it(bare: Program) -> None:
    before = bare.run("database", "status", "--json").json()
    try:
        migrated = bare.run("migrate").good()
        added = bare.run("partner", "add", "Northwind", "--json").json()
        running = bare.run("database", "status", "--json").json()
        shown = bare.run("database", "status").good()
        stopped = bare.run("database", "stop").good()
        again = bare.run("database", "stop").good()
        found = bare.run("partner", "add", "Northwind", "--json").json()
    finally:
        bare.run("database", "stop")

    assert before["running"] is False
    assert migrated.startswith("The database is at revision ")
    assert running["running"] is True
    assert shown.startswith(f"PostgreSQL {running['version']} is running as process {running['pid']} on ")
    assert stopped == "PostgreSQL is stopped.\n"
    assert again == "PostgreSQL was not running.\n"
    assert found == added


def test_the_data_option_goes_before_the_variable(bare: Program) -> None:
    elsewhere = bare.folder / "else where"

    shown = bare.run("database", "status", "--data", str(elsewhere)).good()

    assert shown.startswith("No PostgreSQL is running on ")
    assert str(elsewhere) in shown
    assert not elsewhere.exists()


def test_ctrl_c_of_the_demo_stops_its_server_unless_another_process_uses_it(bare: Program) -> None:
    def said_at_the_end(meanwhile: Callable[[], AbstractContextManager[object]]) -> str:
        port = free_port()
        with bare.start("demo", "--port", str(port), stdout=subprocess.PIPE) as demo:
            demo.url = f"http://127.0.0.1:{port}"
            demo.wait_until_ready()
            with meanwhile():
                assert demo.stop(signal.SIGINT) == 0
            assert demo.process.stdout is not None
            return " ".join(demo.process.stdout.read().partition("Stopped.")[2].split())

    @contextmanager
    def a_worker() -> Iterator[None]:
        with bare.start("work") as worker:
            asyncio.run(wait_for(lambda: worker.stderr, until=lambda log: '"working"' in log, seconds=90))
            yield
            worker.stop()

    try:
        used = said_at_the_end(a_worker)
        still = bare.run("database", "status", "--json").json()["running"]
        unused = said_at_the_end(nullcontext)
        after = bare.run("database", "status", "--json").json()["running"]
    finally:
        bare.run("database", "stop")

    assert used.startswith("PostgreSQL keeps running")
    assert still is True
    assert unused == "PostgreSQL is stopped too; commands that need it start it."
    assert after is False
