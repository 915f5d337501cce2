"""Delivering to webhooks in three stages: claim, send, record.

No transaction is open while anything is sent. A worker that dies between sending and recording makes the
delivery happen twice, never not at all: its claims end by themselves and others send what it held.
Whatever is wrong with one delivery is recorded as the failure of that one.
"""

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ssl import SSLContext
from typing import Final, assert_never

import aiohttp
import structlog

from bindery.actions.register_webhook import address_rule
from bindery.actions.set_webhook_secret import owner_name
from bindery.base.errors import Misconfigured
from bindery.contract.webhooks import DeliveryStatus, DisabledBecause
from bindery.domain.events import delivery_body, ping_body
from bindery.domain.webhook_mail import disabled_mail
from bindery.domain.webhooks import (
    ANSWER_SHOWN,
    Delivered,
    EndpointGone,
    GiveUp,
    TryAgainAt,
    Verdict,
    is_failing_for_good,
    is_success,
    judge_attempt,
    read_retry_after,
    signed_headers,
)
from bindery.outside.guarded_connect import Resolve, system_resolve
from bindery.outside.partner_http import open_partner_session, post_to_partner
from bindery.runtime import Runtime
from bindery.storage import deliveries, mails, secrets, webhooks
from bindery.storage.database import Tx
from bindery.storage.deliveries import Claimed, TryRecord
from bindery.storage.secrets import SealedSecret
from bindery.storage.webhooks import Webhook

ANSWER_WITHIN_S: Final = 15.0
USER_AGENT: Final = "Bindery-Webhooks/2"
AT_ONCE_FOR_A_WEBHOOK: Final = 4
"""How many deliveries one worker has under way to an endpoint: one slow partner delays nobody."""
AT_ONCE_WHILE_FAILING: Final = 2
BATCH: Final = 200
LEASE: Final = timedelta(seconds=20)
"""How long a claim holds: a whole wait for an answer, and some seconds to get there and to record it."""
SEND_WITHIN_S: Final = 3.0
"""What waits longer for its turn is left to its lease, so that every wait for an answer fits into it."""
SIMULATED_STATUS: Final = 503
UNSIGNED: Final = "the delivery could not be signed: no webhook secret can be opened"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """A delivery to be sent, with the secrets that sign it; without any it cannot be.

    `send_by` is a moment of `time.monotonic()`: later the claim might end before the answer is in.
    """

    claimed: Claimed
    secrets: tuple[bytes, ...]
    send_by: float


@dataclass(frozen=True, slots=True)
class Message:
    """The body of a delivery, and its headers with the signatures."""

    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """How sending went; without a status there was no answer."""

    claimed: Claimed
    at: datetime
    status: int | None = None
    error: str | None = None
    duration_ms: int = 0
    answer: str = ""
    retry_after: timedelta | None = None


def open_session(
    runtime: Runtime, *, resolve: Resolve = system_resolve, tls: SSLContext | None = None
) -> aiohttp.ClientSession:
    """Open the guarded session that deliveries go through."""
    return open_partner_session(
        timeout_s=ANSWER_WITHIN_S,
        user_agent=USER_AGENT,
        rule=address_rule(runtime.settings),
        resolve=resolve,
        tls=tls,
        # What is under way is limited for each webhook before it comes here.
        connections=0,
        per_partner=0,
    )


async def claim_deliveries(
    runtime: Runtime, *, under_way: Mapping[uuid.UUID, int], limit: int
) -> list[Parcel]:
    """Take what is due, and what others held for too long, with what is needed to send it."""
    # Looked at before the database's own clock: the lease never ends earlier than is reckoned from here.
    send_by = time.monotonic() + SEND_WITHIN_S
    async with runtime.database.transaction() as tx:
        if taken_back := await deliveries.free_expired(tx):
            log.warning("deliveries_taken_over", count=taken_back)
        claimed = await deliveries.claim(
            tx,
            lease=LEASE,
            limit=limit,
            room=AT_ONCE_FOR_A_WEBHOOK,
            failing_room=AT_ONCE_WHILE_FAILING,
            under_way=under_way,
        )
        if not claimed:
            return []
        if runtime.settings.is_demo and any(one.made_to_fail for one in claimed):
            claimed = await _mark_simulated_failures(tx, claimed)
        partner_ids = {one.partner_id for one in claimed}
        sealed = await secrets.signing(tx, partner_ids)
    opened = _open_secrets(runtime, partner_ids, sealed)
    return [Parcel(one, tuple(opened[one.partner_id]), send_by) for one in claimed]


