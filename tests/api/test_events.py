"""The feed: everything that happened, in order, for its own partner, and nothing passed over."""

import asyncio
import random
import uuid
from datetime import date, datetime, timedelta
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import pytest_asyncio

from bindery.actions.webhooks import read_events as reading
from bindery.actions.webhooks.read_events import place_events, read_events
from bindery.api.openapi import openapi_document
from bindery.api.operations import operations_for
from bindery.contract.event_details import (
    EventReason,
    QuoteContingencyChanged,
    QuoteDeclined,
    QuotePublished,
    QuoteReferred,
    QuoteRevoked,
)
from bindery.contract.events import EVENT_DATA, PING
from bindery.domain.quote.lifecycle import Trigger
from bindery.settings import Environment
from bindery.storage.webhooks.events import FeedQuery
from support.service import Service, request_body
from support.telling import TO_PUBLISHED, change, new_quotes, publish, published, walk

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def partner(shared: Service) -> Service:
    """A partner of their own on the module's service."""
    return await shared.new_partner(f"partner-{uuid.uuid4().hex}")


async def feed(service: Service, query: str = "") -> dict[str, Any]:
    answer = await service.get(f"/v2/events{query}")
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


async def all_of(service: Service, *, limit: int = 100) -> list[dict[str, Any]]:
    """Read the feed to its end by its cursors."""
    events: list[dict[str, Any]] = []
    cursor = "0"
    while True:
        page = await feed(service, f"?limit={limit}&after={cursor}")
        if not page["events"]:
            return events
        events += page["events"]
        cursor = page["next_cursor"]


class TestReading:
    async def test_an_event_has_id_type_time_and_data(self, partner: Service) -> None:
        (quote,) = await published(partner, metadata={"crm": 7})

        (event,) = (await feed(partner))["events"]

        assert list(event) == ["id", "type", "timestamp", "data"]
        assert uuid.UUID(event["id"]).version == 7
        assert event["type"] == "quote.published"
        assert event["timestamp"].endswith("Z")
        assert datetime.fromisoformat(event["timestamp"]).utcoffset() == timedelta()
        assert event["data"].pop("company_id").isdecimal()
        assert event["data"] == {
            "quote_identifier": quote,
            "quote_status": "published",
            "level": "quote",
            "sequence": 1,
            "metadata": {"crm": 7},
            "premium": 1536,
            "quote_expiration_date": "2026-10-14",
        }

    async def test_metadata_is_found_however_its_name_is_spelled(self, partner: Service) -> None:
        body = msgspec.json.encode(request_body(lambda sent: sent["client"].update(metadata={"a": "\u00e9"})))
        hidden = body.replace(b'"metadata"', b'"\\u006detadata"')
        answer = await partner.http.post(
            "/v2/quotes", content=hidden, headers={**partner.headers, "Content-Type": "application/json"}
        )
        await publish(partner, answer.json()["quotes"][0]["quote_identifier"])

        assert (await feed(partner))["events"][0]["data"]["metadata"] == {"a": "é"}

    async def test_an_event_of_a_quote_without_metadata_lacks_the_field(self, partner: Service) -> None:
        await published(partner)

        assert "metadata" not in (await feed(partner))["events"][0]["data"]

    async def test_steps_that_partners_are_not_told_of_are_not_in_it(self, partner: Service) -> None:
        await new_quotes(partner)

        assert await feed(partner) == {"events": [], "next_cursor": "0"}

    async def test_pages_follow_each_other_without_gap_or_double(self, partner: Service) -> None:
        quotes = await published(partner, 7)
        for quote in quotes:
            await change(partner, quote, times=2)

        whole = await all_of(partner)

        assert len(whole) == 21
        assert await all_of(partner, limit=4) == whole
        assert len({event["id"] for event in whole}) == 21
        for quote in quotes:
            told = [event["data"] for event in whole if event["data"]["quote_identifier"] == quote]
            assert [data["sequence"] for data in told] == [1, 2, 3]

    async def test_the_cursor_of_the_end_goes_on_when_something_new_is_there(self, partner: Service) -> None:
        (quote,) = await published(partner)
        first = await feed(partner)
        nothing = await feed(partner, f"?after={first['next_cursor']}")
        await change(partner, quote)

        more = await feed(partner, f"?after={nothing['next_cursor']}")

        assert nothing == {"events": [], "next_cursor": first["next_cursor"]}
        assert [event["data"]["sequence"] for event in more["events"]] == [2]

    async def test_it_is_filtered_by_quote_type_and_level(self, partner: Service) -> None:
        first, second = await published(partner, 2)
        await change(partner, first)

        by_quote = await feed(partner, f"?quote_identifier={first}")
        by_type = await feed(partner, "?type=quote.contingency_changed")
        by_level = await feed(partner, "?level=quote")
        by_other_level = await feed(partner, "?level=policy")
        by_both = await feed(partner, f"?quote_identifier={second}&type=quote.contingency_changed")

        assert [event["data"]["sequence"] for event in by_quote["events"]] == [1, 2]
        assert [event["data"]["quote_identifier"] for event in by_type["events"]] == [first]
        assert len(by_level["events"]) == 3
        assert by_other_level["events"] == by_both["events"] == []

    async def test_a_quote_that_is_not_there_has_no_events(self, partner: Service) -> None:
        await published(partner)

        assert (await feed(partner, f"?quote_identifier={uuid.uuid4()}"))["events"] == []
        assert (await feed(partner, "?quote_identifier=an-old-id"))["events"] == []

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ("limit=0", "limit"),
            ("limit=501", "limit"),
            ("limit=ten", "limit"),
            ("limit=0000000019999999", "limit"),
            ("limit=00000000199999999999999999", "limit"),
            ("limit=" + "9" * 5_000, "limit"),
            ("limit=" + "0" * 5_000 + "1", "limit"),
            ("limit=007", "limit"),
            ("limit=%2B7", "limit"),
            ("limit=-7", "limit"),
            ("limit=7.0", "limit"),
            ("limit=1_0", "limit"),
            ("limit=%207", "limit"),
            ("limit=%D9%A7", "limit"),
            ("limit=", "limit"),
            ("limit=5&limit=5", "limit"),
            ("after=1&after=2", "after"),
            ("type=quote.published&type=quote.published", "type"),
            ("after=01", "after"),
            ("after=" + "9" * 5_000, "after"),
            ("after=x", "after"),
            ("after=-1", "after"),
            ("after=" + "9" * 19, "after"),
            ("after=1" + "0" * 18, "after"),
            ("type=quote.unknown", "type"),
            ("level=neither", "level"),
        ],
    )
    async def test_a_wrong_query_is_refused_with_its_path(
        self, partner: Service, query: str, path: str
    ) -> None:
        answer = await partner.get(f"/v2/events?{query}")

        assert answer.status_code == 400
        assert answer.json()["errors"][0]["path"] == path

    async def test_an_identifier_that_nothing_has_is_refused(self, partner: Service) -> None:
        answer = await partner.get("/v2/events?quote_identifier=no.dots")

        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_identifier")

    async def test_the_largest_cursor_is_taken(self, partner: Service) -> None:
        assert (await feed(partner, "?after=" + "9" * 18))["events"] == []

    async def test_the_largest_page_is_500(self, partner: Service) -> None:
        assert (await partner.get("/v2/events?limit=500")).status_code == 200

    async def test_another_partner_sees_none_of_it(self, partner: Service) -> None:
        other = await partner.new_partner(f"other-{uuid.uuid4().hex}")
        (quote,) = await published(partner)

        assert await feed(other) == {"events": [], "next_cursor": "0"}
        assert (await feed(other, f"?quote_identifier={quote}"))["events"] == []


