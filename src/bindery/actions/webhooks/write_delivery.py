from dataclasses import dataclass
from datetime import timedelta

from bindery.actions.webhooks.claim_deliveries import DeliveryToSend, open_secrets
from bindery.actions.webhooks.send_delivery import Message, prepare_message
from bindery.domain.messages.webhooks import curl_line
from bindery.runtime import Runtime
from bindery.storage.webhooks import delivery_view
from bindery.storage.webhooks.delivery_view import SeenDelivery


@dataclass(frozen=True, slots=True)
class WrittenDelivery:
    """A delivery as it would be sent now, and the line that sends it by hand; neither if it is unreadable."""

    seen: SeenDelivery
    message: Message | None = None
    curl: str = ""


async def write_delivery(runtime: Runtime, delivery_id: int) -> WrittenDelivery | None:
    """Write and sign a delivery once more, and send nothing; None where there is no such delivery."""
    async with runtime.database.reading() as tx:
        seen = await delivery_view.find(tx, delivery_id)
    if seen is None:
        return None
    if not seen.claimed.is_readable:
        return WrittenDelivery(seen)
    secrets = open_secrets(runtime, [seen.claimed])[seen.claimed.partner_id]
    delivery = DeliveryToSend(seen.claimed, secrets, timedelta(), 0.0)
    message = prepare_message(delivery, timestamp=int(runtime.clock.real_now().timestamp()))
    return WrittenDelivery(
        seen, message, curl_line(seen.claimed.endpoint, headers=message.headers, body=message.body)
    )
