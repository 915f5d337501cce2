"""Every event is described, and says what it says in one way."""

import json
import uuid
from datetime import UTC, datetime
from typing import Any

import msgspec

from bindery.contract.event_examples import EVENT_EXAMPLES
from bindery.contract.events import EVENT_DATA
from bindery.contract.vocabulary import EventLevel, QuoteStatus
from bindery.domain.messages.webhooks import Event, delivery_body, feed_event, ping_body
from bindery.domain.quote.lifecycle import ALL_MOVES
from bindery.domain.screening.rules import rule_catalogue
from support.tables import each_row

DESIGNED = {
    "quote.published", "quote.amended", "quote.referred", "quote.declined", "quote.expired", "quote.revoked",
    "quote.stale",
    "quote.bind_requested", "quote.not_bound", "quote.contingency_changed", "quote.document_ready",
    "policy.bound", "policy.issued", "policy.canceled", "policy.expired", "policy.lapsed",
    "policy.renewal_offered", "policy.renewal_paused", "policy.renewal_resumed", "policy.document_ready",
    "policy.changed", "policy.change_declined",
    "policy.cancellation_requested", "policy.security_alert", "policy.not_renewed", "policy.renewal_restored",
    "quote.question_asked", "quote.question_closed",
    "signature_request.opened", "signature_request.signed", "signature_request.declined",
}  # fmt: skip


def level_in(name: str) -> str:
    """Return the level that the name of an event says; a client signs for a quote."""
    return name.partition(".")[0].replace("signature_request", "quote")


def event(added: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None) -> Event:
    return Event(
        event_id=uuid.UUID(int=1),
        type="quote.published",
        at=datetime(2026, 8, 15, 12, 0, tzinfo=UTC),
        quote_id=uuid.UUID(int=2),
        company_id=123456789,
        quote_status=QuoteStatus.PUBLISHED,
        level=EventLevel.QUOTE,
        sequence=3,
        metadata=metadata,
        added=added or {},
    )


def test_the_events_are_those_of_the_design() -> None:
    assert set(EVENT_DATA) == DESIGNED == set(EVENT_EXAMPLES)


def test_every_event_of_the_lifecycle_is_described_under_its_level() -> None:
    told = {(move.notifies.type, move.notifies.level) for move in ALL_MOVES if move.notifies is not None}

    assert {name for name, _ in told} <= set(EVENT_DATA)
    assert all(level_in(name) == level for name, level in told)


@each_row("name", EVENT_DATA)
def test_each_example_has_the_shape_that_is_documented(name: str) -> None:
    example = EVENT_EXAMPLES[name]

    read: Any = msgspec.convert(example, EVENT_DATA[name], strict=False)

    assert json.loads(msgspec.json.encode(read)) == example
    assert read.level == level_in(name)


def test_an_example_names_only_reasons_that_there_are() -> None:
    known = {entry.code for entry in rule_catalogue()}
    named = {reason["code"] for example in EVENT_EXAMPLES.values() for reason in example.get("reasons", ())}

    assert named
    assert named <= known


def test_a_delivery_says_type_time_and_data() -> None:
    body = json.loads(delivery_body(event({"premium": 1536}, {"crm": "A-1"})))

    assert body == {
        "type": "quote.published",
        "timestamp": "2026-08-15T12:00:00Z",
        "data": {
            "quote_identifier": str(uuid.UUID(int=2)),
            "company_id": "123456789",
            "quote_status": "published",
            "level": "quote",
            "sequence": 3,
            "metadata": {"crm": "A-1"},
            "premium": 1536,
        },
    }


def test_a_row_of_the_feed_has_the_id_too() -> None:
    row = json.loads(msgspec.json.encode(feed_event(event())))

    assert list(row) == ["id", "type", "timestamp", "data"]
    assert row["id"] == str(uuid.UUID(int=1))
    assert "metadata" not in row["data"]


def test_what_an_event_adds_cannot_change_what_every_event_says() -> None:
    data = event({"sequence": 99, "level": "policy", "reason": "r"}).data()

    assert (data["sequence"], data["level"], data["reason"]) == (3, "quote", "r")


def test_a_ping_names_its_webhook() -> None:
    body = json.loads(ping_body(uuid.UUID(int=9), at=datetime(2026, 8, 15, tzinfo=UTC)))

    assert body["type"] == "webhook.ping"
    assert body["data"] == {"webhook_id": str(uuid.UUID(int=9))}
