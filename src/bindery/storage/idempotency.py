"""First answers, kept in the transaction of their effect and replayed for 30 days."""

import hashlib
from datetime import timedelta

from bindery.base.errors import IdempotencyInFlight, IdempotencyMismatch
from bindery.storage.database import Tx

KEPT_FOR = timedelta(days=30)


async def replay_or_hold(tx: Tx, *, partner_id: int, key: str, request_hash: bytes) -> bytes | None:
    """Give the first answer to this key, or hold the key until the transaction ends and give None.

    Raises:
        IdempotencyInFlight: another transaction holds the key.
        IdempotencyMismatch: the key was used with another request.
    """
    number = int.from_bytes(hashlib.sha256(f"{partner_id}:{key}".encode()).digest()[:8], "big", signed=True)
    if not await tx.connection.fetchval("select pg_try_advisory_xact_lock($1)", number):
        raise IdempotencyInFlight("A request with this Idempotency-Key is still being worked on.")
    row = await tx.connection.fetchrow(
        "select request_hash, response, created_at from idempotency_keys where partner_id = $1 and key = $2",
        partner_id,
        key,
    )
    if row is None:
        return None
    if row["created_at"] < tx.now - KEPT_FOR:
        await tx.connection.execute(
            "delete from idempotency_keys where partner_id = $1 and key = $2", partner_id, key
        )
        return None
    if row["request_hash"] != request_hash:
        raise IdempotencyMismatch("This Idempotency-Key was used before with another request.")
    response: bytes = row["response"]
    return response
