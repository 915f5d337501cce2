"""The embedded PostgreSQL of a data folder, from the command line."""

import pytest

from support.processes import Program

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
