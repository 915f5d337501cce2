"""The embedded server dies under the processes that need it: they start it again, and continue."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.own_postgres import OwnPostgres
from support.processes import Program, Running, free_port
from support.service import request_body

pytestmark = pytest.mark.long

BACK_WITHIN_S = 60.0


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    bare = Program(tmp_path)
    yield bare
    bare.run("database", "stop")


def start(program: Program, command: str) -> Running:
    port = free_port()
    running = program.start(command, "--port", str(port))
    running.url = f"http://127.0.0.1:{port}"
    return running


async def submit(running: Running, http: httpx.AsyncClient) -> dict[str, Any]:
    """Send until it is taken; 503 is the only other answer there may be."""
    until = time.monotonic() + BACK_WITHIN_S
    while True:
        answer = await http.post(f"{running.url}/v2/quotes", json=request_body())
        if answer.status_code == 200:
            receipt: dict[str, Any] = answer.json()
            return receipt
        assert answer.status_code == 503, answer.text
        assert time.monotonic() < until, running.stderr
        await asyncio.sleep(0.1)


async def published(running: Running, http: httpx.AsyncClient, receipt: dict[str, Any]) -> str:
    until = time.monotonic() + BACK_WITHIN_S
    while True:
        answer = await http.get(
            f"{running.url}/v2/quotes/{receipt['quotes'][0]['quote_identifier']}",
            headers={"Prefer": "wait=20"},
        )
        if answer.status_code == 200:
            status: str = answer.json()["quote_status"]
            return status
        assert answer.status_code in {202, 503}, answer.text
        assert time.monotonic() < until, running.stderr


async def test_the_demo_starts_its_database_again(program: Program) -> None:
    with start(program, "demo") as demo:
        demo.wait_until_ready()
        postgres = OwnPostgres(program.data)
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {demo.token}"}, timeout=60) as http:
            first = await submit(demo, http)
            before = postgres.pid

            os.kill(before, signal.SIGKILL)
            await asyncio.to_thread(wait_until_gone, before)
            second = await submit(demo, http)
            statuses = [await published(demo, http, receipt) for receipt in (first, second)]
            after = postgres.pid
        code = await asyncio.to_thread(demo.stop, signal.SIGTERM)
    events = [json.loads(line)["event"] for line in (program.data / "bindery.log").read_text().splitlines()]

    assert after != before
    assert statuses == ["published", "published"]
    assert events.count("database_unavailable") == events.count("database_back") == 1
    assert "embedded_database_restarted" in events
    assert code == 0


async def test_a_server_starts_a_database_again_that_was_stopped(program: Program) -> None:
    program.run("migrate").good()
    program.run("partner", "add", "Northwind").good()
    program.run("broker", "add", "broker@example.com", "--partner", "Northwind").good()
    token = program.run("token", "issue", "--partner", "Northwind").good().strip()
    with start(program, "serve") as server:
        server.wait_until_ready()
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
            program.run("database", "stop").good()
            receipt = await submit(server, http)
        code = await asyncio.to_thread(server.stop, signal.SIGTERM)

    assert receipt["quotes"]
    assert code == 0


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + BACK_WITHIN_S
    while time.monotonic() < until:
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return
        except OSError:
            return
        time.sleep(0.01)