class TestOrderOfCommits:
    async def test_an_event_that_commits_late_is_not_passed_over(self, partner: Service) -> None:
        slow, quick = await new_quotes(partner, 2)
        database = partner.runtime.database
        async with database.transaction() as tx:
            await walk(tx, slow, *TO_PUBLISHED)
            await publish(partner, quick)
            while_open = await feed(partner)
        afterwards = await feed(partner, f"?after={while_open['next_cursor']}")

        assert [event["data"]["quote_identifier"] for event in while_open["events"]] == [quick]
        assert [event["data"]["quote_identifier"] for event in afterwards["events"]] == [slow]

    async def test_a_quote_told_of_by_two_transactions_keeps_its_order(self, partner: Service) -> None:
        first, second = await published(partner, 2)
        database = partner.runtime.database
        async with database.transaction() as early:
            # This transaction is the older one, but comes to the second quote later.
            await walk(early, first, Trigger.CHANGE_CONTINGENCIES)
            await change(partner, second)
            await walk(early, second, Trigger.CHANGE_CONTINGENCIES)

        told = [event["data"] for event in await all_of(partner)]

        assert [data["sequence"] for data in told if data["quote_identifier"] == second] == [1, 2, 3]
        assert [data["sequence"] for data in told if data["quote_identifier"] == first] == [1, 2]

    async def test_readers_see_every_event_once_while_many_write(self, partner: Service) -> None:
        quotes = await published(partner, 8)
        chance = random.Random(11)
        writing = True

        async def write(quote: str) -> None:
            for _ in range(6):
                async with partner.runtime.database.transaction() as tx:
                    await walk(tx, quote, Trigger.CHANGE_CONTINGENCIES)
                    await asyncio.sleep(chance.random() * 0.02)

        async def follow() -> list[tuple[str, int]]:
            seen: list[tuple[str, int]] = []
            after = 0
            while True:
                was_writing = writing
                query = FeedQuery(after=after, limit=5)
                page = await read_events(partner.runtime.database, partner.partner.partner_id, query)
                seen += [(str(event.quote_id), event.sequence) for _, event in page]
                after = page[-1][0] if page else after
                if not page and not was_writing:
                    return seen

        followers = [asyncio.create_task(follow()) for _ in range(3)]
        await asyncio.gather(*map(write, quotes))
        writing = False
        logs = await asyncio.gather(*followers)

        for log in logs:
            assert len(log) == len(set(log)) == 8 * 7
            for quote in quotes:
                assert [sequence for told, sequence in log if told == quote] == list(range(1, 8))
        assert logs[0] == logs[1] == logs[2]

    async def test_the_feed_of_a_partner_who_does_not_read_is_put_in_order_too(
        self, partner: Service
    ) -> None:
        await published(partner, 3)

        placed = await place_events(partner.runtime.database)

        assert placed >= 3
        unplaced = await partner.runtime.database.pool.fetchval(
            "select count(*) from unplaced_events where partner_id = $1",
            partner.partner.partner_id,
        )
        assert unplaced == 0
        assert len((await feed(partner))["events"]) == 3

    async def test_many_events_are_put_in_order_in_several_goes(
        self, partner: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "PLACED_AT_ONCE", 2)
        await published(partner, 5)
        unplaced = "select count(*) from unplaced_events where partner_id = $1"

        placed = await place_events(partner.runtime.database)

        assert placed >= 5
        assert await partner.runtime.database.pool.fetchval(unplaced, partner.partner.partner_id) == 0


