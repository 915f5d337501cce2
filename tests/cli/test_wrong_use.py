"""Whatever the user gets wrong is one sentence on the error stream and exit code 2."""

import json
import os
import subprocess
import uuid
from importlib.metadata import version
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.storage.revision import own_chain
from support.postgres import create_database, drop_database
from support.processes import PROGRAM, Program

NOBODY_THERE = "postgresql://nobody@127.0.0.1:1/none"
SECRET = "q7LxT2vWm9ZrB4nKc8YpD1sHf6GjA3eU"
PRODUCTION: dict[str, Any] = {
    "BINDERY_ENVIRONMENT": "production",
    "BINDERY_DATABASE_URL": NOBODY_THERE,
    "BINDERY_SECRET_KEY": SECRET,
    "BINDERY_BASE_URL": "https://api.bindery.example/v2",
}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["frobnicate"], "No such command 'frobnicate'."),
        (["token", "issue"], "Missing option '--partner'."),
        (["token", "revoke"], "Missing argument 'jti'."),
        (["token", "list", "--color"], "No such option: --color"),
        (["serve", "--port", "many"], "Invalid value for '--port': must be a whole number"),
        (
            ["serve", "--port", "65536"],
            "Invalid value for '--port': must be at most 65535",
        ),
        (["clock", "advance", "-1"], "DAYS must be a whole number from 0 to 4,000, not '-1'"),
        (["quote", "x.json", "--timeout", "0"], "Invalid value for '--timeout': must be at least 1"),
        (["qoute", "x.json"], "No such command 'qoute'. Did you mean 'quote'?"),
        (
            ["legacy", "import", "nowhere.csv"],
            "Invalid value for 'FILE.csv': file 'nowhere.csv' does not exist.",
        ),
        (["quote", "nowhere.json"], "nowhere.json cannot be read: No such file or directory."),
        (["broker", "add", "not-an-address", "--partner", "x"], "'not-an-address' is not an email address."),
        (["partner", "add", " "], "A partner needs a name."),
    ],
)
def test_wrong_use_is_one_sentence(bare: Program, arguments: list[str], sentence: str) -> None:
    ended = bare.run(*arguments)

    assert ended.complaint.startswith(sentence)


def test_a_command_without_arguments_shows_its_help(bare: Program) -> None:
    ended = bare.run("token")

    assert ended.code == 2
    assert "revoke" in ended.stdout
    assert ended.stderr == ""


@pytest.mark.parametrize("arguments", [["migrate"], ["token", "list"]])
def test_a_database_that_cannot_be_reached_is_one_sentence(bare: Program, arguments: list[str]) -> None:
    ended = bare.run(*arguments, BINDERY_DATABASE_URL=NOBODY_THERE)

    assert ended.complaint.startswith("The database cannot be reached: ")


@pytest.mark.parametrize("arguments", [["token", "list"], ["serve"], ["work"]])
def test_a_wrong_address_of_a_database_is_refused_in_a_sentence(bare: Program, arguments: list[str]) -> None:
    ended = bare.run(*arguments, BINDERY_DATABASE_URL="bindery.db")

    assert ended.complaint.startswith("The database cannot be reached: invalid DSN")


@pytest.mark.parametrize("arguments", [["token", "list"], ["serve"], ["work"], ["migrate"]])
def test_a_database_that_lets_nobody_in_is_one_sentence(
    bare: Program, server: str, arguments: list[str]
) -> None:
    wrong_role = server.replace("postgresql://bindery@", "postgresql://somebody@")

    ended = bare.run(*arguments, BINDERY_DATABASE_URL=wrong_role)

    assert ended.complaint == 'The database cannot be reached: role "somebody" does not exist'


@pytest.mark.parametrize("arguments", [["token", "list"], ["serve"], ["work"]])
async def test_a_database_that_was_not_migrated_is_told_by_name_of_the_command(
    server: str, tmp_path: Path, arguments: list[str]
) -> None:
    name = f"bare_{uuid.uuid4().hex}"
    dsn = await create_database(server, name)

    ended = Program(tmp_path, {"BINDERY_DATABASE_URL": dsn}).run(*arguments)
    await drop_database(server, name)

    assert ended.complaint == "The database lacks this version's tables; run `bindery migrate` first."


@pytest.mark.parametrize("arguments", [["token", "list"], ["serve"], ["work"], ["migrate"]])
async def test_a_database_of_a_newer_version_is_told_as_such(
    dsn: str, tmp_path: Path, arguments: list[str]
) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("update alembic_version set version_num = '9999'")
    try:
        ended = Program(tmp_path, {"BINDERY_DATABASE_URL": dsn}).run(*arguments)

        assert ended.complaint == (
            "The database belongs to a newer version: its tables are at revision 9999, and this version "
            f"knows them up to {own_chain().newest}. Run the newer version, or restore the backup from "
            "before the upgrade."
        )
        assert await connection.fetchval("select version_num from alembic_version") == "9999"
    finally:
        await connection.close()


