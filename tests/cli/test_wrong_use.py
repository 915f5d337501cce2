"""Whatever the user gets wrong is one sentence on the error stream and exit code 2."""

import uuid
from pathlib import Path

import pytest

from support.postgres import create_database, drop_database
from support.processes import Program

NOBODY_THERE = "postgresql://nobody@127.0.0.1:1/none"
SECRET = "q7LxT2vWm9ZrB4nKc8YpD1sHf6GjA3eU"
PRODUCTION = {
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
        (["token", "list", "--colour"], "No such option: --colour"),
        (["serve", "--port", "many"], "Invalid value for '--port': Input should be a valid integer"),
        (
            ["serve", "--port", "65536"],
            "Invalid value for '--port': Input should be less than or equal to 65535",
        ),
        (["clock", "advance", "-1"], "No such option: -1"),
        (
            ["legacy", "import", "nowhere.csv"],
            "Invalid value for 'FILE.csv': file 'nowhere.csv' does not exist.",
        ),
        (["quote", "nowhere.json"], "nowhere.json cannot be read: No such file or directory."),
        (["broker", "add", "not-an-address", "--partner", "x"], "'not-an-address' is not an e-mail address."),
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


@pytest.mark.parametrize("arguments", [["migrate"], ["work"]])
def test_a_database_that_cannot_be_reached_is_one_sentence(bare: Program, arguments: list[str]) -> None:
    ended = bare.run(*arguments, BINDERY_DATABASE_URL=NOBODY_THERE)

    assert ended.complaint.startswith("The database cannot be reached: ")


def test_an_address_of_a_database_that_is_none_is_one_sentence(bare: Program) -> None:
    ended = bare.run("token", "list", BINDERY_DATABASE_URL="bindery.db")

    assert ended.complaint.startswith("The database cannot be reached: invalid DSN")


@pytest.mark.parametrize("arguments", [["token", "list"], ["serve"]])
async def test_a_database_that_was_not_migrated_is_told_by_name_of_the_command(
    server: str, tmp_path: Path, arguments: list[str]
) -> None:
    name = f"bare_{uuid.uuid4().hex}"
    dsn = await create_database(server, name)

    ended = Program(tmp_path, {"BINDERY_DATABASE_URL": dsn}).run(*arguments)
    await drop_database(server, name)

    assert ended.complaint == "The database lacks this version's tables; run `bindery migrate` first."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"BINDERY_DATABASE_URL": ""}, "BINDERY_DATABASE_URL is required in production."),
        ({"BINDERY_SECRET_KEY": ""}, "BINDERY_SECRET_KEY is required in production."),
        (
            {"BINDERY_SECRET_KEY": SECRET[:31]},
            "BINDERY_SECRET_KEY is weak: it has 31 characters, and 32 are the least.",
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
    ended = bare.run("serve", **PRODUCTION)

    assert ended.complaint.startswith("The database cannot be reached: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demo"], "BINDERY_ENVIRONMENT is production; the demo runs in the demo environment only."),
        (["clock", "show"], "BINDERY_ENVIRONMENT is production, where the clock is that on the wall."),
        (
            ["clock", "advance", "1"],
            "BINDERY_ENVIRONMENT is production, where the clock is that on the wall.",
        ),
        (
            ["database", "status"],
            "BINDERY_DATABASE_URL names another database; there is no embedded server to show.",
        ),
        (
            ["database", "stop"],
            "BINDERY_DATABASE_URL names another database; stop that one with its own tools.",
        ),
    ],
)
def test_what_only_the_demo_has_is_refused_in_production(
    bare: Program, arguments: list[str], sentence: str
) -> None:
    ended = bare.run(*arguments, **PRODUCTION)

    assert ended.complaint == sentence
