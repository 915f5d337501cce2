"""What a receiver of deliveries does first: find out whether the service has sent them."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from bindery.base.clock import Clock
from bindery.base.signatures import flaw_of_delivery, read_secret
from bindery.client.errors import SignatureError
from bindery.contract.events import EventBody, FeedEvent


def verify_delivery(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: datetime | None = None
) -> FeedEvent:
    """Verify a delivery and return its event, as the feed has it; `id` tells what was seen before.

    `body` is what came in, byte for byte: verify first, then parse.

    Raises:
        SignatureError: it was not signed with this secret, is more than five minutes off, or is not an event.
        ValueError: the secret is not one of a webhook.
    """
    named = {name.lower(): value for name, value in headers.items()}
    flaw = flaw_of_delivery(read_secret(secret), named, body, now=now or Clock.real_now())
    if flaw:
        raise SignatureError(f"The delivery cannot be trusted: {flaw}.")
    try:
        event = msgspec.json.decode(body, type=EventBody)
    except msgspec.MsgspecError as fault:
        raise SignatureError(f"The delivery is signed, but is not an event: {fault}.") from fault
    return FeedEvent(id=named["webhook-id"], type=event.type, timestamp=event.timestamp, data=event.data)
