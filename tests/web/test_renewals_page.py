"""The renewals page and a policy's own lines: what becomes of it, and the step that can be taken there."""

import re
import uuid
from datetime import date
from typing import Any

import pytest

from bindery.domain.access.users import Role
from support.binding import bind, move_days, move_to, one_quoted, shown, upload_signed
from support.people import Person, sign_in_as, text_of
from support.service import BROKER, Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")


async def test_a_row_says_what_happens_and_takes_the_step(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], broker: Person
) -> None:
    assert policy["premium"] == 1536
    offer = uuid.UUID(renewal_offer["quote_identifier"])
    await service.runtime.database.pool.execute("update quotes set premium = 1578 where quote_id = $1", offer)
    # Another broker's policies are no longer mixed with my own.
    assert "No policy of yours expires by" in text_of(await broker.open("/renewals"))
    everyones = await broker.open("/renewals?mine=0")
    row = f"{BROKER} Mar 2, 2028 $1,536 $1,578 +$42 +2.7% Renews by itself See the offer Pause"
    assert row in text_of(everyones)
    assert "Renews by itself on Mar 2, 2028 at $1,578 (+2.7%)." in everyones

    path = f"/policy/{policy['quote_identifier']}/renewal"
    paused = await broker.send(path, renewal="pause", back="/renewals?mine=0")
    number = policy["policy_number"]
    assert f"{number}: the renewal is paused. The policy does not renew by itself." in text_of(paused)
    assert "Ends unless bound Bind from Feb 1 Resume" in text_of(paused)
    assert "Ends Mar 2, 2028 unless the offer is bound at $1,578 (+2.7%)." in paused
    assert (await shown(service, policy["quote_identifier"]))["renewal"]["stopped_by"] == "paused"
    # Whoever comes second is told that it was done.
    again = text_of(await broker.send(path, renewal="pause", back="/renewals?mine=0"))
    assert f"{number}: the renewal was paused already." in again
    resumed = await broker.send(path, renewal="resume", back="/renewals?mine=0")
    assert f"{number}: the policy renews by itself again." in text_of(resumed)
    assert "Renews by itself on Mar 2, 2028 at $1,578" in resumed
    sheet = (await broker.http.get("/renewals.csv?mine=0")).text
    assert f",{number},Cyber,2028-03-02,1536,1578,42,2.7,Renews by itself," in sheet
    assert number not in (await broker.http.get("/renewals.csv")).text
    # A way back to somewhere else is not taken.
    elsewhere = await broker.post(path, renewal="pause", back="//evil.example/renewals?")
    assert elsewhere.headers["location"] == f"/quote/{policy['quote_identifier']}"


async def test_my_own_are_those_that_i_am_the_broker_of(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    async with await sign_in_as(service, Role.BROKER, email=BROKER) as mine:
        assert policy["policy_number"] in await mine.open("/renewals")


async def test_a_paused_policy_says_that_it_ends_and_an_offer_can_be_asked_for(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path, company = f"/policy/{policy['quote_identifier']}/renewal", f"/company/{policy['company_id']}"
    assert "Renews by itself on Mar 2, 2028; the offer comes on Jan 2, 2028." in text_of(
        await broker.open(company)
    )
    await broker.send(path, renewal="pause")
    page = await broker.open(company)
    assert "Ends Mar 2, 2028: no renewal is made. An offer can be asked for from Dec 3, 2027 on." in text_of(
        page
    )
    assert "Ask for a renewal offer" not in page
    early = text_of(await broker.send(path, renewal="request"))
    assert "Its renewal can be asked for from Dec 3, 2027" in early
    assert await service.count("submissions") == 1

    await move_to(service, date(2027, 12, 3))
    assert "Ask for a renewal offer" in await broker.open(company)
    assert "Ask for an offer" in await broker.open("/renewals?mine=0&days=90")
    await broker.send(path, renewal="request")
    assert await service.count("submissions") == 2


async def test_a_cancellation_that_was_asked_for_is_said_wherever_the_policy_is(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], broker: Person
) -> None:
    asked = {"effective": "2028-02-01", "reason": "insured_request"}
    await service.post(f"/v2/quotes/{policy['quote_identifier']}/request_cancellation", asked)

    page = text_of(await broker.open(f"/company/{policy['company_id']}"))
    row = await broker.open("/renewals?mine=0")

    assert "Cancellation from Feb 1, 2028 asked for on Jan 2, 2028, not decided yet." in page
    ends = "nds Mar 2, 2028 unless its cancellation is decided against, or the offer is"
    assert f"not decided yet. E{ends} bound." in page
    assert "for cancellation from Feb 1, 2028 on: At the insured's request." in page
    assert "Its cancellation is asked for and not decided yet" in page
    assert f"E{ends}" in row
    assert "Cancellation asked for" in text_of(row)
    assert "An underwriter decides on it" in text_of(row)


async def test_a_policy_and_its_renewal_have_titles_of_their_own_and_no_bind_is_urged(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], broker: Person
) -> None:
    await move_to(service, date(2028, 2, 1))

    page = await broker.open(f"/company/{policy['company_id']}")

    words = text_of(page)
    assert "Cyber renewal for Mar 2, 2028" in words
    assert "Cyber policy 2027-28" in words
    assert (
        f"Policy {policy['policy_number']} is in force. Renews by itself on Mar 2, 2028 at $1,602.08 "
        "(unchanged)." in words
    )
    assert "open until" not in words.split("History")[0].replace("Open until", "")
    assert "Bind option 1" in words
    assert re.search(r'class="button[^"]* main', page) is None


async def test_a_binder_says_what_came_and_until_when_it_waits(service: Service, broker: Person) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    company = f"/company/{quote['company_id']}"
    assert "Pause the renewal" in await broker.open(company)
    await upload_signed(service, quote)

    page = text_of(await broker.open(company))
    received = "Received Mar 1, 2027, with an underwriter, due by Mar 31, 2027"
    assert f"A signed and dated application {received}" in page
    assert (
        "Everything for the binder came in on Mar 1, 2027. An underwriter looks at it by Mar 31, 2027."
        in page
    )
    assert (
        "signed.png was uploaded for option 1 (A signed and dated application)." in page.split("History")[1]
    )

    await move_days(service, 31)
    late = text_of(await broker.open(company))
    assert "late since Mar 31, 2027" in late
    assert "has yet to look at it. It holds until then." in late


async def test_an_underwriter_sees_what_came_and_can_ask_for_it_again(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await upload_signed(service, quote)
    await move_days(service, 31)
    case = await service.runtime.database.pool.fetchval("select submission_id from submissions")
    assert "Late · 1" in text_of(await underwriter.open("/desk"))
    assert "Rejecting asks the broker for it again by mail, with your text, with at least 10 days" in text_of(
        await underwriter.open(f"/desk/case/{case}")
    )

    owed = quote["contingencies"][0]["contingency_id"]
    page = text_of(
        await underwriter.send(
            f"/desk/case/{case}/contingency",
            quote_id=quote["quote_identifier"],
            contingency_id=owed,
            decision="reopen",
        )
    )

    assert "It is asked for again." in page
    assert "Option 1 had a contingency reopened, with time until Apr 11, 2027." in page
    assert "Rejecting asks the broker" not in page
