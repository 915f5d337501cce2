"""The list of companies: chips, whose, sorts, and the production report."""

import csv
import io
import re
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bindery.domain.access.users import Role
from bindery.storage.lists import company_book, company_list
from bindery.storage.lists.company_list import CompanyFilter
from bindery.web.company.production import part_of_report
from bindery.web.frame import paging
from bindery.web.frame.spreadsheets import parts_of
from bindery.web.shown.words import Times
from support.binding import bind
from support.company_copies import copy_company
from support.intake import changed
from support.people import Person, links_of, sign_in_as, text_of
from support.service import Service

SMALL = ("policy.quotes", [{"aggregate_limit": 250_000, "aggregate_retention": 10_000}])
LARGE = (
    "policy.quotes",
    [
        {"aggregate_limit": 1_000_000, "aggregate_retention": 10_000},
        {"aggregate_limit": 2_000_000, "aggregate_retention": 10_000},
    ],
)
ANN, BO, LUIS = "ann@firm.example", "bo@firm.example", "luis@firm.example"


def names_of(page: str) -> list[str]:
    return re.findall(r'<a class="who" href="/company/\d+">([^<]+)</a>', page)


def chips_of(page: str) -> dict[str, str]:
    found = re.findall(r'class="chip"[^>]*>([^<]+) <span class="n">([^<]+)</span>', page)
    return {text.strip(): count for text, count in found}


async def add(service: Service, name: str, *changes: tuple[str, Any]) -> dict[str, Any]:
    return await service.quote(changed(("client.name", name), *changes))


@pytest.fixture
async def book(working_service: Service) -> dict[str, dict[str, Any]]:
    """Four companies: open with two options, open with one, a binder, with an underwriter."""
    await working_service.new_partner(working_service.partner.name, ANN, BO)
    dba = ("client.dba", "=Spoon")
    flagged = ("client.domains", ["red-flags.example.com"])
    made = {
        "Alder": await add(working_service, "Alder", LARGE, ("client.broker_email", ANN)),
        "Birch": await add(
            working_service,
            "Birch",
            SMALL,
            ("client.broker_email", ANN),
            ("client.secondary_broker_email", LUIS),
        ),
        "Cedar": await add(working_service, "Cedar", SMALL, ("client.broker_email", BO), dba),
        "Dogwood": await add(working_service, "Dogwood", SMALL, ("client.broker_email", BO), flagged),
    }
    await bind(working_service, made["Cedar"])
    return made


async def test_chips_count_filter_and_agree_with_the_list(
    working_service: Service, broker: Person, book: dict[str, Any], subtests: pytest.Subtests
) -> None:
    page = await broker.open("/companies?mine=0")

    assert names_of(page) == ["Dogwood", "Cedar", "Birch", "Alder"]
    chips = chips_of(page)
    assert chips == {
        "All": "4",
        "Open": "2",
        "With an underwriter": "1",
        "Bind requested": "0",
        "Binder": "1",
        "In force": "0",
        "Nothing open": "0",
    }
    text = text_of(page)
    for shown in (
        "Binder, due",
        "not quoted yet",
        "Answer by",
        "$250k",
        "$1M \N{EN DASH} $2M",
        "2 options",
    ):
        assert shown in text
    links = [link for link in links_of(page) if "status=" in link]
    for (name, count), link in zip(list(chips.items())[1:], links, strict=True):
        with subtests.test(name):
            filtered = await broker.open(link)
            assert len(names_of(filtered)) == int(count)
            assert chips_of(filtered) == chips
            if not int(count):
                assert "No company matches." in text_of(filtered)
    with subtests.test("one product"):
        assert names_of(await broker.open("/companies?mine=0&product=TEO")) == []
        assert chips_of(await broker.open("/companies?mine=0&product=TEO"))["All"] == "0"
        assert len(names_of(await broker.open("/companies?mine=0&product=CYB&status=binder"))) == 1
    with subtests.test("what is being quoted has a chip while it is"):
        await working_service.runtime.database.pool.execute(
            "update quotes set status = 'calculating' where quote_id = $1", book["Birch"]["quote_identifier"]
        )
        assert chips_of(await broker.open("/companies?mine=0"))["Being quoted"] == "1"
        assert "Being priced" in text_of(await broker.open("/companies?mine=0&status=quoting"))


async def test_mine_my_teams_and_everyones(working_service: Service, book: dict[str, Any]) -> None:
    assert book
    async with await sign_in_as(working_service, Role.BROKER, email=LUIS) as luis:
        assert names_of(await luis.open("/companies")) == ["Birch"]
        team = await luis.open("/companies?mine=team")
        # Ann shares a company with Luis, Bo does not.
        assert names_of(team) == ["Birch", "Alder"]
        assert "Pat Broker" in text_of(team)
        assert names_of(await luis.open("/companies?mine=0")) == ["Dogwood", "Cedar", "Birch", "Alder"]
    async with await sign_in_as(working_service, Role.BROKER, email=ANN) as ann:
        assert names_of(await ann.open("/companies")) == ["Birch", "Alder"]
        assert names_of(await ann.open("/companies?mine=team")) == ["Birch", "Alder"]
        assert ">Broker</th>" not in await ann.open("/companies")
    stranger = await working_service.new_partner("another partner", LUIS)
    async with await sign_in_as(stranger, Role.BROKER) as eve:
        for whose in ("1", "team", "0"):
            assert names_of(await eve.open(f"/companies?mine={whose}")) == []


