"""First answers, kept in the transaction of their effect and replayed for 30 days."""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import asyncpg

from bindery.base.errors import IdempotencyInFlight, IdempotencyMismatch
from bindery.domain.access.caller import Caller
from bindery.storage.database import Reader, Tx

KEPT_FOR = timedelta(days=30)


class FirstAnswer(bytes):
    """The answer that a key was given first; an answer of today is plain bytes."""


async def idempotently(tx: Tx, caller: Caller, work: Callable[[], Awaitable[bytes]]) -> bytes:
    """Return the first answer to the caller's key, or do the work and keep its answer with its effect.

    Raises:
        IdempotencyInFlight: another transaction holds the key.
        IdempotencyMismatch: the key was used with another request.
    """
    first_answer = await replay_or_hold(tx, caller)
    if first_answer is not None:
        return first_answer
    response = await work()
    if caller.idempotency_key is not None:
        await tx.insert(
            "idempotency_keys",
            {
                "partner_id": caller.partner_id,
                "key": caller.idempotency_key,
                "request_hash": caller.request_hash,
                "response": response,
                "created_at": tx.now,
            },
        )
    return response


async def replay_or_hold(tx: Tx, caller: Caller) -> FirstAnswer | None:
    """Return the first answer to the caller's key, or hold the key until the transaction ends.

    Raises:
        IdempotencyInFlight: another transaction holds the key.
        IdempotencyMismatch: the key was used with another request.
    """
    key = caller.idempotency_key
    if key is None:
        return None
    name = f"{caller.partner_id}:{key}"
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
    if not await tx.value(bool, "select pg_try_advisory_xact_lock($1)", number):
        raise IdempotencyInFlight("A request with this Idempotency-Key is still being worked on.")
    row = await _find(tx, caller.partner_id, key)
    if row is not None and _is_over(row, tx):
        statement = "delete from idempotency_keys where partner_id = $1 and key = $2"
        await tx.execute(statement, caller.partner_id, key)
    return _answer_of(row, tx, caller.request_hash)


async def replay(tx: Reader, caller: Caller) -> FirstAnswer | None:
    """Return the first answer to the caller's key, if there is one; hold nothing."""
    if caller.idempotency_key is None:
        return None
    return _answer_of(await _find(tx, caller.partner_id, caller.idempotency_key), tx, caller.request_hash)


async def purge(tx: Tx, *, before: datetime, limit: int) -> int:
    statement = """
    delete from idempotency_keys where (partner_id, key) in (
        select partner_id, key from idempotency_keys where created_at < $1
        order by created_at limit $2 for update skip locked)
    """
    return await tx.execute(statement, before, limit)


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
