"""The search field: what it finds, in spite of what is typed."""

from pathlib import Path
from typing import Any

import pytest

from bindery.domain.access.users import Role
from bindery.storage.lists import search
from bindery.storage.lists.search import NUMBERS, Way
from bindery.storage.migrate import migrate
from support.binding import bind
from support.debian_postgres import debian_postgres
from support.intake import changed
from support.people import Person, links_of, sign_in_as, text_of
from support.service import Service, serving, working

ONE_OPTION = ("policy.quotes", [{"aggregate_limit": 1_000_000, "aggregate_retention": 10_000}])
WILLOW: tuple[tuple[str, Any], ...] = (
    ("client.name", "Willow Kettle Design Office"),
    ("client.dba", "The Crooked Spoon"),
    ("client.domains", ["kettle-works.example.com"]),
    (
        "client.insured_main_contact",
        {"email": "zofia.nowak@kettle.example", "first_name": "Zofia", "last_name": "Nowak"},
    ),
)
ZAZOLC: tuple[tuple[str, Any], ...] = (
    ("client.name", "Zażółć O'Brien Smithson"),
    ("client.domains", ["zaz.example.com"]),
)


async def book(service: Service) -> tuple[dict[str, Any], dict[str, Any]]:
    """Submit two companies, the first of which is bound."""
    willow = await service.quote(changed(*WILLOW, ONE_OPTION))
    zazolc = await service.quote(changed(*ZAZOLC, ONE_OPTION))
    await bind(service, willow)
    return await service.ready(willow["quote_identifier"]), zazolc


async def opened(person: Person, words: str) -> str:
    """Return which page a search opens; empty where it lists what it found."""
    answer = await person.http.get("/search", params={"q": words})
    assert answer.status_code in {200, 303}, answer.text
    return str(answer.headers.get("location", ""))


async def test_one_hit_opens_however_it_is_spelled(
    working_service: Service, broker: Person, operator: Person, subtests: pytest.Subtests
) -> None:
    willow, zazolc = await book(working_service)
    number, policy = willow["company_id"], willow["policy_number"]
    _, year, running, check, _ = policy.split("-")

    for company, spelled in [
        (willow, ("willow", "KETTLE des", "office willow", "Willwo", "wilow", "willows", "Kettel Willow")),
        (willow, ("crooked spoon", "spon crooked", "kettle-works.example.com", "kettle-works")),
        (willow, ("zofia", "nowak zofia", "zofia.nowak@kettle.example", "Novak")),
        (willow, (policy, policy.lower(), policy.replace("-", ""), f"CYB-{year}-{running}", running)),
        (willow, (f"{running}-{check}", f"{running.lstrip('0')}{check}00", number, number[:5], number[-6:])),
        (willow, (number[-4:], willow["quote_identifier"])),
        (zazolc, ("zazolc", "ZAŻÓŁĆ", "za\u017co\u0301lc", "obrien", "o'brien", "O\u2019Brien", "smithsen")),
    ]:
        for words in spelled:
            with subtests.test(words):
                assert await opened(broker, words) == f"/company/{company['company_id']}"
    for words in ("nothing of the kind", "wollwo", "%", "'", "\\", "& | !", "x" * 500, "xy\x00z\x00xy"):
        with subtests.test(repr(words)):
            assert await opened(broker, words) == ""
    with subtests.test("it is said what a wrong letter was taken for"):
        page = text_of(await broker.open("/search?q=wilow"))
        assert "“wilow” was found as Willow Kettle Design Office." in page
    with subtests.test("operators find by numbers alone"):
        for words in (number[:5], running):
            listed = await operator.open(f"/search?q={words}")
            assert f"/ops/journal/{willow['quote_identifier']}" in links_of(listed)
            assert "Willow" not in listed
        for words in ("willow", "spoon", "nowak"):
            assert "Nothing matches" in await operator.open(f"/search?q={words}")


