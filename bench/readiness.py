"""From submitted to published: a clean submission of five options on an otherwise idle machine."""

import asyncio
import tempfile
import time
from pathlib import Path

import httpx
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.burst import running
from bench.intake import five_options, free_port, wait_until_up
from bindery.outside import embedded_postgres
from support.service import NO_LIMITS

SUBMISSIONS = 40
GOAL_S = 0.1


async def measure(submissions: int = SUBMISSIONS) -> list[float]:
    with tempfile.TemporaryDirectory() as name:
        port = free_port()
        environment = {"BINDERY_ENVIRONMENT": "demo", "BINDERY_DATA_DIR": name, **NO_LIMITS}
        try:
            with running(["demo", "--port", str(port)], environment):
                await wait_until_up(port)
                token = await asyncio.to_thread((Path(name) / "demo_token").read_text)
                return await _times(f"http://127.0.0.1:{port}", token, submissions)
        finally:
            embedded_postgres.stop(Path(name))


async def _times(address: str, token: str, submissions: int) -> list[float]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=address, timeout=60, headers=headers) as http:
        await _one(http)
        rounds = track(range(submissions), description="Submissions", transient=True)
        return [await _one(http) for _ in rounds]


async def _one(http: httpx.AsyncClient) -> float:
    started = time.perf_counter()
    receipt = (await http.post("/v2/quotes", json=five_options())).json()
    for quote in receipt["quotes"]:
        answer = await http.get(f"/v2/quotes/{quote['quote_identifier']}", headers={"Prefer": "wait=30"})
        assert answer.json()["quote_status"] == "published", answer.text
    return time.perf_counter() - started


def main() -> None:
    times = sorted(asyncio.run(measure()))
    table = Table("five options, submitted to published", "p50 ms", "p90 ms", "goal", box=None)
    table.add_row(
        f"{len(times)} submissions, one after the other",
        f"{times[len(times) // 2] * 1000:.0f}",
        f"{times[int(len(times) * 0.9)] * 1000:.0f}",
        f"p90 under {GOAL_S * 1000:,.0f}",
    )
    Console().print(table)
