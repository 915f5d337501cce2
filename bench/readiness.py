"""From submitted to published: a clean submission of five options on an otherwise idle machine."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.intake import five_options, free_port
from bindery.outside import embedded_postgres
from support.service import NO_LIMITS

SUBMISSIONS = 40
GOAL_S = 0.1


async def measure(submissions: int = SUBMISSIONS) -> list[float]:
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        program = str(Path(sys.executable).with_name("bindery"))
        demo = subprocess.Popen(  # noqa: ASYNC220 - it starts at once, and nothing else runs yet
            [program, "demo", "--data", name, "--port", str(port)],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "BINDERY_ENVIRONMENT": "demo", **NO_LIMITS},
        )
        try:
            return await _times(f"http://127.0.0.1:{port}", folder, submissions)
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait(timeout=30)
            embedded_postgres.stop(folder)


async def _times(address: str, folder: Path, submissions: int) -> list[float]:
    token_file = folder / "demo_token"
    async with httpx.AsyncClient(base_url=address, timeout=60) as http:
        for _ in range(600):
            try:
                if token_file.is_file() and (await http.get("/readyz")).status_code == 200:
                    break
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.05)
        http.headers["Authorization"] = f"Bearer {token_file.read_text()}"
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


if __name__ == "__main__":
    main()
