"""What `/metrics` shows of a process, with the database there and without."""

import asyncio
import time
from typing import Any

from bindery.metrics import BACKLOG, DATABASE_UP
from support.intake import changed
from support.scraping import Scrape, scrape
from support.service import Service, request_body
from support.waiting import eventually


async def test_requests_are_counted_by_operation_and_status(service: Service) -> None:
    before = await scrape(service.http)
    await service.post("/v2/quotes", changed(("client.revenue", 0)))
    await service.post("/v2/quotes", {})
    after = await scrape(service.http)

    refused = {"operation": "create_quotes", "status": "400"}
    assert after.total("bindery_http_requests_total", **refused) == 2 + before.total(
        "bindery_http_requests_total", **refused
    )
    assert after.total("bindery_http_request_seconds_count", operation="create_quotes") == 2 + before.total(
        "bindery_http_request_seconds_count", operation="create_quotes"
    )


async def test_the_metrics_hold_nothing_of_a_request(service: Service) -> None:
    await service.post("/v2/quotes", changed(("client.name", "Confidential Cakes")))
    await service.get("/v2/quotes/secret-identifier")
    await service.get("/v2/a-path-that-somebody-made-up")

    text = (await service.http.get("/metrics")).text

    assert not [
        word for word in ("Confidential", "secret-identifier", "made-up", service.token) if word in text
    ]


async def test_what_waits_in_the_database_is_shown(service: Service) -> None:
    await service.submit()

    seen = await scrape(service.http)

    assert seen.get(DATABASE_UP) == 1
    assert seen.get("bindery_jobs", kind="process_submission", state="waiting") == 1
    assert seen.get("bindery_referrals") == 0
    assert set(BACKLOG) <= seen.names


async def test_without_the_database_the_metrics_of_the_process_are_shown(service: Service) -> None:
    await service.runtime.database.pool.close()

    seen = await scrape(service.http)

    assert seen.get(DATABASE_UP) == 0
    assert seen.total("bindery_http_requests_total") > 0
    assert not [name for name, _ in seen.figures if name in BACKLOG], "figures that may not be true any more"


async def test_while_the_database_holds_everybody_up_the_metrics_are_shown_soon(service: Service) -> None:
    pool = service.runtime.database.pool
    held = [await pool.acquire() for _ in range(pool.get_max_size())]
    try:
        started = time.monotonic()
        seen = await asyncio.wait_for(scrape(service.http), timeout=60)
        took_s = time.monotonic() - started
        busy = await eventually(
            lambda: scrape(service.http), lambda seen: seen.get("bindery_pool_waiting") == 1
        )
    finally:
        for connection in held:
            await pool.release(connection)

    assert seen.get(DATABASE_UP) == 0
    assert took_s >= 2, "it was not held up at all"
    assert busy.get("bindery_pool_connections") == busy.get("bindery_pool_connections_in_use") == 6
    assert busy.get("bindery_pool_connections_max") == 6
    await eventually(
        lambda: scrape(service.http),
        lambda seen: (
            seen.get("bindery_pool_waiting") == seen.get("bindery_pool_connections_in_use") == 0
            and seen.get(DATABASE_UP) == 1
        ),
    )


async def test_submissions_that_come_together_are_counted_as_one_group(service: Service) -> None:
    before = await scrape(service.http)
    await service.submit()
    alone = await scrape(service.http)
    await asyncio.gather(
        *(service.submit(changed(("client.domains", [f"company{n}.example.com"]))) for n in range(12))
    )
    after = await scrape(service.http)

    def since(earlier: Scrape, name: str) -> float:
        return after.total(name) - earlier.total(name)

    assert alone.total("bindery_group_commit_size_sum") == 1 + before.total("bindery_group_commit_size_sum")
    assert since(alone, "bindery_group_commit_size_sum") == 12
    assert since(alone, "bindery_group_commit_size_count") < 12


async def test_a_blocked_event_loop_shows_as_lag(service: Service) -> None:
    def lags(seen: Scrape) -> float:
        slow = seen.total("bindery_loop_lag_seconds_count")
        return slow - seen.total("bindery_loop_lag_seconds_bucket", le="0.25")

    before = await scrape(service.http)
    await eventually(
        lambda: scrape(service.http),
        lambda seen: (
            seen.total("bindery_loop_lag_seconds_count") > before.total("bindery_loop_lag_seconds_count")
        ),
    )
    before = await scrape(service.http)
    time.sleep(0.6)  # noqa: ASYNC251 - the fault that is to be seen
    after = await eventually(lambda: scrape(service.http), lambda seen: lags(seen) > lags(before))

    assert lags(after) == lags(before) + 1


async def test_requests_that_wait_for_a_quote_are_counted_while_they_wait(service: Service) -> None:
    receipt = await service.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]

    waiting = asyncio.create_task(service.get(f"/v2/quotes/{identifier}", Prefer="wait=60"))
    await eventually(lambda: scrape(service.http), lambda seen: seen.get("bindery_long_polls") == 1)
    waiting.cancel()
    await asyncio.wait({waiting})

    assert (await scrape(service.http)).get("bindery_long_polls") == 0


async def test_jobs_and_scans_are_counted_by_how_they_ended(working_service: Service) -> None:
    def failing(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["scan-error.example.com"]

    def done(seen: Scrape, outcome: str) -> float:
        return seen.total("bindery_job_seconds_count", kind="process_submission", outcome=outcome)

    before = await scrape(working_service.http)
    await working_service.quote()
    await working_service.quote(request_body(failing))
    after = await eventually(
        lambda: scrape(working_service.http), lambda seen: done(seen, "done") == done(before, "done") + 2
    )

    def scans(outcome: str) -> float:
        return after.total("bindery_scans_total", outcome=outcome) - before.total(
            "bindery_scans_total", outcome=outcome
        )

    assert done(after, "again") == done(before, "again") + 2
    assert (scans("finished"), scans("failed")) == (1, 3)