def _open_secrets(
    runtime: Runtime, partner_ids: Iterable[int], sealed: Iterable[SealedSecret]
) -> Mapping[int, Sequence[bytes]]:
    """Open the secrets of each partner, the newest first; raise an alarm for one that cannot be used."""
    opened: dict[int, list[bytes]] = {partner_id: [] for partner_id in partner_ids}
    reasons: dict[int, str] = {}
    for kept in sealed:
        try:
            secret = runtime.sealer.open(kept.sealed, owner=owner_name(kept.partner_id))
            opened[kept.partner_id].append(secret)
        except Misconfigured as fault:
            reasons[kept.partner_id] = fault.message
    for partner_id, its_secrets in opened.items():
        if not its_secrets:
            reasons.setdefault(partner_id, "The partner has no webhook secret.")
    for partner_id, reason in reasons.items():
        log.error("webhook_secret_unreadable", partner_id=partner_id, reason=reason)
    return opened


async def release_deliveries(runtime: Runtime, parcels: Iterable[Parcel]) -> None:
    """Let others have what was claimed and not tried to the end."""
    async with runtime.database.transaction() as tx:
        await deliveries.release(tx, [parcel.claimed for parcel in parcels])


async def _mark_simulated_failures(tx: Tx, claimed: Sequence[Claimed]) -> list[Claimed]:
    """Spend the failures that the demo was asked for on the first of these."""
    wanted: defaultdict[uuid.UUID, int] = defaultdict(int)
    for one in claimed:
        wanted[one.webhook_id] += one.made_to_fail
    left = {
        webhook_id: await webhooks.take_failures(tx, webhook_id, count)
        for webhook_id, count in sorted(wanted.items())
        if count
    }
    marked = []
    for one in claimed:
        fails = left.get(one.webhook_id, 0) > 0
        if fails:
            left[one.webhook_id] -= 1
        marked.append(replace(one, made_to_fail=fails))
    return marked


def prepare_message(parcel: Parcel, *, timestamp: int) -> Message:
    """Write and sign what is sent."""
    claimed = parcel.claimed
    event = claimed.event
    body = ping_body(claimed.webhook_id, at=claimed.created_at) if event is None else delivery_body(event)
    headers = signed_headers(
        parcel.secrets, message_id=str(claimed.message_id), timestamp=timestamp, body=body
    )
    return Message(body, {**headers, "Content-Type": "application/json"})


async def send_parcel(runtime: Runtime, session: aiohttp.ClientSession, parcel: Parcel) -> Tried:
    """Send one delivery and return how it went; a failure is an outcome too, whatever it comes from."""
    claimed, at, started = parcel.claimed, runtime.clock.now(), time.perf_counter()
    if claimed.made_to_fail:
        return Tried(claimed=claimed, at=at, status=SIMULATED_STATUS, answer="This failure was asked for.")
    if not parcel.secrets:
        return Tried(claimed=claimed, at=at, error=UNSIGNED)
    try:
        message = prepare_message(parcel, timestamp=int(runtime.clock.real_now().timestamp()))
        answer = await post_to_partner(session, claimed.endpoint, body=message.body, headers=message.headers)
    except TimeoutError:
        error = f"no complete answer within {ANSWER_WITHIN_S:.0f} seconds"
    except (aiohttp.ClientError, OSError, ValueError) as fault:
        error = _reason(fault)
    except Exception:
        # A bug, but of this delivery: the others of the batch go on.
        log.exception("delivery_crashed", delivery_id=claimed.delivery_id)
        error = "the delivery could not be sent: an error on our side"
    else:
        return Tried(
            claimed=claimed,
            at=at,
            status=answer.status,
            duration_ms=_milliseconds_since(started),
            answer=answer.body_start.decode("utf-8", "replace").replace("\x00", "�")[:ANSWER_SHOWN],
            retry_after=read_retry_after(answer.retry_after, real_now=runtime.clock.real_now()),
        )
    return Tried(claimed=claimed, at=at, error=error, duration_ms=_milliseconds_since(started))


