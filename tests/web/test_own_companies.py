"""«My own» companies of a broker: those submitted as the broker or with the user as the secondary broker."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bindery.domain.access.users import Role
from bindery.storage.lists import company_list
from support.intake import changed
from support.people import Person, links_of, sign_in_as
from support.service import Service, request_body

SECOND = "pat.second@example.com"


@pytest.fixture
async def second(service: Service) -> AsyncIterator[Person]:
    """A broker of the service's partner who has submitted nothing so far."""
    async with await sign_in_as(service, Role.BROKER, email=SECOND) as signed_in:
        yield signed_in


async def submit(service: Service, name: str, *changes: tuple[str, Any]) -> str:
    """Submit a company and return the address of its page."""
    receipt = await service.submit(changed(("client.name", name), *changes))
    return f"/company/{receipt['company_id']}"


def companies_of(page: str) -> list[str]:
    return [link for link in links_of(page) if link.startswith("/company/")]


async def add_broker(service: Service, email: str) -> None:
    await service.new_partner(service.partner.name, email)


async def test_a_company_is_also_its_secondary_brokers_own(service: Service, second: Person) -> None:
    await submit(service, "Of a colleague")
    await submit(service, "Of two colleagues", ("client.secondary_broker_email", "third@example.com"))
    helped = await submit(service, "Of both", ("client.secondary_broker_email", SECOND))

    assert companies_of(await second.open("/companies")) == [helped]
    sheet = (await second.http.get("/companies.csv")).text
    assert [line.split(",")[1] for line in sheet.splitlines()] == ["Name", "Of both"]
    assert len(companies_of(await second.open("/companies?mine=0"))) == 3


async def test_what_a_user_submitted_as_the_broker_is_listed_with_it(
    service: Service, second: Person
) -> None:
    await add_broker(service, SECOND)
    await submit(service, "Of a colleague")
    helped = await submit(service, "Helped with", ("client.secondary_broker_email", SECOND))
    own = await submit(service, "Submitted", ("client.broker_email", SECOND))
    both = ("client.secondary_broker_email", SECOND)
    twice = await submit(service, "Broker and secondary", ("client.broker_email", SECOND), both)

    assert companies_of(await second.open("/companies")) == [twice, own, helped]


@pytest.mark.parametrize("spelled", ["Pat.Second@Example.com", "PAT.SECOND@EXAMPLE.COM"])
async def test_letters_of_either_case_are_the_same_address(
    service: Service, second: Person, spelled: str
) -> None:
    helped = await submit(service, "Of both", ("client.secondary_broker_email", spelled))

    assert companies_of(await second.open("/companies")) == [helped]


async def test_only_the_whole_address_counts(
    service: Service, second: Person, subtests: pytest.Subtests
) -> None:
    for address in ["second@example.com", "pat.second@example.com.au", "pat_second@example.com", None]:
        with subtests.test(str(address)):
            await submit(service, "Of a colleague", ("client.secondary_broker_email", address))

            assert companies_of(await second.open("/companies")) == []


@pytest.mark.parametrize("most", [company_list.MOST_OF_BROKER, 0])
async def test_another_partners_companies_are_never_a_brokers_own(
    service: Service, second: Person, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_list, "MOST_OF_BROKER", most)
    other = await service.new_partner("another partner", "broker@example.com", SECOND)
    await submit(other, "Theirs", ("client.secondary_broker_email", SECOND))
    await submit(other, "Theirs too", ("client.broker_email", SECOND))

    assert companies_of(await second.open("/companies")) == []
    assert companies_of(await second.open("/companies?mine=0")) == []


async def test_one_of_several_submissions_is_enough(service: Service, second: Person) -> None:
    company = await submit(service, "Twice", ("client.secondary_broker_email", SECOND))
    number, revenue = company.removeprefix("/company/"), request_body()["client"]["revenue"] + 1
    await submit(service, "Twice", ("client.company_id", number), ("client.revenue", revenue))

    assert companies_of(await second.open("/companies")) == [company]


@pytest.mark.parametrize("most", [3, 2, 0])
async def test_a_broker_of_many_companies_sees_the_same_as_one_of_few(
    service: Service, second: Person, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_list, "MOST_OF_BROKER", most)
    await add_broker(service, SECOND)
    own = [
        await submit(service, "First", ("client.broker_email", SECOND)),
        await submit(service, "Second", ("client.secondary_broker_email", SECOND)),
        await submit(service, "Third", ("client.broker_email", SECOND)),
    ]
    await submit(service, "Of a colleague")

    assert companies_of(await second.open("/companies")) == own[::-1]
    assert companies_of(await second.open("/companies?q=second")) == [own[1]]


@pytest.mark.parametrize("most", [company_list.MOST_OF_BROKER, 0])
async def test_the_filter_of_the_api_asks_for_the_broker_of_record_alone(
    service: Service, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_list, "MOST_OF_BROKER", most)
    await add_broker(service, SECOND)
    await submit(service, "Helped with", ("client.secondary_broker_email", SECOND))
    await submit(service, "Submitted", ("client.broker_email", SECOND))

    for address in (SECOND, SECOND.upper()):
        listed = (await service.get(f"/v2/companies?broker_email={address}")).json()["companies"]
        assert [company["name"] for company in listed] == ["Submitted"]
    quotes = (await service.get(f"/v2/quotes?broker_email={SECOND}")).json()["quotes"]
    assert {quote["name"] for quote in quotes} == {"Submitted"}
