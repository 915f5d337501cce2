"""A partner without webhooks learns from GET what the events tell, and the events tell every change."""

import json
import uuid
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from bindery.contract.events import EVENT_DATA
from bindery.domain.access.users import Role
from support.binding import (
    PHOTO,
    bind,
    decide,
    in_days,
    issue,
    move_days,
    one_quoted,
    quoted,
    set_day,
    shown,
    upload_signed,
)
from support.intake import changed, professional, technology
from support.people import sign_in_as, text_of
from support.service import Service, request_body

DAY = date(2027, 3, 1)
ONE_OPTION = ("policy.quotes", [{"aggregate_limit": 1_000_000}])


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, DAY)
    return service


def quote_id(quote: dict[str, Any]) -> uuid.UUID:
    return uuid.UUID(quote["quote_identifier"])


async def referred(service: Service) -> dict[str, Any]:
    (quote,) = await quoted(service, changed(("policy.quotes", [{"aggregate_limit": 5_000_000}])))
    return quote


async def events(service: Service, quote: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """What one kind of event added, as the journal has it."""
    entries = await service.journal(quote["quote_identifier"])
    return [json.loads(entry.data) for entry in entries if entry.type == kind]


def closed_as(how: str, contingency_id: str) -> dict[str, str | None]:
    return {"closed": contingency_id, "closed_as": how, "closed_reason": None}


# Money.


@pytest.mark.parametrize("body", [changed(ONE_OPTION), technology(ONE_OPTION), professional(ONE_OPTION)])
async def test_the_total_is_premium_and_charges_to_the_cent(service: Service, body: dict[str, Any]) -> None:
    (quote,) = await quoted(service, body)

    charges = sum(Decimal(str(row["price"])) for row in quote["surcharges"])
    assert charges > 0
    assert Decimal(str(quote["total"])) == quote["premium"] + charges
    assert round(quote["total"], 2) == quote["total"]


async def test_without_a_premium_there_is_no_total(service: Service) -> None:
    quote = await referred(service)

    assert (quote["premium"], quote["total"]) == (None, None)


# The binder.


async def test_a_conditional_binder_and_a_policy_can_be_told_apart(service: Service) -> None:
    quote = await one_quoted(service)
    assert quote["binder"] is None

    binder = await bind(service, quote)
    policy = await decide(
        service, quote, "close_contingency", contingency_id=quote["contingencies"][0]["contingency_id"]
    )

    of_binder, of_policy = binder["binder"], policy["binder"]
    assert (of_binder["conditional"], of_binder["fulfil_by"]) == (True, in_days(DAY, 30))
    assert (of_policy["conditional"], of_policy["fulfil_by"]) == (False, None)
    (bound,) = await events(service, quote, "policy.bound")
    assert bound["fulfil_by"] == binder["binder"]["fulfil_by"]


async def test_a_requested_bind_is_no_binder(service: Service) -> None:
    (quote,) = await quoted(service, changed(ONE_OPTION, ("client.name", "Careful (prebind)")))

    requested = await bind(service, quote)

    assert (requested["quote_status"], requested["binder"]) == ("quote_bind_requested", None)


# Limits.


async def test_every_limit_that_can_be_asked_for_is_shown_and_can_be_sent_as_both_limits(
    service: Service,
) -> None:
    limits = [
        300_000,
        900_000,
        1_500_000,
        2_500_000,
    ]  # the four that the specification lists for one field only
    quotes = await quoted(
        service, changed(("policy.quotes", [{"aggregate_limit": limit} for limit in limits]))
    )

    shown_limits = [(quote["aggregate_limit"], quote["per_claim_limit"]) for quote in quotes]
    same = [{"aggregate_limit": total, "per_claim_limit": each} for total, each in shown_limits]
    again = await quoted(service, changed(("policy.quotes", same)))

    assert shown_limits == [(limit, limit) for limit in limits]
    assert [(quote["aggregate_limit"], quote["per_claim_limit"]) for quote in again] == shown_limits


# Decisions.


async def test_a_decline_and_a_revocation_say_why(service: Service) -> None:
    declined = await decide(service, await referred(service), "decline", reason="Outside our appetite.")
    revoked = await decide(service, await one_quoted(service), "revoke", reason="The list changed.")

    assert declined["decision"].pop("at").startswith("2027-03-01T")
    assert declined["decision"] == {
        "kind": "declined",
        "reason": "Outside our appetite.",
        "effective": None,
        "returned_premium": None,
    }
    assert (revoked["decision"]["kind"], revoked["decision"]["reason"]) == ("revoked", "The list changed.")
    assert revoked["decision"]["at"].endswith("Z")


async def test_a_decline_without_a_reason_has_none(service: Service) -> None:
    declined = await decide(service, await referred(service), "decline")

    assert (declined["decision"]["kind"], declined["decision"]["reason"]) == ("declined", None)


async def test_a_changed_submission_is_the_decision_on_the_quotes_before_it(service: Service) -> None:
    quote = await one_quoted(service)
    await service.submit(changed(("client.company_id", quote["company_id"]), ("client.revenue", 2_400_000)))

    revoked = await shown(service, quote["quote_identifier"])

    assert (revoked["decision"]["kind"], revoked["decision"]["reason"]) == ("revoked", "submission_changed")


async def test_a_cancellation_says_from_when_why_and_what_is_given_back(
    service: Service, policy: dict[str, Any]
) -> None:
    assert policy["decision"] is None

    canceled = await decide(service, policy, "cancel", text="Sold.", effective=in_days(DAY, 183))
    reinstated = await decide(service, policy, "reinstate")

    (told,) = await events(service, policy, "policy.canceled")
    assert 0 < told["returned_premium"] < policy["premium"]
    decision = canceled["decision"]
    assert (decision["kind"], decision["reason"]) == ("canceled", "Sold.")
    assert (decision["effective"], decision["returned_premium"]) == (
        in_days(DAY, 183),
        told["returned_premium"],
    )
    assert reinstated["decision"] is None


async def test_a_lapse_says_what_was_not_fulfilled_by_when(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await move_days(service, 31)

    lapsed = await shown(service, quote["quote_identifier"])

    assert (lapsed["decision"]["kind"], lapsed["decision"]["reason"]) == (
        "lapsed",
        "The conditional binder was not fulfilled by 2027-03-31.",
    )
    assert lapsed["binder"] == {
        "conditional": True, "fulfil_by": "2027-03-31", "received_on": None, "late": False
    }  # fmt: skip
    assert lapsed["renewal"] is None, "nothing of it renews"


async def test_a_quote_that_merely_expired_was_decided_by_nobody(service: Service) -> None:
    quote = await one_quoted(service)
    await move_days(service, 61)

    expired = await shown(service, quote["quote_identifier"])

    assert (expired["quote_status"], expired["decision"]) == ("quote_expired", None)


# Dates.


@pytest.mark.parametrize(
    ("dates", "retroactive"),
    [
        ({"effective": "2027-03-02"}, "2027-03-02"),
        ({"effective": "2027-03-02", "mpl_retroactive_date": "2020-01-01"}, "2020-01-01"),
    ],
)
async def test_professional_liability_shows_the_retroactive_date_that_its_letter_prints(
    service: Service, dates: dict[str, str], retroactive: str
) -> None:
    (quote,) = await quoted(
        service,
        professional(ONE_OPTION, ("policy.dates", dates)),
    )

    assert quote["dates"]["mpl_retroactive_date"] == retroactive
    assert quote["dates"]["teo_retroactive_date"] is None


# Uploads.


async def test_uploads_are_listed_with_what_was_made_of_them(service: Service) -> None:
    quote = await one_quoted(service)
    assert quote["uploads"] == []
    signature = quote["contingencies"][0]["contingency_id"]

    await upload_signed(service, quote)
    answer = await service.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"], "name": "Loss runs"},
        files={"file": ("runs.png", PHOTO, "image/png")},
        headers=service.headers,
    )
    uploads = (await shown(service, quote["quote_identifier"]))["uploads"]

    assert answer.status_code == 200, answer.text
    assert [(row["name"], row["contingency"], row["finding"]) for row in uploads] == [
        ("signed.png", signature, "unreadable"),
        ("Loss runs", None, "not_compared"),
    ]
    assert uploads[1]["document_id"] == answer.json()["document_id"]
    assert all(row["received"].startswith("2027-03-01T") for row in uploads)
    assert all(row["received"].endswith("Z") for row in uploads)


# Every change of a contingency is told.


async def test_an_attested_bind_tells_that_the_signature_is_closed(service: Service) -> None:
    quote = await one_quoted(service)
    signature = quote["contingencies"][0]["contingency_id"]

    await issue(service, quote)

    assert await events(service, quote, "quote.contingency_changed") == [closed_as("attested", signature)]


async def test_a_bind_that_reaches_back_tells_of_the_contingency_it_adds(service: Service) -> None:
    (quote,) = await quoted(service, technology(ONE_OPTION))
    dates = {"effective": quote["dates"]["effective"], "teo_retroactive_date": "2022-03-02"}

    requested = await bind(service, quote, dates=dates)

    copy = requested["contingencies"][-1]
    assert await events(service, quote, "quote.contingency_changed") == [
        {"added": {name: copy[name] for name in ("contingency_id", "type", "text")}}
    ]


@pytest.mark.parametrize("attested", [True, False])
async def test_approving_a_bind_tells_of_what_it_closes(service: Service, *, attested: bool) -> None:
    (quote,) = await quoted(service, changed(ONE_OPTION, ("client.name", "Careful (prebind)")))
    before, signature = [row["contingency_id"] for row in quote["contingencies"]]
    await upload_signed(service, quote)
    await bind(service, quote, app_attestation=attested)

    await decide(service, quote, "approve")

    closed = [closed_as("fulfilled", before), closed_as("attested", signature)]
    assert await events(service, quote, "quote.contingency_changed") == closed[: 2 if attested else 1]


async def test_every_event_of_a_long_life_has_the_fields_that_are_declared(
    service: Service, policy: dict[str, Any]
) -> None:
    await move_days(service, 320)
    await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")
    await decide(service, policy, "cancel", text="Sold.")
    await decide(service, policy, "reinstate", reason="Not sold.")
    await decide(service, await referred(service), "decline", reason="No.")
    chosen, _ = await quoted(
        service, request_body(lambda body: body["client"].update(name="Careful (prebind)"))
    )
    await bind(service, chosen)
    await decide(service, chosen, "approve", reason="Fine.")
    await decide(
        service, chosen, "add_contingency", contingency={"type": "post_bind", "text": "Proof of backups"}
    )
    await move_days(service, 40)

    feed = (await service.get("/v2/events?limit=500")).json()["events"]

    undeclared = {
        (event["type"], name)
        for event in feed
        for name in set(event["data"])
        - {field.encode_name for field in msgspec.structs.fields(EVENT_DATA[event["type"]])}
    }
    assert undeclared == set()
    assert {event["type"] for event in feed} >= {
        "quote.referred",
        "quote.declined",
        "quote.bind_requested",
        "quote.not_bound",
        "quote.contingency_changed",
        "policy.bound",
        "policy.issued",
        "policy.canceled",
        "policy.lapsed",
        "policy.renewal_offered",
        "policy.renewal_paused",
    }


# What was taken and does not fit, or has no effect.


async def seen_by_underwriter(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", quote_id(quote)
    )
    async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
        return text_of(await underwriter.open(f"/desk/case/{submission_id}"))


async def test_a_zip_outside_its_state_is_named_to_partner_and_underwriter(service: Service) -> None:
    (quote,) = await quoted(
        service, changed(ONE_OPTION, ("client.address.zip", "19107"), ("client.address.state", "CA"))
    )

    (correction,) = quote["corrections"]
    assert correction == {
        "code": "zip_outside_state",
        "field": "client.address.zip",
        "path": "client.address.zip",
        "asked": "19107",
        "given": None,
        "reason": None,
        "text": "The ZIP 19107 belongs to PA, but the address names CA, which was quoted",
    }
    assert f"good to know {correction['text']}" in await seen_by_underwriter(service, quote)


async def test_a_zip_in_its_state_is_nothing_to_note(service: Service) -> None:
    (quote,) = await quoted(
        service, changed(ONE_OPTION, ("client.address.zip", "19107"), ("client.address.state", "PA"))
    )

    assert quote["corrections"] == []
    assert "Good to know" not in await seen_by_underwriter(service, quote)


PER_CLAIM = ("policy.quotes", [{"aggregate_limit": 1_000_000, "per_claim_retention": 5_000}])
BOTH_DATES = (
    "policy.dates",
    {
        "effective": "2027-03-02",
        "teo_retroactive_date": "2027-03-01",
        "mpl_retroactive_date": "full_prior_acts",
    },
)


@pytest.mark.parametrize(
    ("body", "unused"),
    [
        (changed(PER_CLAIM), ["per_claim_retention"]),
        (technology(PER_CLAIM), ["per_claim_retention"]),
        (professional(PER_CLAIM), []),
        (
            changed(ONE_OPTION, BOTH_DATES),
            ["policy.dates.mpl_retroactive_date", "policy.dates.teo_retroactive_date"],
        ),
        (technology(ONE_OPTION, BOTH_DATES), ["policy.dates.mpl_retroactive_date"]),
        (
            professional(ONE_OPTION, ("policy.dates", {**BOTH_DATES[1], "mpl_retroactive_date": None})),
            ["policy.dates.teo_retroactive_date"],
        ),
    ],
)
async def test_a_term_that_has_no_effect_on_the_product_is_named(
    service: Service, body: dict[str, Any], unused: list[str]
) -> None:
    (quote,) = await quoted(service, body)

    assert [row["field"] for row in quote["corrections"] if row["code"] == "no_effect"] == unused
    assert all("applies to" in row["text"] for row in quote["corrections"])
