"""Whoever decides on a bind that was requested sees for which days it was."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.web.shown.words import day
from support.binding import bind, decide, one_quoted, quoted, set_day, status_of
from support.people import Person, text_of
from support.service import Service, request_body


def to_be_decided(body: dict[str, Any]) -> None:
    body["client"]["name"] += " (prebind)"


async def requested(service: Service) -> tuple[dict[str, Any], str]:
    """Request a bind that an underwriter decides on, and return the quote and the page of its case."""
    quote = await one_quoted(service, to_be_decided)
    asked = await bind(service, quote)
    assert asked["quote_status"] == "quote_bind_requested"
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return asked, f"/desk/case/{submission_id}"


def term_of(quote: dict[str, Any]) -> str:
    first, last = (date.fromisoformat(quote["dates"][name]) for name in ("effective", "expiration"))
    return f"{day(first)} to {day(last)}"


async def test_the_term_asked_for_is_said_where_it_is_decided_and_to_the_broker(
    service: Service, underwriter: Person, broker: Person
) -> None:
    quote, path = await requested(service)

    case = text_of(await underwriter.open(path))
    company = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert f"A bind was requested for {term_of(quote)}. It is here because" in case
    decision = case.partition("Decide on the bind Applies to")[2]
    outcome = decision.partition("Bind as requested")[0]
    assert "Binding " in outcome
    assert f"Cover is for {term_of(quote)}." in outcome
    assert f"An underwriter will decide on the bind, for {term_of(quote)}." in company


@pytest.mark.parametrize(("days", "said"), [(0, ""), (1, "1 day in the past"), (62, "62 days in the past")])
async def test_a_first_day_in_the_past_is_said_before_the_button(
    service: Service, underwriter: Person, days: int, said: str
) -> None:
    quote, path = await requested(service)
    first = date.fromisoformat(quote["dates"]["effective"])
    await set_day(service, first + timedelta(days))

    decision = text_of(await underwriter.open(path)).partition("Decide on the bind Applies to")[2]

    before_the_button = decision.partition("Bind as requested")[0]
    assert ("in the past" in before_the_button) == bool(said)
    if said:
        assert f"Cover would begin on {day(first)}, {said}." in before_the_button
    assert await status_of(service, quote["quote_identifier"]) == "quote_bind_requested"


async def test_while_a_bind_waits_the_other_options_wait_too_and_nothing_is_said_to_be_bound(
    service: Service, broker: Person
) -> None:
    def two_options(body: dict[str, Any]) -> None:
        to_be_decided(body)
        body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000)]

    first, second = await quoted(service, request_body(two_options))
    await bind(service, second)
    page = text_of(await broker.open(f"/company/{first['company_id']}"))

    assert "Waits: option 2 was asked to be bound." in page
    assert "Another option was bound." not in page
    assert "Not chosen" not in page

    await bind_is_approved(service, second)
    page = text_of(await broker.open(f"/company/{first['company_id']}"))

    assert "Option 1 Not chosen" in page
    assert "Waits" not in page


async def bind_is_approved(service: Service, quote: dict[str, Any]) -> None:
    await decide(service, quote, "approve", reason="Looked at")


async def test_the_contact_that_a_bind_came_with_is_the_one_on_the_page(
    service: Service, broker: Person
) -> None:
    quote = await one_quoted(service)
    before = quote["client"]["insured_main_contact"]["email"]
    contact = {
        "first_name": "Anna",
        "last_name": "Example",
        "email": "anna@new.example",
        "cell_phone": "+12155557777",
    }
    await bind(service, quote, client={"insured_main_contact": contact})

    page = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert "Insured Anna Example anna@new.example +12155557777" in page
    assert f"Insured, before the bind Ann Example {before}" in page


async def test_a_bind_that_an_underwriter_decides_is_called_so_before_the_button(
    service: Service, broker: Person
) -> None:
    quote = await one_quoted(service, to_be_decided)
    address = f"/quote/{quote['quote_identifier']}/bind"

    company = text_of(await broker.open(f"/company/{quote['company_id']}"))
    page = text_of(await broker.open(address))

    assert "An underwriter decides on the bind, because something is needed before it." in company
    assert "The quote can be bound" not in company
    assert "closes the signed application at once" not in company
    assert "An underwriter decides Because" in page
    assert "the policy is issued" not in page
    assert "Ask an underwriter" in page


async def test_a_conditional_binder_is_not_advised_to_bind_again(service: Service, broker: Person) -> None:
    quote = await one_quoted(service)
    company = f"/company/{quote['company_id']}"
    assert "closes the signed application at once" in text_of(await broker.open(company))

    await bind(service, quote)

    page = text_of(await broker.open(company))
    assert "Without what is needed the binder lapses and counts as never in force." in page
    assert "closes the signed application at once" not in page
