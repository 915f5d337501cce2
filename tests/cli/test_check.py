"""`bindery check`: a line for each part, and an exit code that a script can use."""

from support.processes import Program
from support.service import SECRET, Service, working
from support.waiting import eventually


async def test_the_command_says_what_is_wrong_and_ends_with_1(program: Program, service: Service) -> None:
    program.variables["BINDERY_SECRET_KEY"] = SECRET

    shown = program.run("check")
    told = program.run("check", "--json")

    assert shown.code == 1
    assert "wrong  Worker" in shown.stdout
    assert "none was seen. Start one with `bindery work`" in " ".join(shown.stdout.split())
    assert shown.stdout.splitlines()[-1] == "1 thing wrong."
    assert told.code == 1
    assert told.stdout.startswith("{")
    assert await service.count("workers") == 0


async def test_the_command_ends_with_0_where_nothing_is_wrong(program: Program, service: Service) -> None:
    program.variables["BINDERY_SECRET_KEY"] = SECRET
    async with working(service):

        async def is_seen() -> bool:
            return await service.count("workers") == 1

        await eventually(is_seen)
        shown = program.run("check")

    assert (shown.code, shown.stderr) == (0, "")
    assert shown.stdout.splitlines()[-1] == "Nothing is wrong."


def test_a_database_that_is_away_is_a_line_and_no_traceback(bare: Program) -> None:
    bare.variables["BINDERY_DATABASE_URL"] = "postgresql://bindery@127.0.0.1:1/none"

    shown = bare.run("check")

    assert shown.code == 1
    assert "Traceback" not in shown.stderr
    assert "it does not answer" in " ".join(shown.stdout.split())
