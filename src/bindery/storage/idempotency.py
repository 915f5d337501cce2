"""First answers, kept in the transaction of their effect and replayed for 30 days."""

import hashlib
from datetime import datetime, timedelta

import asyncpg

from bindery.base.errors import IdempotencyInFlight, IdempotencyMismatch
from bindery.storage.database import Reader, Tx

KEPT_FOR = timedelta(days=30)


class FirstAnswer(bytes):
    """The answer that a key was given first; an answer of today is plain bytes."""


async def replay_or_hold(tx: Tx, *, partner_id: int, key: str, request_hash: bytes) -> FirstAnswer | None:
    """Return the first answer to this key, or hold the key until the transaction ends and return None.

    Raises:
        IdempotencyInFlight: another transaction holds the key.
        IdempotencyMismatch: the key was used with another request.
    """
    number = int.from_bytes(hashlib.sha256(f"{partner_id}:{key}".encode()).digest()[:8], "big", signed=True)
    if not await tx.connection.fetchval("select pg_try_advisory_xact_lock($1)", number):
        raise IdempotencyInFlight("A request with this Idempotency-Key is still being worked on.")
    row = await _find(tx, partner_id, key)
    if row is not None and _is_over(row, tx):
        await tx.connection.execute(
            "delete from idempotency_keys where partner_id = $1 and key = $2", partner_id, key
        )
    return _answer_of(row, tx, request_hash)


async def replay(tx: Reader, *, partner_id: int, key: str, request_hash: bytes) -> FirstAnswer | None:
    """Return the first answer to this key, if there is one; hold nothing.

    Raises:
        IdempotencyMismatch: the key was used with another request.
    """
    return _answer_of(await _find(tx, partner_id, key), tx, request_hash)


async def _find(tx: Reader, partner_id: int, key: str) -> asyncpg.Record | None:
    return await tx.connection.fetchrow(
        "select request_hash, response, created_at from idempotency_keys where partner_id = $1 and key = $2",
        partner_id,
        key,
    )


def _is_over(row: asyncpg.Record, tx: Reader) -> bool:
    kept_since: datetime = row["created_at"]
    return kept_since < tx.now - KEPT_FOR


def _answer_of(row: asyncpg.Record | None, tx: Reader, request_hash: bytes) -> FirstAnswer | None:
    if row is None or _is_over(row, tx):
        return None
    if row["request_hash"] != request_hash:
        raise IdempotencyMismatch("This Idempotency-Key was used before with another request.")
    return FirstAnswer(row["response"])


async def record(tx: Tx, *, partner_id: int, key: str, request_hash: bytes, response: bytes) -> None:
    """Keep the answer of an effect, in the effect's own transaction."""
    await tx.connection.execute(
        """
        insert into idempotency_keys (partner_id, key, request_hash, response, created_at)
        values ($1, $2, $3, $4, $5)
        """,
        partner_id,
        key,
        request_hash,
        response,
        tx.now,
    )