@pytest.mark.parametrize("most", [1_000, 2])
async def test_every_column_sorts_and_leads_on_and_back(
    broker: Person, book: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_book, "MOST_SORTED", most)
    monkeypatch.setattr(paging, "ROWS", 1)
    assert book
    newest = ["Dogwood", "Cedar", "Birch", "Alder"]
    orders = {
        "": newest,
        "since": newest,
        "bogus": newest,
        "name": newest[::-1],
        "-name": newest,
    }
    for sort, expected in orders.items():
        # Of a book that is not read whole, every order but the newest first is of its newest companies.
        of_all = most == 1_000 or sort in {"", "since", "bogus"}
        address, seen = f"/companies?mine=0&sort={sort}", []
        while True:
            page = await broker.open(address)
            seen += names_of(page)
            on = re.search(r'<a [^>]*href="([^"]+)" rel="next"', page)
            if on is None:
                break
            address = on.group(1).replace("&amp;", "&")
        if of_all:
            assert seen == expected, sort
        else:
            assert sorted(seen) == ["Cedar", "Dogwood"], sort
            assert "Sorted among the newest 2 companies" in text_of(page)
        assert (chips_of(page)["All"] == "4") is (most == 1_000)
    if most == 1_000:
        assert names_of(await broker.open("/companies?mine=0&sort=limit")) == ["Alder"]
        assert names_of(await broker.open("/companies?mine=0&sort=premium&after=x")) == ["Alder"]
        assert names_of(await broker.open("/companies?mine=0&sort=next")) == ["Dogwood"]


async def test_the_csv_is_a_production_report(
    working_service: Service, broker: Person, book: dict[str, Any]
) -> None:
    policy = await working_service.ready(book["Cedar"]["quote_identifier"])

    sheet = (await broker.http.get("/companies.csv?mine=0")).text

    heads, *rows = list(csv.reader(io.StringIO(sheet.removeprefix("\ufeff"))))
    by_name = {row[1]: dict(zip(heads, row, strict=True)) for row in rows}
    assert list(by_name) == ["Dogwood", "Cedar", "Birch", "Alder"]
    cedar = by_name["Cedar"]
    assert cedar["DBA"] == "'=Spoon"
    assert cedar["Policy number"] == policy["policy_number"]
    assert cedar["Status"].startswith("Binder, due ")
    assert cedar["Premium"] == str(policy["premium"])
    assert cedar["Total"] == f"{policy['total']:.2f}"
    assert float(cedar["Taxes and fees"]) == round(policy["total"] - policy["premium"], 2)
    assert (cedar["Broker"], cedar["Secondary broker"], cedar["Product"]) == (BO, "", "Cyber")
    assert cedar["Effective"] == policy["dates"]["effective"]
    assert cedar["Bound on"] != ""
    # What is not bound adds nothing to the sums.
    assert (by_name["Alder"]["Status"], by_name["Alder"]["Premium"], by_name["Alder"]["Total"]) == (
        "Open",
        "",
        "",
    )
    assert by_name["Birch"]["Secondary broker"] == LUIS
    binders = (await broker.http.get("/companies.csv?mine=0&status=binder")).text
    assert [row[1] for row in csv.reader(io.StringIO(binders))] == ["Name", "Cedar"]


@pytest.mark.parametrize("together", [1, 3, 4, 5])
async def test_the_report_is_whole_wherever_its_parts_end(
    working_service: Service, book: dict[str, Any], together: int
) -> None:
    database, partner_id = working_service.runtime.database, working_service.partner.partner_id
    asked, times = CompanyFilter(partner_id=partner_id), Times(ZoneInfo("UTC"), await database.now())
    read = partial(part_of_report, asked=asked, times=times)

    parts = [[row[1] for row in part] async for part in parts_of(database, read, together=together)]

    names = ["Dogwood", "Cedar", "Birch", "Alder"]
    assert set(names) == set(book)
    assert parts == [names[start : start + together] for start in range(0, 4, together)]


async def test_the_report_has_every_company_of_a_word(working_service: Service, broker: Person) -> None:
    quoted = await add(working_service, "Juniper", SMALL)
    await copy_company(working_service, quoted["company_id"], company_list.MOST_FOUND, name="Juniper")

    sheet = (await broker.http.get("/companies.csv?mine=0&q=juniper")).text

    _, *names = [row[1] for row in csv.reader(io.StringIO(sheet))]
    assert names == [*(f"Juniper {n}" for n in range(company_list.MOST_FOUND, 0, -1)), "Juniper"]


async def test_policies_of_the_report_say_how_they_ended(
    service: Service, broker: Person, policy: dict[str, Any], subtests: pytest.Subtests
) -> None:
    pool = service.runtime.database.pool
    number = policy["quote_identifier"]

    async def statuses() -> set[str]:
        sheet = (await broker.http.get("/companies.csv?mine=0")).text
        return {row["Status"] for row in csv.DictReader(io.StringIO(sheet.removeprefix("\ufeff")))}

    for status, change, word in [
        ("policy_active", "effective = effective - 30", "In force"),
        ("policy_active", "effective = effective + 400", "Starts "),
        ("policy_canceled", "ended_on = date '2027-03-01'", "Canceled as of Mar 1, 2027"),
        ("policy_expired", "in_force = false", "Ended"),
        ("quote_expired", "in_force = false", "Lapsed"),
    ]:
        with subtests.test(word):
            await pool.execute("update quotes set status = $2 where quote_id = $1", number, status)
            await pool.execute(f"update binds set {change} where quote_id = $1", number)
            assert any(text.startswith(word) for text in await statuses())


async def test_a_list_with_nothing_in_it_says_what_to_do(service: Service, broker: Person) -> None:
    assert service
    page = text_of(await broker.open("/companies"))

    assert "You have no companies yet. Show your colleagues' companies too." in page
    assert "No companies yet: they appear here" in text_of(await broker.open("/companies?mine=0"))
