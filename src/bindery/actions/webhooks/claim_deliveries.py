import time
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from bindery.base.errors import Misconfigured
from bindery.domain.messages.webhooks import owner_name
from bindery.runtime import Runtime
from bindery.storage.database import Database, Tx
from bindery.storage.webhooks import delivery_claims, webhooks
from bindery.storage.webhooks.delivery_claims import Claimed

AT_ONCE_FOR_A_WEBHOOK: Final = 4
"""How many deliveries one worker has under way to an endpoint: one slow partner delays nobody."""
AT_ONCE_WHILE_FAILING: Final = 2
BATCH: Final = 200
LEASE: Final = timedelta(seconds=20)
"""How long a claim holds: a whole wait for an answer, and some seconds to get there and to record it."""
SEND_WITHIN_S: Final = 3.0
"""A delivery that waits longer for its turn is left to its lease, so that every answer fits into it."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, eq=False)
class DeliveryToSend:
    """A delivery to be sent, with the secrets that sign it; without any it cannot be sent.

    `ahead` is how far business time was ahead of the real one when it was claimed.
    `send_by` is a moment of `time.monotonic()`: later the claim might end before the answer is in.
    """

    claimed: Claimed
    secrets: tuple[bytes, ...]
    ahead: timedelta
    send_by: float


async def claim_deliveries(
    runtime: Runtime, *, under_way: Mapping[uuid.UUID, int], limit: int, takes_over: bool = True
) -> list[DeliveryToSend]:
    """Claim due deliveries with the secrets that sign them; first free the claims that ran out."""
    # Looked at before the database's own clock: the lease never ends earlier than counted from here.
    send_by = time.monotonic() + SEND_WITHIN_S
    async with runtime.database.autocommit() as tx:
        if takes_over and (taken_over := await delivery_claims.free_expired(tx)):
            log.warning("deliveries_taken_over", count=taken_over)
        claimed = await delivery_claims.claim(
            tx,
            lease=LEASE,
            limit=limit,
            room=AT_ONCE_FOR_A_WEBHOOK,
            failing_room=AT_ONCE_WHILE_FAILING,
            under_way=under_way,
        )
    if any(delivery.made_to_fail for delivery in claimed):
        async with runtime.database.transaction() as tx:
            claimed = await _mark_simulated_failures(tx, claimed)
    opened = open_secrets(runtime, claimed)
    return [DeliveryToSend(delivery, opened[delivery.partner_id], tx.ahead, send_by) for delivery in claimed]


async def until_next_claim(database: Database, *, within_s: float) -> float:
    """Return the seconds until a delivery falls due or a claim expires, at most `within_s`."""
    async with database.reading() as tx:
        pause = await delivery_claims.until_next(tx)
    return within_s if pause is None else min(within_s, pause.total_seconds())


def open_secrets(runtime: Runtime, claimed: Iterable[Claimed]) -> Mapping[int, tuple[bytes, ...]]:
    """Open each partner's secrets, the newest first; log an error for one that cannot be used."""
    opened: dict[int, tuple[bytes, ...]] = {}
    by_partner = {delivery.partner_id: delivery.sealed_secrets for delivery in claimed}
    for partner_id, sealed_secrets in by_partner.items():
        its_secrets = []
        reason = "" if sealed_secrets else "The partner has no webhook secret."
        for sealed in sealed_secrets:
            try:
                its_secrets.append(runtime.sealer.open(sealed, owner=owner_name(partner_id)))
            except Misconfigured as fault:
                reason = fault.message
        if reason:
            log.error("webhook_secret_unreadable", partner_id=partner_id, reason=reason)
        opened[partner_id] = tuple(its_secrets)
    return opened


async def release_deliveries(database: Database, deliveries: Iterable[DeliveryToSend]) -> None:
    async with database.transaction() as tx:
        await delivery_claims.release(tx, [delivery.claimed for delivery in deliveries])


async def _mark_simulated_failures(tx: Tx, claimed: Sequence[Claimed]) -> list[Claimed]:
    """Spend the failures that the demo was asked for on the first of these deliveries."""
    wanted: defaultdict[uuid.UUID, int] = defaultdict(int)
    for delivery in claimed:
        wanted[delivery.webhook_id] += delivery.made_to_fail
    left = {
        webhook_id: await webhooks.take_failures(tx, webhook_id, count)
        for webhook_id, count in sorted(wanted.items())
        if count
    }
    marked = []
    for delivery in claimed:
        fails = left.get(delivery.webhook_id, 0) > 0
        if fails:
            left[delivery.webhook_id] -= 1
        marked.append(replace(delivery, made_to_fail=fails))
    return marked