def _reason(fault: Exception) -> str:
    """Say what the connection failed of, without the library's own words around it."""
    cause = fault.os_error if isinstance(fault, aiohttp.ClientConnectorError) else fault
    return str(cause)[:ANSWER_SHOWN] or type(cause).__name__


def _milliseconds_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)


async def record_tries(runtime: Runtime, tries: Sequence[Tried]) -> None:
    """Write how tries went, and disable the webhooks that are gone or have failed for too long."""
    accepted = [one for one in tries if is_success(one.status)]
    failed = [one for one in tries if not is_success(one.status)]
    if accepted:
        # One statement on its own: the sooner it is written, the less is repeated after a crash.
        async with runtime.database.reading() as tx:
            await deliveries.record(tx, [_record(one, Delivered()) for one in accepted])
    if failed:
        async with runtime.database.transaction() as tx:
            await _record_failures(runtime, tx, failed)


async def _record_failures(runtime: Runtime, tx: Tx, failed: Sequence[Tried]) -> None:
    gone = set()
    records = []
    for one in failed:
        verdict = judge_attempt(
            one.status, tries=one.claimed.try_number, at=tx.now, retry_after=one.retry_after, rng=tx.rng
        )
        records.append(_record(one, verdict))
        if isinstance(verdict, EndpointGone):
            gone.add(one.claimed.webhook_id)
    await deliveries.record(tx, records)
    await deliveries.hold_back_followers(
        tx, [record for record in records if record.state is DeliveryStatus.PENDING]
    )
    for webhook in await webhooks.note_failure(tx, {one.claimed.webhook_id for one in failed}):
        if webhook.webhook_id in gone:
            await _disable(runtime, tx, webhook, DisabledBecause.GONE)
        elif webhook.failing_since and is_failing_for_good(webhook.failing_since, at=tx.now):
            await _disable(runtime, tx, webhook, DisabledBecause.FAILING)


def _record(tried: Tried, verdict: Verdict) -> TryRecord:
    due_at = tried.at
    match verdict:
        case Delivered():
            state = DeliveryStatus.DELIVERED
        case TryAgainAt(moment):
            state, due_at = DeliveryStatus.PENDING, moment
        case GiveUp() | EndpointGone():
            state = DeliveryStatus.FAILED
        case _:
            assert_never(verdict)
    return TryRecord(
        delivery_id=tried.claimed.delivery_id,
        claimed_until=tried.claimed.claimed_until,
        number=tried.claimed.try_number,
        at=tried.at,
        status=tried.status,
        error=tried.error,
        duration_ms=tried.duration_ms,
        answer=tried.answer,
        state=state,
        due_at=due_at,
    )


async def _disable(runtime: Runtime, tx: Tx, webhook: Webhook, because: DisabledBecause) -> None:
    await webhooks.disable(tx, webhook.webhook_id, because)
    log.warning("webhook_disabled", webhook=str(webhook.webhook_id), because=because)
    contact = await webhooks.contact_of(tx, webhook.partner_id)
    if contact is not None:
        docs_url = f"{runtime.settings.base_url.removesuffix('/').removesuffix('/v2')}/docs#webhooks"
        mail = disabled_mail(contact, endpoint=webhook.endpoint, because=because, docs_url=docs_url)
        await mails.write(tx, None, [mail])


async def deliver_due(
    runtime: Runtime, *, resolve: Resolve = system_resolve, tls: SSLContext | None = None
) -> int:
    """Deliver until nothing is due, and wait for what others have under way; return how many were tried."""
    count = 0
    async with runtime.database.reading() as tx:
        if not await deliveries.anything_due(tx):
            return count
    async with open_session(runtime, resolve=resolve, tls=tls) as session:
        while True:
            parcels = await claim_deliveries(runtime, under_way={}, limit=BATCH)
            if parcels:
                tries = await asyncio.gather(*(send_parcel(runtime, session, one) for one in parcels))
                await record_tries(runtime, tries)
                count += len(tries)
                continue
            async with runtime.database.reading() as tx:
                if not await deliveries.anything_under_way(tx):
                    return count
            await asyncio.sleep(0.05)
