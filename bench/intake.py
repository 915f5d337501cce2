"""POST and GET next to the floors and the usual way to write them, alternating in one run."""

import asyncio
import copy
import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.load import Load, fire, http_request
from bindery.actions.access.issue_token import issue_token
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.outside import embedded_postgres
from bindery.runtime import running
from bindery.settings import Environment, Settings
from bindery.storage.access import partners
from bindery.storage.migrate import migrate
from support.service import NO_LIMITS

ROUNDS = 3
SECONDS = 4.0
APPS = {
    "ours": "bindery.server.serve:app_from_environment",
    "floor": "bench.floor:floor",
    "reference": "bench.reference:reference",
}
SECRET = "bench-secret-0123456789-abcdefghijklmnop"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start(app: str, port: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "uvicorn", app, "--factory", "--port", str(port), "--loop", "uvloop", "--http",
        "httptools", "--no-access-log", "--log-level", "error",
    ]  # fmt: skip
    return subprocess.Popen(command, env={**os.environ, **environment}, stderr=None)


def five_options() -> dict[str, Any]:
    body = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
    body["policy"]["quotes"] = [
        {"aggregate_limit": limit, "aggregate_retention": 2_500}
        for limit in (250_000, 500_000, 1_000_000, 2_000_000, 3_000_000)
    ]
    return body


def post_maker(token: str) -> Any:
    """Return what makes requests, each with a company of its own: production checks the broker of record."""
    body = five_options()
    numbers = itertools.count(random.randrange(10**9))

    def make() -> bytes:
        number = next(numbers)
        body["client"]["domains"] = [f"company{number}.com"]
        body["client"]["address"]["street"] = f"{number} Market Street"
        return http_request("POST", "/v2/quotes", token, msgspec.json.encode(body))

    return make


async def prepare(
    dsn: str, folder: Path, environment: Environment = Environment.PRODUCTION
) -> tuple[str, dict[str, str]]:
    settings = Settings(
        environment=environment,
        database_url=dsn,
        secret_key=SECRET,
        base_url="https://bench.example/v2",
        data_dir=folder,
    )
    await migrate(dsn)
    async with running(settings, dsn) as runtime:
        async with runtime.database.transaction() as tx:
            partner = await partners.add_partner(tx, "bench")
            broker = await partners.add_broker(tx, partner, "broker@example.com")
        token = await issue_token(
            runtime.database, runtime.clock, runtime.settings, runtime.secret, partner, days=1
        )
    return token, {
        "BINDERY_ENVIRONMENT": environment,
        "BINDERY_DATABASE_URL": dsn,
        "BINDERY_SECRET_KEY": SECRET,
        "BINDERY_BASE_URL": "https://bench.example/v2",
        "BINDERY_DATA_DIR": str(folder),
        "BINDERY_LOG_LEVEL": "warning",
        **NO_LIMITS,
        "BENCH_DSN": dsn,
        "BENCH_PARTNER": str(partner.partner_id),
        "BENCH_BROKER": str(broker.broker_id),
    }


async def wait_until_up(port: int) -> None:
    async with httpx.AsyncClient() as http:
        for _ in range(1200):
            try:
                await http.get(f"http://127.0.0.1:{port}/livez", timeout=1)
            except httpx.TransportError:
                await asyncio.sleep(0.05)
            else:
                return
    raise TimeoutError(f"Nothing listens on port {port}.")


async def measure(seconds: float = SECONDS, rounds: int = ROUNDS) -> dict[str, dict[str, list[Load]]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = embedded_postgres.ensure_running(folder)
        token, environment = await prepare(server.dsn, folder)
        ports = {label: free_port() for label in APPS}
        processes = [start(app, ports[label], environment) for label, app in APPS.items()]
        results: dict[str, dict[str, list[Load]]] = {"POST": {}, "GET": {}}
        try:
            for port in ports.values():
                await wait_until_up(port)
            make_post = post_maker(token)
            warm = {port: await fire(port, make_post, seconds=1, keep=50) for port in ports.values()}
            ids = [
                receipt["quote_identifier"]
                for load in warm.values()
                for body in load.bodies
                for receipt in msgspec.json.decode(body)["quotes"]
            ]
            gets = itertools.cycle([http_request("GET", f"/v2/quotes/{quote_id}", token) for quote_id in ids])
            for _ in track(range(rounds), description="POST and GET, alternated", transient=True):
                for label, port in ports.items():
                    load = await fire(port, make_post, seconds=seconds)
                    results["POST"].setdefault(label, []).append(load)
                for label, port in ports.items():
                    load = await fire(port, lambda: next(gets), seconds=seconds)
                    results["GET"].setdefault(label, []).append(load)
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
            for process in processes:
                process.wait(timeout=20)
            embedded_postgres.stop(folder)
    return results


def main() -> None:
    started = time.perf_counter()
    results = asyncio.run(measure())
    columns = ("", "requests/s", "p50 ms", "p99 ms", "of floor", "of reference", "failed")
    table = Table(*columns, box=None)
    for kind, by_app in results.items():
        rates = {label: median([load.per_second for load in loads]) for label, loads in by_app.items()}
        for label, loads in by_app.items():
            table.add_row(
                f"{kind} {label}",
                f"{rates[label]:,.0f}",
                f"{median([load.percentile(0.5) for load in loads]) * 1000:.1f}",
                f"{median([load.percentile(0.99) for load in loads]) * 1000:.1f}",
                f"{rates[label] / rates['floor']:.2f}",
                f"{rates[label] / rates['reference']:.2f}",
                str(sum(load.failures for load in loads)),
            )
    Console().print(table)
    Console().print(
        "Goals: POST at least 0.40 of the floor, which checks nothing, and 4.00 of the reference; "
        "GET at least 0.85 of the floor.",
        f"[dim]{time.perf_counter() - started:.0f} s[/]",
        highlight=False,
    )
