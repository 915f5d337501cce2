"""Limits a minute: published with every answer, held over several processes, each partner its own."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from bindery.base.clock import Clock
from bindery.domain.access.caller import Quota
from bindery.domain.access.users import Role
from bindery.memory import request_counts
from bindery.memory.request_counts import RequestCounts
from support.binding import PHOTO
from support.intake import nothing_written
from support.people import sign_in_as
from support.service import Service, request_body, serving
from support.uploads import processed
from support.waiting import eventually

STANDS = re.compile(r'"([a-z]+)";r=([0-9]+);t=([0-9]+)')


class SetClock(Clock):
    """A clock that a test sets; it begins in the first second of a minute."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 16, 12, 0, 0, tzinfo=UTC)

    def real_now(self) -> datetime:  # type: ignore[override] # the real one needs no instance
        return self.now


def stands(answer: httpx.Response) -> tuple[str, int]:
    found = STANDS.fullmatch(answer.headers["ratelimit"])
    assert found is not None
    assert 1 <= int(found[3]) <= 60
    return found[1], int(found[2])


@pytest.fixture
async def limited(dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A demo that lets ten times these through."""
    limits = {"reads_per_minute": 1, "submissions_per_minute": 1, "writes_per_minute": 1}
    async with serving(dsn, tmp_path, **limits, uploads_per_minute=1) as service:
        # A whole minute lies ahead, on a clock that stands still.
        service.runtime.request_counts._clock = SetClock()
        yield service


async def test_files_and_forms_of_brokers_count_like_requests_of_their_partner(limited: Service) -> None:
    identifier = (await processed(limited))["quote_identifier"]
    send: dict[str, Any] = {"data": {"quote_identifier": identifier}, "files": {"file": ("a.png", PHOTO)}}
    async with await sign_in_as(limited, Role.BROKER) as broker:
        for _ in range(5):
            await limited.http.post("/v2/documents", headers=limited.headers, **send)
            taken = await broker.post(f"/quote/{identifier}/uploads", files={"file": ("a.png", PHOTO)})
            assert taken.status_code == 303, taken.text

        refused = await broker.post(f"/quote/{identifier}/uploads", files={"file": ("a.png", PHOTO)})
        by_api = await limited.http.post("/v2/documents", headers=limited.headers, **send)
        with_bind = await broker.post(f"/quote/{identifier}/bind", files={"file": ("a.png", PHOTO)})
        forms = [await broker.post(f"/quote/{identifier}/bind") for _ in range(10)]

    assert (refused.status_code, by_api.status_code, with_bind.status_code) == (429, 429, 429)
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert "A partner may send 10 uploads a minute." in refused.text
    assert await limited.count("uploads") == 10
    assert [answer.status_code for answer in forms] == [422] * 9 + [429]


async def test_every_answer_says_what_may_be_sent_and_where_the_partner_stands(service: Service) -> None:
    receipt = await service.post("/v2/quotes", request_body())
    identifier = receipt.json()["quotes"][0]["quote_identifier"]
    upload: dict[str, Any] = {"data": {"quote_identifier": identifier}, "files": {"file": ("a.png", PHOTO)}}
    for kind, answer in (
        ("submissions", receipt),
        ("reads", await service.get("/v2/quotes")),
        ("reads", await service.get("/v2/quotes?limit=0")),
        ("reads", await service.post("/v2/quotes/validate", request_body())),
        ("writes", await service.post(f"/v2/quotes/{identifier}/withdraw")),
        ("uploads", await service.http.post("/v2/documents", headers=service.headers, **upload)),
    ):
        assert stands(answer)[0] == kind
        assert answer.headers["ratelimit-policy"] == f'"{kind}";q=10000000;w=60'
    for answer in (await service.http.get("/v2/quotes"), await service.http.get("/v2/health_check")):
        assert "ratelimit" not in answer.headers


async def test_the_last_request_is_served_and_the_next_refused_until_the_minute_is_over(
    limited: Service,
) -> None:
    answers = [await limited.get("/v2/quotes") for _ in range(11)]
    other = await limited.new_partner("other")

    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert [stands(answer)[1] for answer in answers] == [*range(9, -1, -1), 0]
    refused = answers[-1]
    assert refused.json()["code"] == "too_many_requests"
    assert refused.headers["retry-after"] == "60"
    assert (await other.get("/v2/quotes")).status_code == 200

    clock = limited.runtime.request_counts._clock
    assert isinstance(clock, SetClock)
    clock.now += timedelta(seconds=59)
    assert (await limited.get("/v2/quotes")).headers["retry-after"] == "1"
    clock.now += timedelta(seconds=1)
    assert (await limited.get("/v2/quotes")).status_code == 200


async def test_a_submission_beyond_the_limit_leaves_no_trace_and_reading_goes_on(limited: Service) -> None:
    for _ in range(10):
        await limited.submit()

    async with nothing_written(limited):
        refused = await limited.post("/v2/quotes", request_body())

    assert refused.status_code == 429
    assert (await limited.get("/v2/quotes")).status_code == 200


@asynccontextmanager
async def processes(
    service: Service, limits: Mapping[Quota, int]
) -> AsyncIterator[tuple[RequestCounts, RequestCounts]]:
    """Two processes that count on one database."""
    database, clock = service.runtime.database, SetClock()
    async with (
        RequestCounts(database, clock, limits) as first,
        RequestCounts(database, clock, limits) as other,
    ):
        yield first, other


async def test_a_limit_holds_over_several_processes(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_counts, "SHARE_EVERY_S", 0.01)
    async with processes(service, dict.fromkeys(Quota, 100)) as (first, other):
        for _ in range(60):
            assert not first.count(7, Quota.READS).is_over
        await eventually(lambda: told(service), lambda rows: rows == [60])

        # The other one hears of it when it has counted enough to tell of itself.
        for _ in range(6):
            assert not other.count(7, Quota.READS).is_over
        await eventually(lambda: asleep(other), bool)

        served = sum(not other.count(7, Quota.READS).is_over for _ in range(100))
        assert served == 100 - 60 - 6
        assert other.count(7, Quota.READS).remaining == 0
        assert other.count(7, Quota.WRITES).remaining == 99
        assert other.count(8, Quota.READS).remaining == 99


async def test_a_partner_who_sends_little_costs_no_statement(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_counts, "SHARE_EVERY_S", 0.01)
    async with processes(service, dict.fromkeys(Quota, 100)) as (counts, _):
        for _ in range(5):
            counts.count(7, Quota.READS)
        quiet = counts._sharing is None
        counts.count(7, Quota.READS)

        assert quiet
        assert counts._sharing is not None


async def test_what_was_counted_in_a_minute_gone_by_is_forgotten(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_counts, "SHARE_EVERY_S", 0.01)
    async with processes(service, dict.fromkeys(Quota, 10)) as (counts, _):
        clock = counts._clock
        assert isinstance(clock, SetClock)
        for _ in range(2):
            for _ in range(10):
                counts.count(7, Quota.READS)
            assert counts.count(7, Quota.READS).is_over
            await eventually(lambda: told(service), lambda rows: rows == [10])
            clock.now += timedelta(minutes=1)
        assert counts.count(7, Quota.READS).remaining == 9


async def test_what_others_told_of_a_minute_that_ended_meanwhile_does_not_count_in_the_next(
    service: Service, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_counts, "SHARE_EVERY_S", 0.01)
    async with processes(service, dict.fromkeys(Quota, 100)) as (first, other):
        clock = first._clock
        assert isinstance(clock, SetClock)
        for _ in range(60):
            other.count(7, Quota.READS)
        await eventually(lambda: told(service), lambda rows: rows == [60])
        async with locked_counts(dsn) as waiting:
            for _ in range(6):
                first.count(7, Quota.READS)
            await eventually(waiting)
            clock.now += timedelta(minutes=1)
            for _ in range(6):
                first.count(7, Quota.READS)
        await eventually(lambda: asleep(first), bool)

        assert first.count(7, Quota.READS).remaining == 93


async def test_while_the_database_is_away_each_process_counts_for_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_counts, "SHARE_EVERY_S", 0.01)
    async with processes(service, dict.fromkeys(Quota, 100)) as (counts, _):
        await service.runtime.database.pool.close()
        for _ in range(60):
            counts.count(7, Quota.READS)
        await eventually(lambda: asleep(counts), bool)

        served = sum(not counts.count(7, Quota.READS).is_over for _ in range(100))
        assert served == 40


@asynccontextmanager
async def locked_counts(dsn: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Let nobody read or write what is counted; return a way to see whether somebody waits for it."""
    connection = await asyncpg.connect(dsn)

    async def somebody_waits() -> bool:
        found: bool = await connection.fetchval(
            "select exists (select from pg_locks where relation = 'request_counts'::regclass and not granted)"
        )
        return found

    async with connection.transaction():
        await connection.execute("lock table request_counts in access exclusive mode")
        yield somebody_waits
    await connection.close()


async def told(service: Service) -> list[int]:
    rows = await service.runtime.database.pool.fetch("select requests from request_counts")
    return [row[0] for row in rows]


async def asleep(counts: RequestCounts) -> bool:
    await asyncio.sleep(0)
    return counts._sharing is None
