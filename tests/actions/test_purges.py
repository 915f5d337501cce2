"""What is kept for a while only: answers under idempotency keys, and scans of domains."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest

from bindery.actions.timetable.purge import RESCANS_KEPT_FOR, purge_answers, purge_rescans, purge_scans
from bindery.domain.policy.watching import Rescan
from bindery.domain.scan.scan import ScanOutcome, ScanResult
from bindery.storage import idempotency
from bindery.storage.policy import rescans
from bindery.storage.submission import scan_cache
from bindery.worker.entrypoints import EVERY_HOUR, TIMETABLE
from support.intake import changed
from support.service import Service
from support.telling import move_clock

KEY = "order-17"


async def test_an_answer_is_purged_an_hour_after_it_is_replayed_the_last_time(service: Service) -> None:
    first = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    await move_clock(service, timedelta(days=30, seconds=-5))
    assert await purge_answers(service.runtime.database) == 0
    replayed = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)
    await move_clock(service, timedelta(minutes=59))
    kept = await purge_answers(service.runtime.database)
    await move_clock(service, timedelta(minutes=2))
    purged = await purge_answers(service.runtime.database)

    assert replayed.content == first.content
    assert replayed.headers["idempotent-replayed"] == "true"
    assert (kept, purged) == (0, 1)
    assert await service.count("idempotency_keys") == 0
    assert await service.count("submissions") == 1


async def test_a_key_that_was_purged_is_as_good_as_new(service: Service) -> None:
    first = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)
    await move_clock(service, timedelta(days=31))
    await purge_answers(service.runtime.database)

    again = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    assert again.status_code == 200
    assert again.json()["company_id"] != first.json()["company_id"]
    assert "idempotent-replayed" not in again.headers


async def test_the_oldest_answers_are_purged_first_and_so_many_at_once(service: Service) -> None:
    for number in range(3):
        await service.post("/v2/quotes", changed(), Idempotency_Key=f"order-{number}")
        await move_clock(service, timedelta(seconds=1))

    async with service.runtime.database.transaction() as tx:
        count = await idempotency.purge(tx, before=tx.now, limit=2)

    assert count == 2
    assert await service.runtime.database.pool.fetchval("select key from idempotency_keys") == "order-2"


def scanned(domain: str, at: datetime) -> tuple[str, ScanResult]:
    return domain, ScanResult(ScanOutcome.FINISHED, (domain,), at, "live", 80)


async def test_a_scan_is_purged_an_hour_after_it_is_used_the_last_time(service: Service) -> None:
    async with service.runtime.database.transaction() as tx:
        await scan_cache.keep(tx, [scanned("harbor.example", tx.now)])

    await move_clock(service, timedelta(hours=24, seconds=-5))
    async with service.runtime.database.reading() as tx:
        used = await scan_cache.fresh(tx, ["harbor.example"])
    await move_clock(service, timedelta(minutes=59))
    kept = await purge_scans(service.runtime.database)
    await move_clock(service, timedelta(minutes=2))
    purged = await purge_scans(service.runtime.database)

    assert set(used) == {"harbor.example"}
    assert (kept, purged) == (0, 1)
    assert await service.count("scan_cache") == 0


async def test_the_oldest_scans_are_purged_first_and_so_many_at_once(service: Service) -> None:
    for domain in ("first.example", "second.example", "third.example"):
        async with service.runtime.database.transaction() as tx:
            await scan_cache.keep(tx, [scanned(domain, tx.now)])
        await move_clock(service, timedelta(seconds=1))

    async with service.runtime.database.transaction() as tx:
        count = await scan_cache.purge(tx, before=tx.now, limit=2)

    assert count == 2
    assert await service.runtime.database.pool.fetchval("select domain from scan_cache") == "third.example"


@pytest.mark.parametrize("name", ["purge_answers", "purge_scans", "purge_deliveries", "purge_job_log"])
def test_what_is_kept_for_a_while_is_purged_every_hour(name: str) -> None:
    assert TIMETABLE[name].cron == EVERY_HOUR


async def test_a_rescan_is_purged_after_two_years(service: Service, policy: dict[str, Any]) -> None:
    quote_id = uuid.UUID(policy["quote_identifier"])
    result = ScanResult(
        ScanOutcome.FINISHED, ("harbor.example",), service.runtime.clock.real_now(), "live", 80
    )
    async with service.runtime.database.transaction() as tx:
        await rescans.keep(tx, quote_id, Rescan(result, (), ()))

    await move_clock(service, RESCANS_KEPT_FOR - timedelta(seconds=5))
    kept = await purge_rescans(service.runtime.database)
    await move_clock(service, timedelta(seconds=10))
    purged = await purge_rescans(service.runtime.database)

    assert (kept, purged, await service.count("rescans")) == (0, 1, 0)
    assert timedelta(days=730) == RESCANS_KEPT_FOR
    assert TIMETABLE["purge_rescans"].cron == EVERY_HOUR
