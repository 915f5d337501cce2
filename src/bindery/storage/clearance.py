"""Broker-of-record clearance: who else was submitted with the same domain or address."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from bindery.storage.database import Tx


async def hold_keys(tx: Tx, keys: Sequence[tuple[str, str]]) -> None:
    """Let only one submission with any of these keys through at a time, until the transaction ends."""
    # Sorted, so that two submissions that share several keys cannot wait for each other.
    numbers = sorted(
        int.from_bytes(hashlib.sha256(f"{kind}:{value}".encode()).digest()[:8], "big", signed=True)
        for kind, value in keys
    )
    await tx.connection.execute("select pg_advisory_xact_lock(n) from unnest($1::bigint[]) as n", numbers)


async def taken_keys(
    tx: Tx, keys: Sequence[tuple[str, str]], *, company_id: int | None, since: datetime
) -> frozenset[tuple[str, str]]:
    """Say which keys another company was submitted with since then, whoever submitted it."""
    rows = await tx.connection.fetch(
        """
        select distinct k.kind, k.value
        from unnest($1::text[], $2::text[]) as asked(kind, value)
        join clearance_keys k on k.kind = asked.kind and k.value = asked.value
        where k.submitted_at >= $3 and ($4::int is null or k.company_id <> $4)
        """,
        [kind for kind, _ in keys],
        [value for _, value in keys],
        since,
        company_id,
    )
    return frozenset((row["kind"], row["value"]) for row in rows)


async def kinds_in_conflict(
    tx: Tx, keys: Sequence[tuple[str, str]], *, company_id: int | None, since: datetime
) -> frozenset[str]:
    """Say by which kinds of key another company was submitted since then."""
    return frozenset(kind for kind, _ in await taken_keys(tx, keys, company_id=company_id, since=since))
