"""What binders and the ledger cost: binds and submissions with them next to without, alternating in one run.

A bind with them takes its premium from a binder's limit and books it; without them these statements are left
out. A submission with them is screened by the binder in force; without them no binder is on file. And two
hundred bind at once for the last dollars of a limit.
"""

import asyncio
import contextlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from bench.intake import prepare
from bench.tracing import Measured, Site, compared, measure_requests, measure_work
from bindery.actions.policy import bind_quote
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from bindery.settings import Environment
from bindery.storage.migrate import migrate
from bindery.storage.policy import ledger
from support.binding import ask_to_bind, one_quoted, upload_signed
from support.book import binder_file, import_file
from support.last_dollars import Race, race, without_deadlocks
from support.postgres import create_database
from support.service import Service, serving
from support.statements import statements_of

PAIRS = 60
AT_ONCE = 200
GOAL_BIND, GOAL_STATEMENTS, GOAL_SUBMISSION = 1.05, 2, 0.97
ALWAYS = {"inception": "2020-01-01", "expiry": "2099-01-01"}
WIDE = binder_file(**ALWAYS, premium_limit=10**12)
"""A binder that covers all that is asked here."""

Bound = defaultdict[str, list[tuple[float, float, int]]]
"""By whether ledger and capacity are on: seconds, seconds of processor time and statements of each bind."""


async def _nothing(*_args: object) -> None:
    return None


@contextlib.contextmanager
def without_capacity() -> Iterator[None]:
    with (
        patch.object(bind_quote, "take_capacity", _nothing),
        patch.object(ledger, "book", _nothing),
    ):
        yield


async def measure_binds(dsn: str, folder: Path) -> Bound:
    bound: Bound = defaultdict(list)
    await migrate(dsn)
    async with serving(dsn, folder, pool_size=1) as service:
        assert await import_file(service, WIDE) == []
        for number in range(PAIRS):
            for label in ("on", "off") if number % 2 else ("off", "on"):
                quote = await _quote(service)
                with without_capacity() if label == "off" else contextlib.nullcontext():
                    bound[label].append(await _bind(service, quote))
    return bound


async def _quote(service: Service) -> dict[str, Any]:
    quote = await one_quoted(service)
    await upload_signed(service, quote)
    return quote


async def _bind(service: Service, quote: dict[str, Any]) -> tuple[float, float, int]:
    async with statements_of(service) as sent:
        began, spent = time.perf_counter(), time.process_time()
        answer = await ask_to_bind(service, quote, app_attestation=True)
        took = time.perf_counter() - began, time.process_time() - spent
    assert answer.status_code == 200, answer.text
    return *took, len(sent)


async def measure_submissions(server: str, folder: Path) -> Measured:
    measured: Measured = defaultdict(list)
    sites = {}
    for label in ("off", "on"):
        dsn = await create_database(server, f"submissions_{label}")
        token, environment = await prepare(dsn, folder / label, Environment.DEMO)
        sites[label] = Site(dsn, token, environment)
        if label == "on":
            async with serving(dsn, folder / label, pool_size=1) as service:
                assert await import_file(service, WIDE) == []
    await measure_work(sites, measured)
    await measure_requests(sites, measured)
    return measured


async def measure_last_dollars(server: str, folder: Path) -> Race:
    dsn = await create_database(server, "last_dollars")
    await migrate(dsn)
    async with without_deadlocks(dsn), serving(dsn, folder, pool_size=10) as service:
        return await race(service, AT_ONCE, **ALWAYS)


def main() -> None:
    # Who waits longer than ten seconds for a connection is told to come again.
    configure_logs("CRITICAL")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = embedded_postgres.ensure_running(folder).dsn
        try:
            bound = asyncio.run(_binds(server, folder))
            came = asyncio.run(measure_last_dollars(server, folder / "last_dollars"))
            measured = asyncio.run(measure_submissions(server, folder))
        finally:
            embedded_postgres.stop(folder)
    table = Table("a bind", "without", "with", "of without", "goal", box=None)
    without, with_them = (list(zip(*bound[label], strict=True)) for label in ("off", "on"))
    for place, name in enumerate(("seconds", "seconds of processor time")):
        ratio = median(on / off for off, on in zip(without[place], with_them[place], strict=True))
        off, on = median(without[place]) * 1000, median(with_them[place]) * 1000
        table.add_row(
            name.replace("seconds", "milliseconds", 1),
            f"{off:.1f}",
            f"{on:.1f}",
            f"{ratio:.3f}",
            f"{GOAL_BIND}",
        )
    off, on = median(without[2]), median(with_them[2])
    table.add_row("statements", f"{off:.0f}", f"{on:.0f}", f"{on - off:+.0f}", f"+{GOAL_STATEMENTS}")
    Console().print(table)
    bound_now, waiting = came.outcomes["policy_active"], came.outcomes["quote_bind_requested"]
    Console().print(
        f"Of {AT_ONCE} at once for the last dollars {bound_now} are bound, where {came.fits} fit, and "
        f"{waiting} wait for an underwriter, after {came.seconds:.1f} s and without a deadlock.",
        highlight=False,
    )
    assert bound_now == came.fits, "exactly those that fit"
    Console().print(compared(measured, goal=GOAL_SUBMISSION))


async def _binds(server: str, folder: Path) -> Bound:
    return await measure_binds(await create_database(server, "binds"), folder / "binds")


if __name__ == "__main__":
    main()
