"""`bindery bordereau verify` says what a file is and where it differs; `templates` lists what there is."""

import csv
import io
from pathlib import Path

import pytest

from bindery.domain.bordereaux.bordereau import BordereauFormat
from scenarios.test_bordereaux import SMALL, binder_with_pin, canceled, first_month, make, of, this_month
from support.book import import_file
from support.processes import Program
from support.service import Service

TO_THE_CENT = "Its rows are what the ledger says, to the cent."


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


@pytest.fixture
async def book(service: Service) -> Service:
    """Two policies, one of which was canceled in the next month."""
    await import_file(service, binder_with_pin())
    await canceled(service)
    return service


def columns_turned_around(path: Path, to: Path) -> Path:
    """Replace each row of a file by another one's values."""
    head, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig")))
    with to.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *reversed(rows)])
    return to


async def test_a_file_is_as_it_was_frozen_or_differs_in_what_is_listed(
    program: Program, book: Service, tmp_path: Path
) -> None:
    month = await first_month(book)
    made = await make(book, tmp_path, month)
    path = of(made, BordereauFormat.CSV)
    (tmp_path / "other").mkdir()
    changed = columns_turned_around(path, tmp_path / "other" / path.name)

    said = program.run("bordereau", "verify", str(path)).good()
    listed = program.run("bordereau", "verify", str(path), "--json").json()
    flawed = program.run("bordereau", "verify", str(changed))
    flaws = program.run("bordereau", "verify", str(changed), "--json")

    assert f"SAMPLE-2027, {month}, premium (crs-5.2-us): 2 rows." in said
    assert "Every byte is that of the file that somebody froze on " in said
    assert TO_THE_CENT in said
    assert (listed["agreement"], listed["month"], listed["rows"]) == ("SAMPLE-2027", month, 2)
    assert (listed["frozen"]["by"], listed["is_as_kept"], listed["flawed"]) == ("somebody", True, 0)
    assert listed["premium"] == str(made.totals.premium)
    assert (flawed.code, flaws.code) == (1, 1)
    assert "It is not the file that somebody froze on " in flawed.stdout
    assert "Row 1: " in flawed.stdout
    assert TO_THE_CENT not in flawed.stdout
    count = len([line for line in flawed.stdout.splitlines() if line.startswith("Row ")])
    assert '"is_as_kept": false' in flaws.stdout
    assert f"And {flaws.stdout.count('and should be') - count} more." in flawed.stdout
    assert count == 20


async def test_a_draft_of_a_template_of_ones_own_is_checked_with_its_file(
    program: Program, book: Service, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(SMALL)
    asked = ("--binder", "SAMPLE-2027", "--month", await this_month(book), "--out", str(tmp_path / "out"))

    made = program.run("bordereau", "make", *asked, "--template", str(own))
    (path,) = (tmp_path / "out").glob("*_our-own_DRAFT.xlsx")
    said = program.run("bordereau", "verify", str(path), "--template", str(own)).good()
    listed = program.run("bordereau", "verify", str(path), "--template", str(own), "--json").json()
    without = program.run("bordereau", "verify", str(path))

    assert made.code == 0
    assert "is not over" in made.stdout
    assert "--because" not in made.stdout
    assert "It is a draft: nothing of this month is frozen." in said
    assert TO_THE_CENT in said
    assert (listed["frozen"], listed["is_as_kept"], listed["template"]) == (None, False, "our-own")
    assert without.code == 2
    assert "The file was made with the template our-own: --template FILE.toml." in without.stderr


def test_what_cannot_be_verified_is_refused_in_one_sentence(
    program: Program, service: Service, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name in ("totals.json", "october.csv", "B-1_2026-10_premium_crs-5.2-us.csv"):
        (tmp_path / name).write_text("a,b\n")
    for arguments, said in (
        (("totals.json",), "totals.json is not a file with rows: those end in .csv, .xlsx, .parquet."),
        (("nothing.csv",), "nothing.csv cannot be read: there is no such file."),
        (("october.csv",), "Nobody can say which bordereau october.csv is: "),
        (("B-1_2026-10_premium_crs-5.2-us.csv",), "There is no binder B-1: bindery binder list."),
        (("october.csv", "--template", "own"), "There is no template own: crs-5.2-us, or a file that ends"),
        (("october.csv", "--template", "no.toml"), "no.toml cannot be read: No such file or directory."),
    ):
        with subtests.test(said):
            refused = program.run("bordereau", "verify", *arguments)

            assert refused.code == 2
            assert refused.stdout == ""
            assert refused.stderr.startswith(f"bindery: {said}")


def test_the_templates_that_come_with_the_program_are_listed(program: Program) -> None:
    shown = program.run("bordereau", "templates").good()
    (listed,) = program.run("bordereau", "templates", "--json").json()

    assert listed["name"] == "crs-5.2-us"
    assert listed["title"] in shown