async def test_several_hits_are_listed_by_what_matched(
    working_service: Service, broker: Person, underwriter: Person, operator: Person
) -> None:
    willow, _ = await book(working_service)
    other = await working_service.quote(
        changed(("client.name", "Spoon and Sons"), ("client.domains", ["willow.example.com"]), ONE_OPTION)
    )

    page = await broker.open("/search?q=willow")

    companies, domains = page.index('scope="rowgroup" role="rowheader">Companies<'), page.index(">Domains<")
    assert companies < page.index(f"/company/{willow['company_id']}") < domains
    assert domains < page.index(f"/company/{other['company_id']}")
    assert "willow.example.com" in text_of(page)
    assert "Binder, due" in text_of(page)
    assert "Doing business as" in await broker.open("/search?q=spoon")
    # Nothing begins so: both are one letter off.
    assert "Nothing is spelled “spoom”." in text_of(await broker.open("/search?q=spoom"))
    assert "Nothing matches “owl”" in text_of(await broker.open("/search?q=owl"))
    assert "/search" in (await broker.http.get("/search?q=willow")).url.path
    assert (await broker.http.get("/search?q=")).headers["location"] == "/companies"

    # Underwriters see every partner's, brokers their own partner's, and operators numbers.
    stranger = await working_service.new_partner("another partner", "eve@other.example")
    async with await sign_in_as(stranger, Role.BROKER) as eve:
        assert "Nothing matches" in text_of(await eve.open("/search?q=willow"))
        assert await opened(eve, willow["company_id"]) == ""
        assert await opened(eve, willow["policy_number"]) == ""
    theirs = await stranger.quote(
        changed(("client.name", "Willow Tree"), ("client.broker_email", "eve@other.example"), ONE_OPTION)
    )
    assert f"/company/{theirs['company_id']}" in links_of(await underwriter.open("/search?q=willow"))
    assert f"/company/{theirs['company_id']}" not in links_of(await broker.open("/search?q=willow"))
    digits = text_of(await operator.open("/search?q=CYB-2"))
    assert willow["policy_number"] in digits or "Where it stands" in digits


async def test_a_company_is_found_before_a_worker_has_looked_at_it(service: Service, broker: Person) -> None:
    receipt = await service.submit(changed(*WILLOW))

    assert await opened(broker, "kettle") == f"/company/{receipt['company_id']}"


async def test_a_search_looks_no_further_than_it_has_to(working_service: Service) -> None:
    willow, _ = await book(working_service)
    number = int(willow["company_id"])
    async with working_service.runtime.database.reading() as tx:
        found = await search.search(tx, "willow", partner_id=None)
        assert (found.way, [hit.company_id for hit in found.hits]) == (Way.BEGINNING, [number])
        assert (await search.search(tx, "wilow", partner_id=None)).way is Way.WRONG_LETTER
        assert (await search.search(tx, "willow", partner_id=None, kinds=NUMBERS)).hits == ()
        # At most three words are tried with a wrong letter.
        assert (await search.search(tx, "Wilow Ketle Desing", partner_id=None)).hits
        assert not (await search.search(tx, "Wilow Ketle Desing Offise", partner_id=None)).hits


@pytest.mark.long
async def test_parts_of_words_are_found_where_the_server_has_trigrams(tmp_path: Path) -> None:
    with debian_postgres() as server:
        await migrate(server.dsn)
        async with serving(server.dsn, tmp_path) as service, working(service):
            willow, zazolc = await book(service)
            for words, way, company in [
                ("illo", Way.PART, willow),
                ("roked spo", Way.WRONG_LETTER, None),
                ("rooked poon", Way.PART, willow),
                (willow["company_id"][2:6], Way.PART, willow),
                (willow["policy_number"][4:9], Way.PART, willow),
                ("azol", Way.PART, zazolc),
                ("kettle", Way.BEGINNING, willow),
                ("ketle", Way.WRONG_LETTER, willow),
            ]:
                async with service.runtime.database.reading() as tx:
                    found = await search.search(tx, words, partner_id=service.partner.partner_id)
                if company is None:
                    assert not found.hits, words
                else:
                    assert found.way is way, words
                    assert int(company["company_id"]) in {hit.company_id for hit in found.hits}, words
