"""What pages say of moments, browsers and where a company stands."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bindery.web.frame.sign_in_cookie import browser_words
from bindery.web.shown.words import Times
from support.people import Person, fields_of, text_of
from support.service import Service

NOW = Times(ZoneInfo("America/New_York"), datetime(2026, 11, 17, 15, tzinfo=UTC))


def test_a_moment_of_another_year_names_it() -> None:
    assert NOW.at(datetime(2026, 1, 1, 5, tzinfo=UTC)).text == "Jan 1, 12:00 AM"
    assert NOW.at(datetime(2026, 1, 1, 4, 59, tzinfo=UTC)).text == "Dec 31, 2025, 11:59 PM"


WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
AGENTS = {
    f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/156.0.0.0 Safari/537.36": "Chrome 156 on Linux",
    f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/150.0 Safari/537.36 Edg/150.1": "Edge 150 on Windows",
    f"Mozilla/5.0 (iPhone; CPU) {WEBKIT} Version/18.0 Mobile/15E148 Safari/604.1": "Safari 18 on iPhone",
    "Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0": "Firefox 144 on Android",
    "python-httpx/0.28.1": "python-httpx/0.28.1",
    "": "",
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_browser_goes_by_the_name_that_people_know(agent: str) -> None:
    assert browser_words(agent) == AGENTS[agent]


async def test_a_policy_that_has_not_begun_is_not_said_to_be_in_force(
    working_service: Service, broker: Person, underwriter: Person
) -> None:
    quote = await working_service.quote()
    bind = f"/quote/{quote['quote_identifier']}/bind"
    await broker.send(bind, **{**fields_of(await broker.open(bind), bind), "step": "bind"})
    submission_id = await working_service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", quote["quote_identifier"]
    )
    case = f"/desk/case/{submission_id}"
    for owed in (await working_service.ready(quote["quote_identifier"]))["contingencies"]:
        await underwriter.send(
            f"{case}/contingency",
            quote_id=quote["quote_identifier"],
            contingency_id=owed["contingency_id"],
            decision="accept",
        )

    page = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert "is issued and begins on " in page
    assert "in force" not in page
    # What is closed is not owed by a day any more.
    assert "A signed and dated application Fulfilled" in page


async def test_a_withdrawn_option_says_who_withdrew_it(working_service: Service, broker: Person) -> None:
    quote = await working_service.quote()
    await working_service.post(f"/v2/quotes/{quote['quote_identifier']}/withdraw", {})

    page = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert "It was withdrawn." in page
    assert "A newer submission took its place." not in page


async def test_an_empty_list_says_what_to_do_next(service: Service, broker: Person) -> None:
    assert "they appear here as soon as a quote is requested" in text_of(
        await broker.open("/companies?mine=0")
    )
    assert "No company matches. Show all of your own." in text_of(await broker.open("/companies?q=nobody"))
    assert "Look a year ahead" in text_of(await broker.open("/renewals"))
    assert "as soon as they are issued" in text_of(await broker.open("/renewals?days=365&mine=0"))


async def test_a_case_that_nothing_waits_for_offers_nothing_to_tick(
    working_service: Service, underwriter: Person
) -> None:
    quote = await working_service.quote()
    submission_id = await working_service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", quote["quote_identifier"]
    )

    page = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    assert "Nothing about option 1 is waiting for a decision." in page
    # The summary of what is folded away is its heading.
    assert page.count("Amend or withdraw option 1") == 1
    assert "Applies to" not in page
