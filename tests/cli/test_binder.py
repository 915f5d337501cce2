"""`bindery binder` checks and imports files, and shows what is used."""

import json
from pathlib import Path

import pytest

from bindery.client import Bindery
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from support.book import BINDER, binder_file, issued
from support.processes import Program, demo_running
from support.service import Service


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


async def test_a_file_is_checked_imported_listed_and_shown(
    program: Program, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "binder.toml"
    file.write_bytes(binder_file(inception="2020-01-01", expiry="2099-01-01"))

    none = program.run("binder", "list").good()
    checked = program.run("binder", "check", str(file)).good()
    unchanged = program.run("binder", "list", "--json").json()
    imported = program.run("binder", "import", str(file)).good()
    policy = await issued(service)
    listed = program.run("binder", "list").good()
    shown = program.run("binder", "show", "SAMPLE-2027").good()
    as_json = program.run("binder", "show", "SAMPLE-2027", "--json").json()

    said = "Binder SAMPLE-2027, 2020-01-01 until 2099-01-01, $1,000,000 of premium in 2 sections,"
    assert "There is no binder" in none
    assert checked == f"{said} can be imported.\n"
    assert unchanged == {"binders": [], "policies_without_binder": 0}
    assert imported == f"{said} is on file.\n"
    premium = f"${policy['premium']:,}"
    assert premium in listed
    assert f"{premium} of $1,000,000, 0.2 %" in shown
    assert "Placeholder Reinsurance Ltd. (NAIC 00002) 37.5 %" in shown
    assert as_json["states"] == [{"state": "CA", "policies": 1, "premium": policy["premium"]}]
    assert {section["name"]: section["premium"] for section in as_json["sections"]} == {
        "Cyber": policy["premium"],
        "Professional": 0,
    }
    deed = await service.runtime.database.pool.fetchrow(
        "select kind, about, details from deeds where kind = 'binder_imported'"
    )
    assert deed is not None
    assert tuple(deed) == ("binder_imported", "SAMPLE-2027", "2020-01-01 to 2099-01-01, $1,000,000")


def test_every_problem_of_a_file_is_said_with_its_line_and_nothing_is_kept(
    program: Program, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "binder.toml"
    file.write_text(BINDER.replace("62.5", "60").replace("2028-03-01", "2020-03-01"))

    refused = program.run("binder", "import", str(file))
    as_json = program.run("binder", "check", str(file), "--json")

    assert refused.code == as_json.code == 1
    assert refused.stdout == (
        "binder.toml, line 5: expiry must be after the inception, 2027-03-01.\n"
        "binder.toml, line 12: carriers[0].share shares add up to 97.5 and not to 100.\n"
        "2 problems; nothing was kept.\n"
    )
    assert [(flaw["line"], flaw["field"]) for flaw in json.loads(as_json.stdout)["problems"]] == [
        (5, "expiry"),
        (12, "carriers[0].share"),
    ]
    assert program.run("binder", "list", "--json").json()["binders"] == []


def test_an_unknown_binder_or_file_is_one_sentence(program: Program, service: Service) -> None:
    assert program.run("binder", "show", "NONE").complaint == "There is no binder NONE: bindery binder list."
    assert "nowhere.toml" in program.run("binder", "import", "nowhere.toml").stderr


@pytest.mark.long
def test_the_demo_writes_policies_on_a_binder_of_its_own(server: str, template: str, tmp_path: Path) -> None:
    with demo_running(server, template, tmp_path) as demo, Bindery(demo.token, demo.url) as bindery:
        quote = bindery.quote(CREATE_QUOTES_EXAMPLE)[0]
        bindery.upload_signed(quote, bindery.signed_application(quote))
        bindery.bind(quote, attested=True)
        listed = demo.program.run("binder", "list", "--json").json()
        (carrier,) = demo.program.run("carrier", "list", "--json").json()

    (binder,) = listed["binders"]
    assert (binder["policies"], binder["premium_booked"]) == (1, quote.premium)
    assert listed["policies_without_binder"] == 0
    assert carrier["name"] == "Example Specialty Insurance Company"
    assert [place["agreement"] for place in carrier["binders"]] == [binder["agreement"]]
