"""Broker-of-record clearance: who else was submitted with the same domain or address."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from bindery.domain.quote.clearance import Applying, Key
from bindery.storage.database import Reader, Tx


async def hold_keys(tx: Tx, keys: Sequence[Key]) -> None:
    """Lock these keys until the transaction ends, so that submissions that share one take turns."""
    # Sorted, so that two submissions that share several keys cannot wait for each other.
    numbers = sorted(
        int.from_bytes(hashlib.sha256(f"{kind}:{value}".encode()).digest()[:8], "big", signed=True)
        for kind, value in keys
    )
    await tx.execute("select pg_advisory_xact_lock(n) from unnest($1::bigint[]) as n", numbers)


async def taken_keys(
    tx: Reader, applying: Sequence[Applying], *, since: datetime
) -> dict[Key, frozenset[int]]:
    """Return the keys that another company was submitted with since then, with the partners who did that."""
    asked = [(*key, applicant.company_id) for applicant in applying for key in applicant.keys]
    rows = await tx.connection.fetch(
        """
        select k.kind, k.value, array_agg(distinct k.partner_id) as partners
        from unnest($1::text[], $2::text[], $3::int[]) as asked(kind, value, company_id)
        join clearance_keys k on k.kind = asked.kind and k.value = asked.value
        where k.submitted_at >= $4 and (asked.company_id is null or k.company_id <> asked.company_id)
        group by k.kind, k.value
        """,
        [kind for kind, _, _ in asked],
        [value for _, value, _ in asked],
        [company_id for _, _, company_id in asked],
        since,
    )
    return {(row["kind"], row["value"]): frozenset(row["partners"]) for row in rows}
