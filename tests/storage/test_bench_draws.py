"""The floor and the reference of the intake benchmark survive a company number that is drawn twice."""

import asyncio
import contextlib
import importlib
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from support.service import Service, request_body
from support.source_tree import ROOT

FIRST, SECOND = 100_000_001, 100_000_002


@contextlib.asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[None]:
    """Start an application and stop it, as a server does."""
    told: asyncio.Queue[Any] = asyncio.Queue()
    said: asyncio.Queue[Any] = asyncio.Queue()
    life = asyncio.ensure_future(app({"type": "lifespan", "asgi": {"version": "3.0"}}, told.get, said.put))
    await told.put({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    yield
    await told.put({"type": "lifespan.shutdown"})
    assert (await said.get())["type"] == "lifespan.shutdown.complete"
    await life


@pytest.mark.parametrize("name", ["floor", "reference"])
async def test_a_number_drawn_twice_is_drawn_again(
    service: Service, dsn: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    broker_id = await service.runtime.database.pool.fetchval("select broker_id from brokers")
    monkeypatch.setenv("BENCH_DSN", dsn)
    monkeypatch.setenv("BENCH_PARTNER", str(service.partner.partner_id))
    monkeypatch.setenv("BENCH_BROKER", str(broker_id))
    monkeypatch.syspath_prepend(str(ROOT))
    for loaded in ("bench.floor", "bench.reference"):
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    module = importlib.import_module(f"bench.{name}")
    draws = iter([FIRST, FIRST, SECOND])
    monkeypatch.setattr(module, "company_id", lambda _rng: next(draws))
    app = getattr(module, name)()

    async with (
        running(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://b") as http,
    ):
        answers = [await http.post("/v2/quotes", json=request_body()) for _ in range(2)]

    assert [answer.json()["company_id"] for answer in answers] == [str(FIRST), str(SECOND)]
    assert await service.count("companies") == await service.count("submissions") == 2
