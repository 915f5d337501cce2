from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from bindery.domain.scan.scan import ScanResult
from bindery.storage.database import Reader, Tx
from bindery.storage.submission.submissions import read_scan

KEPT_FOR = timedelta(hours=24)


async def fresh(tx: Reader, domains: Sequence[str]) -> dict[str, ScanResult]:
    statement = "select domain, result from scan_cache where domain = any($1) and scanned_at > $2"
    rows = await tx.connection.fetch(statement, list(domains), tx.now - KEPT_FOR)
    return {row["domain"]: read_scan(row["result"]) for row in rows}


async def keep(tx: Tx, results: Iterable[tuple[str, ScanResult]]) -> None:
    await tx.connection.executemany(
        """
        insert into scan_cache (domain, scanned_at, result) values ($1, $2, $3)
        on conflict (domain) do update set scanned_at = excluded.scanned_at, result = excluded.result
        """,
        [(domain, tx.now, msgspec.json.encode(result).decode()) for domain, result in results],
    )


async def purge(tx: Tx, *, before: datetime, limit: int) -> int:
    statement = """
    delete from scan_cache where domain in (
        select domain from scan_cache where scanned_at < $1
        order by scanned_at limit $2 for update skip locked)
    """
    return await tx.execute(statement, before, limit)
