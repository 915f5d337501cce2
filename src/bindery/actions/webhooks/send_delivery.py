import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from ssl import SSLContext
from typing import Final

import structlog

from bindery.actions.webhooks.claim_deliveries import DeliveryToSend, open_secrets
from bindery.base.clock import Clock
from bindery.base.signatures import signed_headers
from bindery.base.tracing import SpanKind, span
from bindery.domain.messages.webhooks import (
    ANSWER_SHOWN,
    curl_line,
    delivery_body,
    is_success,
    ping_body,
    read_retry_after,
)
from bindery.outside.addresses import PUBLIC_OR_LOOPBACK, AddressRule, public_on_ports
from bindery.outside.guarded_connect import Resolve, system_resolve
from bindery.outside.partner_http import NoAnswer, PartnerSession, open_partner_session, post_to_partner
from bindery.runtime import Runtime
from bindery.settings import Settings
from bindery.storage.webhooks import delivery_view
from bindery.storage.webhooks.delivery_claims import Claimed
from bindery.storage.webhooks.delivery_view import SeenDelivery

ANSWER_WITHIN_S: Final = 15.0
USER_AGENT: Final = "Bindery-Webhooks/2"
SIMULATED_STATUS: Final = 503
UNSIGNED: Final = "the delivery could not be signed: no webhook secret can be opened"
UNREADABLE: Final = "the delivery could not be sent: its event cannot be read"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Message:
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryTry:
    """How sending went; without a status there was no answer."""

    claimed: Claimed
    at: datetime
    status: int | None = None
    error: str | None = None
    duration_ms: int = 0
    answer: str = ""
    retry_after: timedelta | None = None


def address_rule(settings: Settings) -> AddressRule:
    """Return the addresses and ports that endpoints may have; the demo takes any port, and this machine."""
    return PUBLIC_OR_LOOPBACK if settings.allows_local_endpoints else public_on_ports(settings.webhook_ports)


def open_session(
    settings: Settings, *, resolve: Resolve = system_resolve, tls: SSLContext | None = None
) -> PartnerSession:
    return open_partner_session(
        timeout_s=ANSWER_WITHIN_S,
        user_agent=USER_AGENT,
        rule=address_rule(settings),
        resolve=resolve,
        tls=tls,
    )


def prepare_message(delivery: DeliveryToSend, *, timestamp: int) -> Message:
    claimed = delivery.claimed
    event = claimed.event
    body = ping_body(claimed.webhook_id, at=claimed.created_at) if event is None else delivery_body(event)
    headers = signed_headers(
        delivery.secrets, message_id=str(claimed.message_id), timestamp=timestamp, body=body
    )
    return Message(body, {**headers, "Content-Type": "application/json"})


async def send_delivery(clock: Clock, session: PartnerSession, delivery: DeliveryToSend) -> DeliveryTry:
    """Send one delivery and return how it went; every failure is an outcome too."""
    claimed = delivery.claimed
    with span(
        "deliver",
        kind=SpanKind.CALL,
        parent=claimed.trace or "",
        webhook=claimed.webhook_id,
        delivery=claimed.delivery_id,
        attempt=claimed.try_number,
    ) as traced:
        tried = await _send(clock, session, delivery, traced.traceparent)
        if tried.status is not None:
            traced.add(status=tried.status)
        if not is_success(tried.status):
            traced.note_fault(str(tried.status or "no_answer"))
    return tried


async def _send(
    clock: Clock, session: PartnerSession, delivery: DeliveryToSend, traceparent: str
) -> DeliveryTry:
    claimed, real_now, started = delivery.claimed, clock.real_now(), time.perf_counter()
    at = real_now + delivery.ahead
    if claimed.made_to_fail:
        return DeliveryTry(
            claimed=claimed, at=at, status=SIMULATED_STATUS, answer="This failure was requested."
        )
    if not claimed.is_readable:
        return DeliveryTry(claimed=claimed, at=at, error=UNREADABLE)
    if not delivery.secrets:
        return DeliveryTry(claimed=claimed, at=at, error=UNSIGNED)
    try:
        message = prepare_message(delivery, timestamp=int(real_now.timestamp()))
        # Outside what is signed: proxies on the way may go on with the trace.
        headers = {**message.headers, "traceparent": traceparent} if traceparent else message.headers
        answer = await post_to_partner(session, claimed.endpoint, body=message.body, headers=headers)
    except TimeoutError:
        error = f"no complete answer within {ANSWER_WITHIN_S:.0f} seconds"
    except NoAnswer as fault:
        error = str(fault)[:ANSWER_SHOWN]
    except Exception:
        # A bug, but of this delivery: the others of the batch continue.
        log.exception("delivery_crashed", delivery_id=claimed.delivery_id)
        error = "the delivery could not be sent: an error on our side"
    else:
        return DeliveryTry(
            claimed=claimed,
            at=at,
            status=answer.status,
            duration_ms=_milliseconds_since(started),
            answer=answer.body_start.decode("utf-8", "replace").replace("\x00", "�")[:ANSWER_SHOWN],
            retry_after=read_retry_after(answer.retry_after, real_now=clock.real_now()),
        )
    return DeliveryTry(claimed=claimed, at=at, error=error, duration_ms=_milliseconds_since(started))


def _milliseconds_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)


@dataclass(frozen=True, slots=True)
class WrittenDelivery:
    """A delivery as it would be sent now, and the curl line for it; neither if it is unreadable."""

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
