"""How policies and binders ended, on the company page."""

from datetime import date, timedelta
from typing import Any

import pytest

from support.binding import DAY, bind, decide, move_days, move_to, one_quoted, quoted, set_day, shown
from support.people import Person, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")


async def test_a_policy_that_ended_unrenewed_stays_on_the_page_with_its_documents(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await move_to(service, date(2028, 1, 2))
    renewal = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    assert (await service.post(f"/v2/quotes/{renewal}/withdraw", {})).status_code < 300
    await move_to(service, date(2028, 3, 10))
    assert (await shown(service, policy["quote_identifier"]))["quote_status"] == "policy_expired"

    page = await broker.open(f"/company/{policy['company_id']}")

    number = policy["policy_number"]
    text = text_of(page)
    assert f"Nothing is open. Policy {number} ended on Mar 2, 2028 and was not renewed." in text
    assert "Ended policies" in text
    earlier = text_of(page.split("Ended policies")[-1])
    assert number in earlier
    assert "Mar 2, 2027 to Mar 2, 2028" in earlier
    assert "The policy ended on Mar 2, 2028." in earlier
    assert f"/quote/{policy['quote_identifier']}/document/policy" in page


async def test_a_policy_that_was_renewed_is_among_the_earlier_ones(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await move_to(service, date(2028, 1, 2))
    await move_to(service, date(2028, 3, 10))

    text = text_of(await broker.open(f"/company/{policy['company_id']}"))

    assert f"Policy {policy['policy_number'][:-1]}1 is in force." in text
    assert policy["policy_number"] in text.split("Ended policies")[-1]
    assert "not renewed" not in text


async def test_a_lapsed_binder_says_what_it_was_and_what_to_do(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    first, *_ = await quoted(service)
    binder = await bind(service, first)
    await move_days(service, 31)

    text = text_of(await broker.open(f"/company/{first['company_id']}"))

    said = (
        f"The binder {binder['policy_number']} lapsed: what was open was not closed by "
        "Mar 31, 2027. It counts as never in force. Ask for a new quote."
    )
    assert f"Nothing is open. {said}" in text
    assert "Another option was bound, but its binder lapsed. Ask for a new quote." in text
    assert "2027-03-31" not in text.split("History")[0]
    assert "The time to bind it has passed" not in text
    assert f"{binder['policy_number']} binder" in text
    assert "Mar 2, 2028, never in force" in text


async def test_an_expired_quote_says_what_to_do(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    await move_days(service, 61)

    text = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert "Nothing is open. The time to bind it has passed. Ask for a new quote." in text


async def test_a_canceled_policy_says_from_when_and_what_is_returned(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    on = date(2027, 3, 2) + timedelta(days=100)
    await decide(service, policy, "cancel", text="Sold the firm", effective=on.isoformat())
    back = (await shown(service, policy["quote_identifier"]))["decision"]["returned_premium"]

    text = text_of(await broker.open(f"/company/{policy['company_id']}"))

    ahead = "in force until Jun 10, 2027, when its cancellation takes effect"
    assert f"The policy is {ahead}; ${back:,} is returned. At the insured's request: Sold the firm." in text
    assert f"Policy {policy['policy_number']} is {ahead}." in text
    assert "Canceled as of Jun 10" in text
    assert "Nothing is open" not in text
    assert "Ended policies" not in text

    listed = text_of(await broker.open("/companies?mine=0"))
    csv = (await broker.http.get("/companies.csv?mine=0")).text
    assert "Canceled as of Jun 10" in listed
    assert "Canceled as of Jun 10" in csv

    await set_day(service, on)
    after = text_of(await broker.open(f"/company/{policy['company_id']}"))

    assert f"The policy was canceled from Jun 10, 2027 on; ${back:,} is returned." in after
    assert "Mar 2, 2027 to Mar 2, 2028, canceled from Jun 10, 2027 on" in after.split("Ended policies")[-1]
    assert "Canceled as of" not in after
    assert "Canceled as of" not in text_of(await broker.open("/companies?mine=0"))