class TestDocumented:
    async def test_the_document_describes_every_event_with_an_example_that_fits(self) -> None:
        document = openapi_document(operations_for(Environment.PRODUCTION), base_url="https://b.example/v2")

        assert set(document["webhooks"]) == {*EVENT_DATA, PING}
        for name, described in document["webhooks"].items():
            content = described["post"]["requestBody"]["content"]["application/json"]
            schema = {**content["schema"], "components": document["components"]}
            jsonschema_rs.Draft202012Validator(schema).validate(content["example"])
            assert content["example"]["type"] == name

    async def test_what_really_happens_fits_the_documented_shapes(self, shared: Service) -> None:
        service = await shared.new_partner(f"partner-{uuid.uuid4().hex}")
        document = openapi_document(operations_for(Environment.DEMO), base_url="http://b.example/v2")
        first, second, third = await new_quotes(service, 3)
        async with service.runtime.database.transaction() as tx:
            said = QuotePublished(premium=1536, quote_expiration_date=date(2026, 10, 14))
            await walk(tx, first, *TO_PUBLISHED, said=said)
            await walk(tx, first, Trigger.CHANGE_CONTINGENCIES, said=QuoteContingencyChanged(closed="100001"))
            await walk(tx, first, Trigger.EXPIRE)
            await walk(tx, second, Trigger.EXCEED_AUTHORITY)
            reasons = [EventReason(code="red_flags", text="t")]
            await walk(tx, second, Trigger.REFER, said=QuoteReferred(reasons=reasons))
            await walk(tx, second, Trigger.DECLINE, said=QuoteDeclined(reason="r"))
            await walk(tx, third, Trigger.REVOKE, said=QuoteRevoked(reason="submission_changed"))

        events = await all_of(service)

        assert len(events) == 6
        for event in events:
            content = document["webhooks"][event["type"]]["post"]["requestBody"]["content"]
            schema = {**content["application/json"]["schema"], "components": document["components"]}
            row = {"$ref": "#/components/schemas/FeedEvent", "components": document["components"]}
            jsonschema_rs.Draft202012Validator(row).validate(event)
            delivered = {name: value for name, value in event.items() if name != "id"}
            jsonschema_rs.Draft202012Validator(schema).validate(delivered)
            msgspec.convert(event["data"], EVENT_DATA[event["type"]], strict=False)


async def test_a_resubmission_tells_of_what_it_revokes(partner: Service) -> None:
    receipt = await partner.submit()
    changed = request_body(
        lambda body: body["client"].update(company_id=receipt["company_id"], revenue=2_400_000)
    )
    await partner.submit(changed)

    events = (await feed(partner))["events"]

    assert {event["type"] for event in events} == {"quote.revoked"}
    assert {event["data"]["quote_identifier"] for event in events} == {
        quote["quote_identifier"] for quote in receipt["quotes"]
    }
    assert {event["data"]["reason"] for event in events} == {"submission_changed"}
