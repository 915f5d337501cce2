"""What an operator finds by the search field."""

import re
from typing import Any

import pytest

from support.people import Person, fields_of, links_of, text_of
from support.service import Service
from support.waiting import eventually


async def where(operator: Person, words: str) -> str:
    """Return where a search leads; empty where it lists what it found."""
    answer = await operator.http.get("/search", params={"q": words})
    assert answer.status_code in {200, 303}
    return str(answer.headers.get("location", ""))


@pytest.fixture
async def quote(working_service: Service, broker: Person) -> dict[str, Any]:
    """A quote that was bound, told of and mailed about."""
    registered = await working_service.post(
        "/v2/webhooks", {"endpoint": "http://127.0.0.1:9/hook", "quote_level": True, "policy_level": True}
    )
    assert registered.status_code < 300, registered.text
    quoted = await working_service.quote()
    bind = f"/quote/{quoted['quote_identifier']}/bind"
    await broker.send(bind, **{**fields_of(await broker.open(bind), bind), "step": "bind"})
    return await working_service.ready(quoted["quote_identifier"])


@pytest.mark.long
async def test_an_id_leads_to_what_it_names(
    working_service: Service, operator: Person, quote: dict[str, Any]
) -> None:
    pool = working_service.runtime.database.pool
    journal = f"/ops/journal/{quote['quote_identifier']}"
    event_id = await eventually(lambda: pool.fetchval("select event_id from events limit 1"))
    delivery_id = await eventually(
        lambda: pool.fetchval(
            "select delivery_id from deliveries union select delivery_id from finished_deliveries limit 1"
        )
    )
    mail_id = await pool.fetchval("select mail_id from mails limit 1")
    webhook_id = await pool.fetchval("select webhook_id from webhooks")
    key = working_service.partner.key
    await operator.send(f"/ops/partners/{key}/tokens")
    token_id = await pool.fetchval(
        "select token_id from tokens join partners using (partner_id) where partner_key = $1", key
    )

    assert await where(operator, f" {quote['quote_identifier'].upper()} ") == journal
    assert re.fullmatch(r"/ops/journal/[0-9a-f-]{36}", await where(operator, str(event_id)))
    assert await where(operator, str(webhook_id)) == f"/ops/webhooks/{webhook_id}"
    assert await where(operator, str(delivery_id)) == f"/ops/deliveries/{delivery_id}"
    assert await where(operator, str(mail_id)) == f"/ops/mails/{mail_id}"
    assert await where(operator, key) == f"/ops/partners/{key}"
    assert await where(operator, token_id) == f"/ops/partners/{key}"


async def test_a_company_or_policy_lists_its_quotes_and_nothing_of_the_applicant(
    working_service: Service, operator: Person, quote: dict[str, Any]
) -> None:
    submission_id = await working_service.runtime.database.pool.fetchval(
        "select submission_id from submissions"
    )

    for words in (quote["company_id"], quote["policy_number"].lower(), str(submission_id)):
        page = await operator.open(f"/search?q={words}")
        assert f"/ops/journal/{quote['quote_identifier']}" in links_of(page)
        assert "In force" in text_of(page)
        assert quote["client"]["name"] not in page
    assert "Nothing matches" in await operator.open("/search?q=Harborlight")


async def test_partners_and_users_are_found_by_letters_of_their_name(
    service: Service, operator: Person
) -> None:
    partner, user = service.partner, operator.email

    page = await operator.open(f"/search?q={partner.name[1:].upper()}")
    assert f"/ops/partners/{partner.key}" in links_of(page)
    page = await operator.open(f"/search?q={user}")
    assert re.search(r'href="/ops/users/\d+">Pat Operator</a>', page)
    for nothing in ("", "100%", "_", "no such thing", "9" * 40, "<b>"):
        page = await operator.open(f"/search?q={nothing}")
        assert "/ops/users/" not in page.partition("<main")[2]
