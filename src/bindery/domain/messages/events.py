"""What partners are told, as the feed shows it and webhooks carry it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from bindery.contract.events import PING, EventBody, EventDetails, FeedEvent
from bindery.contract.vocabulary import EventLevel, QuoteStatus


class ReferralApproved(EventDetails, frozen=True, kw_only=True):
    """What the journal keeps of an approval; partners are told of the offer that follows."""

    reason: str
    premium: int | None


class OptionOffered(EventDetails, frozen=True, kw_only=True):
    """What the journal keeps of an option that an underwriter offers; partners are told that it is open."""

    reason: str
    premium: int | None


class CancellationDeclined(EventDetails, frozen=True, kw_only=True):
    """What the journal keeps when an underwriter leaves a policy in force."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to a quote or policy."""

    event_id: uuid.UUID
    type: str
    at: datetime
    quote_id: uuid.UUID
    company_id: int
    quote_status: QuoteStatus
    level: EventLevel
    sequence: int
    metadata: Mapping[str, Any] | None
    added: Mapping[str, Any]

    def data(self) -> dict[str, Any]:
        """Return what every event says, then what this one adds."""
        said: dict[str, Any] = {
            "quote_identifier": str(self.quote_id),
            "company_id": str(self.company_id),
            "quote_status": self.quote_status,
            "level": self.level,
            "sequence": self.sequence,
        }
        if self.metadata:
            said["metadata"] = self.metadata
        return {**said, **{name: value for name, value in self.added.items() if name not in said}}


def feed_event(event: Event) -> FeedEvent:
    """Show an event as a row of the feed."""
    return FeedEvent(id=str(event.event_id), type=event.type, timestamp=event.at, data=event.data())


def delivery_body(event: Event) -> bytes:
    """Write the body of an event's deliveries."""
    return msgspec.json.encode(EventBody(type=event.type, timestamp=event.at, data=event.data()))


def ping_body(webhook_id: uuid.UUID, *, at: datetime) -> bytes:
    """Write the body of a ping."""
    return msgspec.json.encode(EventBody(type=PING, timestamp=at, data={"webhook_id": str(webhook_id)}))
