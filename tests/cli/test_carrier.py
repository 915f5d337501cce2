"""`bindery carrier` keeps insurers, which a binder's file then names by their numbers."""

import json
from pathlib import Path

import pytest

from support.book import BINDER, binder_file
from support.processes import Program
from support.service import Service

FULL = """name = "Example Specialty Insurance Company"
number = "00001"
address = ["100 Specimen Plaza", "Sampleton, DE 19700"]
"""


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


async def test_a_carrier_is_added_once_and_a_binder_names_it_by_its_number(
    program: Program, service: Service, tmp_path: Path
) -> None:
    named, unknown = tmp_path / "named.toml", tmp_path / "unknown.toml"
    named.write_text(BINDER.replace(FULL, 'number = " 00001"\n'))
    unknown.write_text(BINDER.replace(FULL, 'number = "00009"\n'))
    asked = [
        "00001",
        "--name",
        "Specimen Casualty",
        "--address",
        "1 Specimen Plaza",
        "--address",
        "Sampleton",
    ]

    none = program.run("carrier", "list").good()
    added = program.run("carrier", "add", *asked, "--domicile", "Delaware", "--rating", "A").good()
    again = program.run("carrier", "add", "00001", "--name", "Somebody Else", "--address", "Nowhere")
    alone = program.run("carrier", "list", "--json").json()
    refused = program.run("binder", "import", str(unknown))
    imported = program.run("binder", "import", str(named))
    listed = program.run("carrier", "list").good()
    as_json = program.run("carrier", "list", "--json").json()

    assert "There is no carrier" in none
    assert added == "Specimen Casualty (00001) is on file; a binder's file puts it on a binder.\n"
    assert again.code == 1
    assert again.stdout == (
        "number 00001 is that of Specimen Casualty, which is on file already.\n1 problem; nothing was kept.\n"
    )
    carrier = {
        "name": "Specimen Casualty",
        "number": "00001",
        "address": ["1 Specimen Plaza", "Sampleton"],
        "domicile": "Delaware",
        "rating": "A",
    }
    assert alone == [{**carrier, "binders": []}]
    assert refused.code == 1
    assert "line 9: carriers[0].number 00009 is no carrier on file" in refused.stdout
    assert imported.code == 0
    assert "Specimen Casualty" in listed
    assert "SAMPLE-2027 62.5 %" in listed
    place = {
        "agreement": "SAMPLE-2027",
        "share": "62.5",
        "inception": "2027-03-01",
        "expiry": "2028-03-01",
    }
    assert as_json == [
        {**as_json[0], "number": "00002", "binders": [{**place, "share": "37.5"}]},
        {**carrier, "binders": [place]},
    ]
    deeds = await service.runtime.database.pool.fetch(
        "select about, details from deeds where kind = 'carrier_added'"
    )
    assert [tuple(deed) for deed in deeds] == [("00001", "Specimen Casualty")]


def test_every_problem_of_a_carrier_is_said_with_its_field_and_nothing_is_kept(
    program: Program, service: Service
) -> None:
    wrong = ["9" * 21, "--rating", " ", "--address", "x" * 121]

    refused = program.run("carrier", "add", *wrong)
    as_json = program.run("carrier", "add", *wrong, "--json")

    assert refused.code == as_json.code == 1
    assert refused.stdout == (
        "name is missing.\n"
        "number must be a text of 1 to 20 characters on one line.\n"
        "address must be a list of lines.\n"
        "rating must be a text of 1 to 40 characters on one line.\n"
        "4 problems; nothing was kept.\n"
    )
    answer = json.loads(as_json.stdout)
    assert answer["carrier"] is None
    assert [flaw["field"] for flaw in answer["problems"]] == ["name", "number", "address", "rating"]
    assert program.run("carrier", "list", "--json").json() == []


def test_a_file_that_says_more_of_a_carrier_changes_it(
    program: Program, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "binder.toml"
    file.write_bytes(binder_file())
    program.run("carrier", "add", "00001", "--name", "Old Name", "--address", "Old Street").good()

    program.run("binder", "import", str(file)).good()
    again = program.run("carrier", "add", "00001", "--name", "Old Name", "--address", "Old Street", "--json")

    assert [carrier["name"] for carrier in program.run("carrier", "list", "--json").json()] == [
        "Example Specialty Insurance Company",
        "Placeholder Reinsurance Ltd.",
    ]
    assert json.loads(again.stdout)["problems"] == [
        {
            "field": "number",
            "text": "00001 is that of Example Specialty Insurance Company, which is on file already",
        }
    ]
