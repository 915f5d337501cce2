"""The bind page: what it is filled in with, what it says before anything is sent, and after it was."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from support.binding import ask_to_bind, decide, quoted, status_of
from support.intake import professional, technology
from support.people import Person, fields_of, text_of
from support.service import Service

BODIES = {"teo_retroactive_date": technology, "mpl_retroactive_date": professional}


async def bind_form(broker: Person, quote: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    path = f"/quote/{quote['quote_identifier']}/bind"
    return path, fields_of(await broker.open(path), path)


def reaching(asked: str) -> dict[str, Any]:
    """Return an MPL body with a retroactive date."""
    first = {"effective": (datetime.now(UTC).date() + timedelta(days=2)).isoformat()}
    return professional(("policy.dates", {**first, "mpl_retroactive_date": asked}))


def moved(quote: dict[str, Any], days: int) -> dict[str, str]:
    """Return the quoted period, some days later or earlier."""
    by = timedelta(days=days)
    return {
        name: (date.fromisoformat(quote["dates"][name]) + by).isoformat()
        for name in ("effective", "expiration")
    }


@pytest.mark.parametrize("days", [-5, 20])
@pytest.mark.parametrize("field", BODIES)
async def test_a_retroactive_date_that_nobody_asked_for_follows_the_first_day(
    service: Service, broker: Person, field: str, days: int
) -> None:
    by_page, by_api = [(await quoted(service, BODIES[field]()))[0] for _ in range(2)]
    path, form = await bind_form(broker, by_page)
    later = moved(by_page, days)

    page = await broker.send(path, **{**form, **later, "step": "preview"})
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    answer = await ask_to_bind(service, by_api, dates=later)

    assert form[field] == ""
    assert "empty: the first day, as quoted" in text_of(page)
    assert "Binds now on condition" in text_of(page)
    bound = [await service.get(f"/v2/quotes/{quote['quote_identifier']}") for quote in (by_page, by_api)]
    shown = [(body["dates"], body["premium"], body["quote_status"]) for body in (a.json() for a in bound)]
    assert answer.status_code == 200
    assert shown[0] == shown[1]
    assert shown[0][0][field] == later["effective"]


async def test_a_retroactive_date_that_was_asked_for_is_filled_in(service: Service, broker: Person) -> None:
    (quote,) = await quoted(service, reaching("2024-01-01"))

    path, form = await bind_form(broker, quote)
    page = text_of(await broker.open(path))

    assert (form["mpl_retroactive_date"], form["prior_acts"]) == ("2024-01-01", "")
    assert "empty: as quoted, Jan 1, 2024" in page


async def test_full_prior_acts_are_chosen_and_not_typed(service: Service, broker: Person) -> None:
    (quote,) = await quoted(service, professional())
    path, form = await bind_form(broker, quote)
    assert form["prior_acts"] == ""

    page = await broker.send(path, **{**form, "prior_acts": "full_prior_acts", "step": "preview"})
    both = {**form, "prior_acts": "full_prior_acts", "mpl_retroactive_date": "2020-01-01"}
    refused = await broker.send(path, status=422, **both, step="bind")

    assert "Full prior acts: no retroactive date" in text_of(page)
    assert "Goes to an underwriter because the retroactive date reaches back further" in text_of(page)
    assert fields_of(page, path)["prior_acts"] == "full_prior_acts"
    assert "Retroactive date must be empty for full prior acts" in text_of(refused)
    assert await status_of(service, quote["quote_identifier"]) == "published"
    await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    assert await status_of(service, quote["quote_identifier"]) == "quote_bind_requested"


async def test_quoted_full_prior_acts_are_given_up_only_for_a_date(service: Service, broker: Person) -> None:
    body = reaching("full_prior_acts")
    (referred,) = await quoted(service, body)
    quote = await decide(service, referred, "approve")
    path, form = await bind_form(broker, quote)

    neither = await broker.send(path, status=422, **{**form, "prior_acts": "", "step": "bind"})

    assert (form["mpl_retroactive_date"], form["prior_acts"]) == ("", "full_prior_acts")
    assert "Retroactive date is required: full prior acts were quoted" in text_of(neither)
    assert await status_of(service, quote["quote_identifier"]) == "published"
    given = {**form, "prior_acts": "", "mpl_retroactive_date": "2024-01-01"}
    page = await broker.send(path, **given, step="preview")
    await broker.send(path, **fields_of(page, path), step="bind")
    bound = (await service.get(f"/v2/quotes/{quote['quote_identifier']}")).json()
    assert bound["dates"]["mpl_retroactive_date"] == "2024-01-01"
