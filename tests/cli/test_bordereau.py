"""`bindery bordereau` writes files, freezes months and refuses what it cannot report."""

import json
from pathlib import Path

import pytest

from support.binding import move_days
from support.book import binder_file, import_file, issued
from support.processes import Program
from support.service import Service

BINDER = binder_file(inception="2020-01-01", expiry="2099-01-01")


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


async def test_a_month_is_a_draft_with_exceptions_and_final_with_a_reason(
    program: Program, service: Service, tmp_path: Path
) -> None:
    await import_file(service, BINDER)
    policy = await issued(service)
    month = f"{await service.runtime.database.today():%Y-%m}"
    asked = ("bordereau", "make", "--binder", "SAMPLE-2027", "--month", month, "--out", str(tmp_path / "out"))

    running = program.run(*asked)
    await move_days(service, 40)
    draft = program.run(*asked)
    drafted = program.run(*asked, "--json")
    final = program.run(*asked, "--because", "The PIN is applied for.").good()
    again = program.run(*asked, "--json").json()

    premium = f"1 row, premium ${policy['premium']:,}, taxes and fees $"
    assert (running.code, draft.code, drafted.code) == (1, 1, 1)
    assert json.loads(drafted.stdout)["frozen"] is None
    assert json.loads(drafted.stdout)["totals"]["exceptions"] == 1
    assert f"{month} is not over." in running.stdout
    assert "Coverholder PIN, in all rows (Operations)" in draft.stdout
    assert "1 exception is open." in draft.stdout
    assert "say why: --because TEXT" in draft.stdout
    assert premium in draft.stdout
    assert premium in final
    assert "Frozen " in final
    name = f"SAMPLE-2027_{month}_premium_crs-5.2-us"
    endings = ("csv", "xlsx", "parquet", "totals.json", "exceptions.csv")
    assert [Path(file).name for file in again["files"]] == [f"{name}.{ending}" for ending in endings]
    assert again["totals"]["because"] == "The PIN is applied for."
    assert json.loads((tmp_path / "out" / f"{name}.totals.json").read_text()) == again["totals"]
    verified = program.run("verify").good()
    assert "nothing is missing" in verified


async def test_a_file_that_was_kept_and_is_lost_is_found(
    program: Program, service: Service, tmp_path: Path
) -> None:
    await import_file(service, BINDER)
    await issued(service)
    month = f"{await service.runtime.database.today():%Y-%m}"
    await move_days(service, 40)
    asked = ("bordereau", "make", "--binder", "SAMPLE-2027", "--month", month, "--out", str(tmp_path / "out"))
    program.run(*asked, "--because", "No PIN yet.").good()
    sha256 = await service.runtime.database.pool.fetchval(
        "select sha256 from bordereau_files where format = 'xlsx'"
    )
    (tmp_path / "files" / sha256[:2] / sha256).unlink()

    verified = program.run("verify")
    again = program.run(*asked)

    assert verified.code == 1
    assert f"bordereau 1 of {month}, xlsx: the file is missing" in verified.stdout
    assert again.code == 2
    assert "is not there" in again.stderr
    assert "bindery verify" in again.stderr


def test_what_cannot_be_reported_is_refused_in_one_sentence(
    program: Program, service: Service, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('name = "own"\ntitle = "Own"\ncolumns = [\n  { name = "A", value = "b" },\n]\n')
    taken = tmp_path / "taken.toml"
    taken.write_text('name = "crs-5.2-us"\ntitle = "Own"\ncolumns = [{ name = "A", value = "premium" }]\n')
    for options, said in (
        (("--month", "2026-13"), "'2026-13' is no month: write it as 2026-10."),
        (("--kind", "claims"), "There is no claims bordereau: claims are not kept here"),
        (("--template", "own"), "There is no template own: crs-5.2-us, or a file that ends in .toml."),
        (("--template", str(wrong)), "line 4: columns[0].value 'b' is unknown; there are period_start"),
        (("--template", str(taken)), "has the name of a template that comes with the program"),
        ((), "There is no binder NOWHERE: bindery binder list."),
    ):
        given = {"--month": "2026-10"} | dict([options] if options else [])
        with subtests.test(" ".join(options)):
            ended = program.run(
                "bordereau", "make", "--binder", "NOWHERE", "--out", str(tmp_path / "out"),
                *(word for pair in given.items() for word in pair),
            )  # fmt: skip
            assert ended.code == 2
            assert said in ended.stderr, ended.stderr
    assert "crs-5.2-us" in program.run("bordereau", "templates").good()


def test_without_its_packages_the_command_says_how_to_install_them(
    service: Service, dsn: str, tmp_path: Path
) -> None:
    missing = tmp_path / "missing" / "pyarrow"
    missing.mkdir(parents=True)
    (missing / "__init__.py").write_text(
        "raise ModuleNotFoundError('No module named pyarrow', name='pyarrow')"
    )
    program = Program(
        tmp_path,
        {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path), "PYTHONPATH": str(missing.parent)},
        forked=False,
    )

    ended = program.run("bordereau", "make", "--binder", "B", "--month", "2026-10", "--out", str(tmp_path))

    assert ended.code == 2
    assert "(pyarrow): pip install 'bindery[book]'." in ended.stderr
    assert "Traceback" not in ended.stderr
