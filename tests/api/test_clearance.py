"""Broker of record: in production a shared domain or address of the last 60 days blocks a submission."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.settings import Environment
from support.intake import changed, nothing_written, row_counts
from support.service import Service, serving

DOMAIN = {"domain": "domain_exists"}
ADDRESS = {"address": "address_exists"}
ELSEWHERE = {"street": "9 Pier Road", "city": "Boston", "zip": "02110", "state": "MA"}
BASE_URL = "https://api.bindery.example/v2"


@pytest.fixture
async def production(dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A production service without a worker."""
    async with serving(dsn, tmp_path, environment=Environment.PRODUCTION, base_url=BASE_URL) as opened:
        yield opened


def applicant(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return a request of the applicant on file."""
    return changed(("client.domains", ["www.harborlight-bakery.com"]), *changes)


def newcomer(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return a request of another organization that shares nothing, but for the changes."""
    return changed(
        ("client.name", "Pier Nine Networks"),
        ("client.domains", ["pier-nine.com"]),
        ("client.address", ELSEWHERE),
        *changes,
    )


async def blocked(service: Service, body: dict[str, Any]) -> dict[str, str]:
    """Send a request that is to be blocked, see that nothing moved, and return the reasons."""
    async with nothing_written(service):
        answer = await service.post("/v2/quotes", body)
    assert answer.status_code == 400, answer.text
    refused = answer.json()
    assert set(refused) == {"message", "code", "request_id", "reasons"}
    assert refused["code"] == "broker_of_record_block"
    assert "60 days" in refused["message"]
    reasons: dict[str, str] = refused["reasons"]
    return reasons


async def way_out(service: Service, body: dict[str, Any]) -> str:
    """Send a request that is to be blocked, and return what its sender is told to do."""
    answer = await service.post("/v2/quotes", body)
    assert answer.json()["code"] == "broker_of_record_block"
    return str(answer.json()["message"].split("60 days. ")[1])


COMPANY_ID = "Send its company_id in client.company_id if this is the same applicant."
ASK = "Somebody else submitted it: ask the underwriters about changing the broker of record."


async def age_submissions(service: Service, how_long: str) -> None:
    """Move what was submitted further into the past."""
    await service.runtime.database.pool.execute(
        f"update clearance_keys set submitted_at = submitted_at - interval '{how_long}'"
    )


async def set_submitted(service: Service, moment: datetime) -> None:
    """Move what was submitted to that moment."""
    await service.runtime.database.pool.execute("update clearance_keys set submitted_at = $1", moment)


# A domain of mail for everybody blocks like any other: the rule of the specification knows no exception.
@pytest.mark.parametrize("domain", ["www.harborlight-bakery.com", "gmail.com"])
async def test_a_shared_domain_blocks(production: Service, domain: str) -> None:
    await production.submit(applicant(("client.domains", [domain])))

    assert await blocked(production, newcomer(("client.domains", [domain]))) == DOMAIN


async def test_a_shared_address_blocks(production: Service) -> None:
    await production.submit(applicant())

    assert (
        await blocked(production, newcomer(("client.address", applicant()["client"]["address"]))) == ADDRESS
    )


async def test_both_are_named_where_both_are_shared(production: Service) -> None:
    await production.submit(applicant())

    assert await blocked(production, applicant(("client.name", "Another Name"))) == {**DOMAIN, **ADDRESS}


async def test_an_organization_that_shares_neither_passes(production: Service) -> None:
    await production.submit(applicant())

    await production.submit(newcomer())


@pytest.mark.parametrize(
    "name", ["harborlight-bakery.com", "HARBORLIGHT-BAKERY.COM.", "shop.eu.harborlight-bakery.com"]
)
async def test_domains_are_compared_by_what_their_owner_registered(production: Service, name: str) -> None:
    await production.submit(applicant())

    assert await blocked(production, newcomer(("client.domains", ["pier-nine.com", name]))) == DOMAIN


@pytest.mark.parametrize(
    "name", ["harborlight-bakery.net", "harborlightbakery.com", "my-harborlight-bakery.com"]
)
async def test_a_similar_domain_passes(production: Service, name: str) -> None:
    await production.submit(applicant())

    await production.submit(newcomer(("client.domains", [name])))


async def test_neighbors_under_a_host_of_many_sites_pass(production: Service) -> None:
    await production.submit(applicant(("client.domains", ["harborlight.github.io"])))

    await production.submit(newcomer(("client.domains", ["pier-nine.github.io"])))


async def test_two_organizations_without_a_domain_share_none(production: Service) -> None:
    await production.submit(applicant(("client.domains", [])))

    await production.submit(newcomer(("client.domains", [])))


@pytest.mark.parametrize(
    "address",
    [
        {"street": "1200 MARKET STREET", "city": "philadelphia", "zip": "19107", "state": "Pennsylvania"},
        {"street": " 1200  Market St. ", "city": "Philadelphia", "zip": "19107-3615"},
        {
            "street": "1200, Market Street",
            "street2": "",
            "city": "Philadelphia ",
            "zip": "19107",
            "state": "pa",
        },
        {"street": "1200 Märket Street", "city": "Philadelphia", "zip": "19107", "state": "PA"},
    ],
)
async def test_addresses_are_compared_however_they_are_written(
    production: Service, address: dict[str, str]
) -> None:
    await production.submit(applicant())

    assert await blocked(production, newcomer(("client.address", address))) == ADDRESS


@pytest.mark.parametrize(
    "address",
    [
        {"street": "1201 Market Street", "city": "Philadelphia", "zip": "19107"},
        {"street": "1200 Market Street", "street2": "Suite 5", "city": "Philadelphia", "zip": "19107"},
        {"street": "1200 Market Street", "city": "Philadelphia", "zip": "19106"},
        {"street": "1200 Market Lane", "city": "Philadelphia", "zip": "19107"},
    ],
)
async def test_another_address_passes(production: Service, address: dict[str, str]) -> None:
    await production.submit(applicant())

    await production.submit(newcomer(("client.address", address)))


async def test_the_second_line_of_the_street_counts(production: Service) -> None:
    await production.submit(applicant(("client.address.street2", "Suite 5")))

    same = {**applicant()["client"]["address"], "street2": "STE. 5"}
    on_one_line = {**applicant()["client"]["address"], "street": "1200 Market Street, Suite 5"}
    next_door = {**applicant()["client"]["address"], "street2": "Suite 6"}
    assert await blocked(production, newcomer(("client.address", same))) == ADDRESS
    assert await blocked(production, newcomer(("client.address", on_one_line))) == ADDRESS
    await production.submit(newcomer(("client.address", next_door)))


async def test_streets_in_letters_beyond_ascii_are_told_apart(production: Service) -> None:
    await production.submit(applicant(("client.address.street", "12 Улица")))

    await production.submit(newcomer(("client.address", {**ELSEWHERE, "street": "12 Площадь"})))
    there = {**applicant()["client"]["address"], "street": "12 Площадь"}
    await production.submit(changed(("client.domains", []), ("client.address", there)))


async def test_the_block_holds_for_60_days_and_ends_with_the_60th(production: Service) -> None:
    await production.submit(applicant())
    runtime = production.runtime
    today = await runtime.database.today()
    first_moment = datetime.combine(today - timedelta(days=60), time.min, tzinfo=runtime.settings.zone)

    await set_submitted(production, first_moment)
    assert await blocked(production, applicant()) == {**DOMAIN, **ADDRESS}
    await set_submitted(production, first_moment - timedelta(seconds=1))
    await production.submit(applicant())


async def test_only_who_can_have_the_company_id_is_told_to_send_it(production: Service) -> None:
    other = await production.new_partner("other")
    await production.submit(applicant())

    assert await way_out(production, applicant()) == COMPANY_ID
    assert await way_out(other, applicant()) == ASK


async def test_the_company_id_is_no_way_out_where_another_partner_stands_in_it_too(
    production: Service,
) -> None:
    other = await production.new_partner("other")
    await other.submit(applicant())
    await production.submit(newcomer())

    both = newcomer(("client.domains", ["pier-nine.com", "www.harborlight-bakery.com"]))

    assert await way_out(production, both) == ASK


async def test_of_many_at_once_each_is_told_its_own_way_out(production: Service) -> None:
    other = await production.new_partner("other")
    await production.submit(applicant())
    await other.submit(newcomer())

    told = await asyncio.gather(
        *[way_out(sender, body) for sender in (production, other) for body in (applicant(), newcomer())]
    )

    assert told == [COMPANY_ID, ASK, ASK, COMPANY_ID]


async def test_the_last_submission_counts_not_the_first(production: Service) -> None:
    first = await production.submit(applicant())
    await age_submissions(production, "50 days")
    await production.submit(applicant(("client.company_id", first["company_id"])))
    await age_submissions(production, "50 days")

    assert await blocked(production, applicant()) == {**DOMAIN, **ADDRESS}


async def test_the_own_company_id_passes(production: Service) -> None:
    first = await production.submit(applicant())

    for sent in (first["company_id"], int(first["company_id"])):
        again = await production.submit(applicant(("client.company_id", sent)))

        assert again["company_id"] == first["company_id"]


async def test_the_id_of_a_third_company_does_not_open_the_way(production: Service) -> None:
    await production.submit(applicant())
    third = await production.submit(newcomer())

    body = applicant(("client.company_id", third["company_id"]))

    assert await blocked(production, body) == {**DOMAIN, **ADDRESS}


async def test_a_submission_of_another_partner_blocks_too(production: Service) -> None:
    other = await production.new_partner("other")
    await other.submit(applicant())

    assert await blocked(production, applicant()) == {**DOMAIN, **ADDRESS}


async def test_a_refused_or_blocked_request_blocks_nobody(production: Service) -> None:
    await production.submit(applicant())
    await production.post("/v2/quotes", newcomer(("client.revenue", 0)))
    await blocked(production, newcomer(("client.domains", ["pier-nine.com", "harborlight-bakery.com"])))

    await production.submit(newcomer())


async def test_of_many_at_once_with_one_domain_one_passes(
    production: Service, dsn: str, tmp_path: Path
) -> None:
    async with serving(dsn, tmp_path, environment=Environment.PRODUCTION, base_url=BASE_URL) as second:

        async def send(process: Service, number: int) -> httpx.Response:
            address = {**ELSEWHERE, "street": f"{number} Pier Road"}
            domains = ["pier-nine.com", f"other-{number}.com"]
            body = newcomer(("client.address", address), ("client.domains", domains))
            return await process.post("/v2/quotes", body)

        answers = await asyncio.gather(
            *[send(process, number) for number, process in enumerate([production, second] * 5)]
        )

    assert sorted(answer.status_code for answer in answers) == [200, *[400] * 9]
    assert {tuple(a.json()["reasons"]) for a in answers if a.status_code == 400} == {("domain",)}
    assert (await row_counts(production))[:2] == (1, 1)


async def test_validation_foretells_the_block(production: Service) -> None:
    first = await production.submit(applicant())

    async with nothing_written(production):
        shared = await production.post(
            "/v2/quotes/validate", newcomer(("client.domains", ["harborlight-bakery.com"]))
        )
        own = await production.post(
            "/v2/quotes/validate", applicant(("client.company_id", first["company_id"]))
        )

    assert shared.json()["valid"] is False
    assert [(e["path"], e["code"]) for e in shared.json()["errors"]] == [("client.domains", "domain_exists")]
    assert own.json()["valid"] is True


async def test_the_name_that_the_demo_knows_means_nothing_in_production(production: Service) -> None:
    await production.submit(applicant(("client.name", "Seaside Widgets (bor)")))


async def test_the_demo_never_blocks(service: Service) -> None:
    other = await service.new_partner("other")

    for sender in (service, service, other):
        await sender.submit(applicant())


async def test_the_demo_plays_a_block_for_a_name_that_asks_for_it(service: Service) -> None:
    both = await blocked(service, changed(("client.name", "Seaside Widgets (bor)")))
    address_only = await blocked(
        service, changed(("client.name", "Seaside Widgets (bor)"), ("client.domains", []))
    )

    assert both == {**DOMAIN, **ADDRESS}
    assert address_only == ADDRESS
    await service.submit(changed(("client.name", "(bor) Seaside Widgets")))
