"""What partners are told when quotes come back or are passed over: the same in the feed and by webhook."""

import uuid
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest

from bindery.actions.renewal.set_renewal_type import resume_renewal
from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.domain.access.caller import Caller
from support.binding import bind, decide, issue, move_days, move_to, quoted, shown
from support.receiver import Receiver, receiving
from support.service import Service, request_body
from support.telling import register

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)
COMMON = {"quote_identifier", "company_id", "quote_status", "level", "sequence"}


@pytest.fixture
async def receiver(service: Service) -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        await register(service, receiver.url)
        yield receiver


async def told_of(service: Service, receiver: Receiver, quote: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return what the newest event of a type adds, after making sure that the webhook said the same."""
    identifier = quote["quote_identifier"]
    await deliver_due(service.runtime)
    delivered = [
        got.json["data"]
        for got in receiver.got
        if got.type == kind and got.json["data"]["quote_identifier"] == identifier
    ]
    events, after = [], ""
    while True:
        page = (await service.get(f"/v2/events?limit=100&after={after}" if after else "/v2/events")).json()
        if not page["events"]:
            break
        events += page["events"]
        after = page["next_cursor"]
    fed = [
        event["data"]
        for event in events
        if event["type"] == kind and event["data"]["quote_identifier"] == identifier
    ]
    assert fed == delivered != []
    assert fed[-1].keys() >= COMMON
    return {name: value for name, value in fed[-1].items() if name not in COMMON}


def resubmission(policy: dict[str, Any], limit: int = 2_000_000) -> dict[str, Any]:
    return request_body(
        lambda body: (
            body["client"].update(company_id=policy["company_id"]),
            body["policy"].update(quotes=[{"aggregate_limit": limit}]),
        )
    )


async def test_options_that_come_back_after_a_refused_bind_are_told_with_price_and_reasons(
    service: Service, receiver: Receiver
) -> None:
    body = request_body(lambda body: body["client"].update(name="Careful (prebind)"))
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 5_000_000)]
    chosen, offered, referred = await quoted(service, body)
    first = await told_of(service, receiver, referred, "quote.referred")
    await bind(service, chosen)
    instead = {"for": chosen["quote_identifier"]}
    for other in (offered, referred):
        assert await told_of(service, receiver, other, "quote.not_bound") == instead
    await move_days(service, 1)

    await decide(service, chosen, "decline", reason="No list.")

    assert await told_of(service, receiver, chosen, "quote.declined") == {"reason": "No list."}
    assert await told_of(service, receiver, offered, "quote.published") == {
        "premium": offered["premium"],
        "quote_expiration_date": "2027-04-30",
    }
    again = await told_of(service, receiver, referred, "quote.referred")
    assert again == first
    assert [reason["code"] for reason in again["reasons"]] == ["limit_above_authority"]


async def test_a_renewal_offer_that_comes_back_is_told_with_its_last_day(
    service: Service, policy: dict[str, Any], receiver: Receiver
) -> None:
    await move_to(service, date(2028, 2, 10))
    offer = await shown(service, (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"])
    body = resubmission(policy)
    body["client"]["name"] = "Harborlight (prebind)"
    (other,) = await quoted(service, body)
    await bind(service, other, dates={"effective": "2028-03-02"})

    await decide(service, other, "decline", reason="No list.")

    assert await told_of(service, receiver, offer, "quote.published") == {
        "renews": policy["quote_identifier"],
        "premium": offer["premium"],
        "quote_expiration_date": "2028-03-02",
    }


async def test_a_renewal_passed_over_for_other_cover_is_told_with_that_cover(
    service: Service, policy: dict[str, Any], receiver: Receiver
) -> None:
    await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")
    await move_to(service, date(2028, 2, 10))
    (other,) = await quoted(service, resubmission(policy))
    quote_id = uuid.UUID(policy["quote_identifier"])
    caller = Caller(partner_id=service.partner.partner_id, actor="broker")
    await resume_renewal(service.runtime.database, caller, quote_id)
    await submit_renewal(service.runtime.database, quote_id)
    cover = await issue(service, other, dates={"effective": "2028-03-02"})
    await move_to(service, END)

    passed_over = await shown(
        service, (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    )

    assert passed_over["quote_status"] == "quote_not_bound"
    assert await told_of(service, receiver, passed_over, "quote.not_bound") == {
        "renews": policy["quote_identifier"],
        "for": cover["quote_identifier"],
    }
    company = (await service.get(f"/v2/companies/{policy['company_id']}")).json()
    options = {row["quote_identifier"]: row for case in company["submissions"] for row in case["options"]}
    assert options[passed_over["quote_identifier"]]["superseded_by"] == {
        "quote_identifier": cover["quote_identifier"],
        "because": "other_option_bound",
    }


async def test_what_a_renewal_passes_over_when_it_binds_is_told_with_the_renewal(
    service: Service, policy: dict[str, Any], receiver: Receiver
) -> None:
    await move_to(service, date(2028, 2, 10))
    (offered,) = await quoted(service, resubmission(policy))
    (referred,) = await quoted(service, resubmission(policy, 5_000_000))
    await move_to(service, END)

    renewal = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]

    for other in (offered, referred):
        assert await told_of(service, receiver, other, "quote.not_bound") == {"for": renewal}


async def test_what_nobody_took_or_decided_is_told_without_more(service: Service, receiver: Receiver) -> None:
    body = request_body()
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 5_000_000)]
    offered, referred = await quoted(service, body)

    await move_days(service, 61)

    assert await told_of(service, receiver, offered, "quote.expired") == {}
    assert await told_of(service, receiver, referred, "quote.stale") == {}
