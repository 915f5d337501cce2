"""A worker says on its metrics port whether it lives and may work, to those who have no token."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from bindery.worker.metrics_endpoint import metrics_endpoint
from support.processes import NO_TLS, free_port
from support.service import Service

TOKEN = "q8Zr2LxK4vNw7TsB1mYc9JhD5gFp3Ea6"


@pytest.fixture
async def worker(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    port = free_port()
    settings = replace(service.runtime.settings, metrics_port=port, metrics_token=TOKEN)
    async with (
        metrics_endpoint(replace(service.runtime, settings=settings)),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", verify=NO_TLS) as http,
    ):
        yield http


async def test_a_worker_with_its_tables_lives_and_is_ready(worker: httpx.AsyncClient) -> None:
    live, ready, metrics = [await worker.get(path) for path in ("/livez", "/readyz", "/metrics")]

    assert (live.status_code, live.text) == (200, "ok\n")
    assert (ready.status_code, ready.text) == (200, "ready\n")
    assert metrics.status_code == 401


async def test_a_worker_of_another_version_than_the_tables_lives_and_is_not_ready(
    service: Service, worker: httpx.AsyncClient
) -> None:
    await service.runtime.database.pool.execute("update alembic_version set version_num = '9999'")

    live, ready = [await worker.get(path) for path in ("/livez", "/readyz")]

    assert live.status_code == 200
    assert (ready.status_code, ready.text) == (503, "not ready\n")
