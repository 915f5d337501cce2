"""A renewal is one story: asked for, stopped, offered, bound or not, and told the same everywhere."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.actions.submission.process_submission import process_submission
from support.binding import bind, decide, issue, move_to, one_quoted, set_day, shown, status_of
from support.frozen import OFFERED
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)
ASKED_FROM = END - timedelta(days=90)


async def act(service: Service, quote: dict[str, Any], what: str, body: Any = None) -> Any:
    return await service.post(f"/v2/quotes/{quote['quote_identifier']}/{what}", body)


async def ask_to_cancel(service: Service, policy: dict[str, Any]) -> None:
    asked = {"effective": "2028-03-01", "reason": "insured_request"}
    answer = await act(service, policy, "request_cancellation", asked)
    assert answer.status_code == 200, answer.text


async def work_on(service: Service, identifier: str) -> None:
    """Do the worker's part."""
    statement = "select submission_id from quotes where quote_id = $1"
    submission_id = await service.runtime.database.pool.fetchval(statement, uuid.UUID(identifier))
    assert await process_submission(service.runtime, submission_id) is None


async def listed(service: Service, policy: dict[str, Any]) -> dict[str, Any]:
    rows = (await service.get("/v2/policies")).json()["policies"]
    return next(row for row in rows if row["quote_identifier"] == policy["quote_identifier"])


async def renewal(service: Service, policy: dict[str, Any]) -> tuple[str, str | None]:
    """Return state and stop, after making sure that the list says the same as the quote."""
    body = (await shown(service, policy["quote_identifier"]))["renewal"]
    row = await listed(service, policy)
    of_row = {name: row[f"renewal_{name}"] for name in ("type", "state", "stopped_by")}
    assert of_row | {"renews": row["renews"], "renewed_by": row["renewed_by"]} == body
    return body["state"], body["stopped_by"]


async def test_a_paused_policy_ends_unless_its_renewal_is_asked_for_and_bound(
    service: Service, policy: dict[str, Any]
) -> None:
    assert await renewal(service, policy) == ("not_due", None)
    await act(service, policy, "pause_renewal")
    assert await renewal(service, policy) == ("ends", "paused")
    await move_to(service, ASKED_FROM - timedelta(days=1))
    count = await service.count("journal")
    early = await act(service, policy, "request_renewal")
    assert (early.status_code, early.json()["errors"][0]["code"]) == (400, "too_early")
    assert str(ASKED_FROM) in early.json()["message"]
    assert await service.count("journal") == count
    before = (await shown(service, policy["quote_identifier"]))["available_actions"]
    assert before == ["resume_renewal", "request_cancellation"]

    await move_to(service, ASKED_FROM)
    now = (await shown(service, policy["quote_identifier"]))["available_actions"]
    assert now == ["resume_renewal", "request_renewal", "request_cancellation"]
    asked = await act(service, policy, "request_renewal")
    assert asked.status_code == 200, asked.text
    made = (await shown(service, policy["quote_identifier"]))["renewal"]
    assert asked.json()["renewed_by"] == made["renewed_by"]
    await work_on(service, made["renewed_by"])
    again = await act(service, policy, "request_renewal")
    assert again.json() == asked.json() | {"message": "The renewal is offered."}
    assert await service.count("submissions") == 2

    assert await renewal(service, policy) == ("offered", "paused")
    offer = await shown(service, made["renewed_by"])
    assert (offer["quote_status"], offer["quote_expiration_date"]) == ("offer_email", str(END))
    assert (offer["renewal"]["state"], offer["renewal"]["type"]) == ("offered", "manual")
    await move_to(service, END)
    assert await status_of(service, offer["quote_identifier"]) == "offer_email"

    renewed = await bind(service, offer)
    assert (renewed["renewal"]["type"], renewed["renewal"]["state"]) == ("manual", "ends")
    assert await renewal(service, policy) == ("bound", "paused")


async def test_every_event_of_a_renewal_says_what_it_renews(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await move_to(service, END)

    query = f"quote_identifier={renewal_offer['quote_identifier']}&limit=100"
    events = (await service.get(f"/v2/events?{query}")).json()["events"]
    of_policy = (await service.get(f"/v2/events?quote_identifier={policy['quote_identifier']}")).json()
    assert len(events) >= 3
    assert {event["data"]["renews"] for event in events} == {policy["quote_identifier"]}
    assert all("renews" not in event["data"] for event in of_policy["events"])


async def test_the_renewal_is_known_from_the_moment_it_is_submitted(
    service: Service, policy: dict[str, Any]
) -> None:
    await set_day(service, OFFERED)
    await submit_renewal(service.runtime.database, uuid.UUID(policy["quote_identifier"]))

    body = (await shown(service, policy["quote_identifier"]))["renewal"]

    assert body["renewed_by"] is not None
    assert body["state"] == "not_due"
    assert (await service.get(f"/v2/quotes/{body['renewed_by']}")).status_code == 202


async def test_a_renewal_that_waits_for_an_underwriter_is_seen_from_its_policy_and_told_as_one(
    service: Service,
) -> None:
    large = {"aggregate_limit": 5_000_000}
    quote = await one_quoted(service, lambda body: body["policy"]["quotes"][0].update(large))
    policy = await issue(service, await decide(service, quote, "approve"))
    await move_to(service, OFFERED)

    assert await renewal(service, policy) == ("referred", None)
    renewed_by = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    (event,) = (await service.get(f"/v2/events?quote_identifier={renewed_by}")).json()["events"]
    assert (event["type"], event["data"]["renews"]) == ("quote.referred", policy["quote_identifier"])


async def test_an_undecided_cancellation_stops_the_renewal_and_the_offer_can_be_bound_on_its_last_day(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await ask_to_cancel(service, policy)
    assert await renewal(service, policy) == ("offered", "cancellation_requested")
    offer = await shown(service, renewal_offer["quote_identifier"])
    assert offer["renewal"]["stopped_by"] == "cancellation_requested"
    await move_to(service, END)

    ended = await shown(service, policy["quote_identifier"])
    assert (ended["quote_status"], ended["cancellation_request"]["status"]) == ("policy_expired", "overtaken")
    assert await status_of(service, offer["quote_identifier"]) == "offer_email"
    assert (await bind(service, offer))["quote_status"] == "policy_active"


async def test_decided_against_in_time_the_renewal_goes_on(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await ask_to_cancel(service, policy)
    await move_to(service, END - timedelta(days=1))
    await decide(service, policy, "decline", reason="It was a mistake.")
    assert await renewal(service, policy) == ("offered", None)
    await move_to(service, END)

    assert await status_of(service, renewal_offer["quote_identifier"]) == "policy_active"
    assert await renewal(service, policy) == ("bound", None)


async def test_asking_again_for_a_renewal_that_is_over_or_of_a_quote_is_refused(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    await act(service, renewal_offer, "withdraw")
    assert await renewal(service, policy) == ("ends", None)

    over = await act(service, policy, "request_renewal")
    of_offer = await act(service, renewal_offer, "request_renewal")
    unknown = await service.post(f"/v2/quotes/{uuid.UUID(int=7)}/request_renewal")

    assert (over.status_code, over.json()["code"]) == (400, "wrong_state")
    assert (of_offer.status_code, of_offer.json()["code"]) == (400, "wrong_state")
    assert unknown.status_code == 404
    assert await service.count("submissions") == 2