@pytest.mark.parametrize("command", ["serve", "work"])
async def test_a_misspelled_setting_is_a_line_in_the_log(dsn: str, tmp_path: Path, command: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("update alembic_version set version_num = '9999'")
    await connection.close()

    ended = Program(tmp_path, {"BINDERY_DATABASE_URL": dsn}).run(command, BINDERY_POOLSIZE="3")

    (line,) = [line for line in (ended.stdout + ended.stderr).splitlines() if "setting_unknown" in line]
    said = json.loads(line)
    assert (said["level"], said["name"], said["did_you_mean"]) == (
        "warning",
        "BINDERY_POOLSIZE",
        "BINDERY_POOL_SIZE",
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"BINDERY_DATABASE_URL": ""}, "BINDERY_DATABASE_URL is required in production."),
        ({"BINDERY_SECRET_KEY": ""}, "BINDERY_SECRET_KEY is required in production."),
        (
            {"BINDERY_SECRET_KEY": SECRET[:31]},
            "BINDERY_SECRET_KEY is weak: it has 31 characters and needs at least 32.",
        ),
        (
            {"BINDERY_SECRET_KEY": "abcabcabcabcabcabcabcabcabcabcabc"},
            "BINDERY_SECRET_KEY is weak: it repeats a few characters; use a random one.",
        ),
        (
            {"BINDERY_BASE_URL": "http://api.bindery.example/v2"},
            "BINDERY_BASE_URL must be an https address in production.",
        ),
    ],
)
def test_production_refuses_to_start_on_weak_ground(
    bare: Program, change: dict[str, str], sentence: str
) -> None:
    ended = bare.run("serve", **{**PRODUCTION, **change})

    assert ended.complaint == sentence


def test_production_on_good_ground_gets_as_far_as_the_database(bare: Program) -> None:
    ended = bare.run("token", "list", **PRODUCTION)

    assert ended.complaint.startswith("The database cannot be reached: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demo"], "BINDERY_ENVIRONMENT is production; the demo runs in the demo environment only."),
        (
            ["clock", "show"],
            "BINDERY_ENVIRONMENT is production; only the demo has a clock that can be moved.",
        ),
        (
            ["clock", "advance", "1"],
            "BINDERY_ENVIRONMENT is production; only the demo has a clock that can be moved.",
        ),
        (
            ["database", "status"],
            "BINDERY_DATABASE_URL points to another database; there is no embedded server to show.",
        ),
        (
            ["database", "stop"],
            "BINDERY_DATABASE_URL points to another database; stop that one with its own tools.",
        ),
    ],
)
def test_what_only_the_demo_has_is_refused_in_production(
    bare: Program, arguments: list[str], sentence: str
) -> None:
    ended = bare.run(*arguments, **PRODUCTION)

    assert ended.complaint == sentence


@pytest.mark.parametrize(
    "arguments",
    [
        ["token", "list"],
        ["partner", "list"],
        ["broker", "list"],
        ["clock", "show"],
        ["journal", "verify"],
        ["token", "issue", "--partner", "x"],
    ],
    ids=" ".join,
)
def test_a_mistyped_data_folder_starts_nothing(bare: Program, arguments: list[str]) -> None:
    mistyped = bare.folder / "bindrey"

    ended = bare.run(*arguments, "--data", str(mistyped))

    assert ended.complaint.startswith(f"There is no data folder at {mistyped}.")
    assert not mistyped.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--data", "a file"],
        ["demo", "--data", "a file/below"],
        ["migrate", "--data", "a file"],
        ["token", "list", "--data", "a file"],
        ["quote", "a folder"],
        ["quote", "a file/x.json"],
        ["legacy", "import", "a folder"],
        ["legacy", "import", "binary.csv"],
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_used_is_one_sentence(bare: Program, arguments: list[str]) -> None:
    (bare.folder / "a file").write_text("")
    (bare.folder / "a folder").mkdir()
    (bare.folder / "binary.csv").write_bytes(b"\xff\xfe\x00")

    ended = bare.run(*arguments)

    assert len(ended.complaint) > 10
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_one_sentence(bare: Program) -> None:
    closed = bare.folder / "closed"
    closed.mkdir(mode=0o500)

    ended = bare.run("demo", "--data", str(closed / "data"))

    assert ended.complaint.endswith("Permission denied.")


def test_whoever_stops_reading_gets_no_trace(bare: Program) -> None:
    done = subprocess.run(
        ["bash", "-c", f"'{PROGRAM}' openapi | head -c 1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env=bare.environment(),
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == ""


def test_the_version_is_that_of_the_package(bare: Program) -> None:
    assert bare.run("--version").good() == f"bindery {version('bindery')}\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [("bindery tok", ["token"]), ("bindery token ", ["issue", "list", "revoke"])],
)
def test_a_shell_completes_commands(bare: Program, words: str, offered: list[str]) -> None:
    asked: dict[str, Any] = {
        "_BINDERY_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }

    assert bare.run(**asked).stdout.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_be_given_its_completion(bare: Program, shell: str) -> None:
    # Otherwise it is the shell that these tests were started from, if any.
    named: dict[str, Any] = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}

    assert "_BINDERY_COMPLETE" in bare.run("--show-completion", shell, **named).good()
