"""The metrics of real processes: several of one server, one that is killed, and a worker of its own port."""

import asyncio
import signal
import socket
from pathlib import Path

import httpx
import psutil
import pytest

from bindery.metrics import FOLDER
from support.processes import NO_TLS, Program, Running, copies_of, free_port
from support.scraping import Scrape, read_scrape
from support.service import Service
from support.waiting import eventually

pytestmark = pytest.mark.long

TOKEN = "q8Zr2LxK4vNw7TsB1mYc9JhD5gFp3Ea6"
POOL_SIZE = 4


async def scrape(server: Running) -> Scrape:
    """Scrape; a server that does not listen yet, or a process that is just being killed, shows nothing."""
    async with httpx.AsyncClient(timeout=30, verify=NO_TLS) as http:
        try:
            return read_scrape((await http.get(f"{server.url}/metrics")).text)
        except httpx.TransportError:
            return read_scrape("")


async def test_any_process_of_a_server_shows_what_all_of_them_count(
    service: Service, program: Program
) -> None:
    with program.serving("--processes", "2", BINDERY_POOL_SIZE=str(POOL_SIZE)) as server:
        await eventually(
            lambda: scrape(server), lambda seen: seen.get("bindery_pool_connections_max") == 2 * POOL_SIZE
        )
        for _ in range(40):  # each on a connection of its own, which either process may take
            async with httpx.AsyncClient(timeout=30, verify=NO_TLS) as http:
                await http.get(f"{server.url}/livez")
        seen = [await scrape(server) for _ in range(10)]

    counts = [figures.total("bindery_http_requests_total", operation="livez") for figures in seen]
    assert counts == [40] * 10
    assert {figures.get("bindery_database_up") for figures in seen} == {1}


async def test_a_process_that_was_killed_leaves_its_counts_and_takes_its_gauges(
    service: Service, program: Program
) -> None:
    with program.serving("--processes", "2", BINDERY_POOL_SIZE=str(POOL_SIZE)) as server:
        await eventually(
            lambda: scrape(server), lambda seen: seen.get("bindery_pool_connections_max") == 2 * POOL_SIZE
        )
        for _ in range(40):
            async with httpx.AsyncClient(timeout=30, verify=NO_TLS) as http:
                await http.get(f"{server.url}/livez")
        victim = psutil.Process(copies_of(server)[0])
        its_gauges = Path(victim.environ()[FOLDER]) / f"gauge_livesum_{victim.pid}.db"
        had_gauges = its_gauges.exists()

        victim.kill()
        after = await eventually(
            lambda: scrape(server),
            lambda seen: (
                not its_gauges.exists() and seen.get("bindery_pool_connections_max") == 2 * POOL_SIZE
            ),
        )

    assert had_gauges
    assert after.total("bindery_http_requests_total", operation="livez") == 40


async def test_open_connections_are_counted_until_they_are_closed(service: Service, program: Program) -> None:
    with program.serving() as server:
        port = int(server.url.rpartition(":")[2])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(7)]
        # The eighth is the one that asks.
        await eventually(lambda: scrape(server), lambda seen: seen.get("bindery_http_connections") == 8)
        for connection in idle:
            connection.close()
        await eventually(lambda: scrape(server), lambda seen: seen.get("bindery_http_connections") == 1)


async def test_a_worker_shows_its_metrics_on_a_port_of_its_own(service: Service, program: Program) -> None:
    port = free_port()
    with program.start("work", BINDERY_METRICS_PORT=str(port)) as worker:
        worker.url = f"http://127.0.0.1:{port}"
        receipt = await service.submit()
        await service.ready(receipt["quotes"][0]["quote_identifier"])
        seen = await eventually(
            lambda: scrape(worker),
            lambda seen: seen.total("bindery_job_seconds_count", outcome="done") >= 1,
        )
        async with httpx.AsyncClient() as http:
            elsewhere = await http.get(f"{worker.url}/")
        code = worker.stop(signal.SIGTERM)

    assert seen.get("bindery_database_up") == 1
    assert seen.total("bindery_scans_total", outcome="finished") == 1
    assert seen.total("bindery_loop_lag_seconds_count") > 0
    assert elsewhere.status_code == 404
    assert code == 0


async def test_where_a_metrics_token_is_set_a_worker_wants_it(service: Service, program: Program) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/metrics"

    async def status(authorization: str | None) -> int:
        headers = {"Authorization": authorization} if authorization else {}
        async with httpx.AsyncClient(timeout=30, verify=NO_TLS) as http:
            try:
                return (await http.get(url, headers=headers)).status_code
            except httpx.ConnectError:
                return 0

    with program.start("work", BINDERY_METRICS_PORT=str(port), BINDERY_METRICS_TOKEN=TOKEN):
        await eventually(lambda: status(f"Bearer {TOKEN}"), lambda seen: seen == 200)
        refused = await asyncio.gather(
            *(status(sent) for sent in (None, "Bearer", f"Bearer {TOKEN[:-1]}", TOKEN, f"Basic {TOKEN}"))
        )

    assert refused == [401] * 5


async def test_a_worker_whose_metrics_port_is_taken_says_so(service: Service, program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = await asyncio.to_thread(program.run, "work", BINDERY_METRICS_PORT=str(port))

    assert ended.complaint.startswith(f"BINDERY_METRICS_PORT: cannot listen on 127.0.0.1 port {port}")
