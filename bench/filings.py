"""All surplus lines filings of a year: what is due, and a report for each state, of a million transactions.

The ledger of `bench book` is spread over all states and the days of a year, with the charges of each state.
"""

import asyncio
import csv
import os
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import asyncpg
from rich.console import Console
from rich.table import Table

from bench.book import fill
from bindery.domain.rating.surcharges import charge_rules
from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop
from support.postgres import create_database

GOAL_S = 20.0
GOAL_MB = 300
YEAR = 2026

SPREAD = """
with spread as (
    select t.transaction_id, s.state, date '2026-01-01' + (t.transaction_id % 365)::integer as booked_on,
           (select json_agg(json_build_object(
                       'title', r.title, 'percentage', r.percentage::text,
                       'price', (round(t.premium * r.percentage / 100, 2) + sign(t.premium) * r.flat)::text))
            from charge_rules r where r.state = s.state) as lines
    from premium_transactions t join states s on s.place = t.transaction_id % 51
)
update premium_transactions t
set state = s.state, booked_on = s.booked_on, charge_lines = s.lines::text,
    charges = (select sum((line ->> 'price')::numeric) from json_array_elements(s.lines) line)
from spread s where s.transaction_id = t.transaction_id
"""


async def _spread(dsn: str) -> tuple[Decimal, Decimal]:
    """Give every transaction a state and a day; return premium and charges of all."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute("set session_replication_role = replica")
        await connection.execute("create temporary table states (place bigint, state text)")
        await connection.executemany("insert into states values ($1, $2)", list(enumerate(charge_rules())))
        await connection.execute(
            "create temporary table charge_rules (state text, title text, percentage numeric, flat numeric)"
        )
        in_force = {
            (state, rule.title): (state, rule.title, rule.percentage, rule.flat)
            for state, rules in charge_rules().items()
            for rule in rules
        }
        await connection.executemany("insert into charge_rules values ($1, $2, $3, $4)", in_force.values())
        await connection.execute("analyze states, charge_rules")
        await connection.execute(SPREAD)
        await connection.execute("vacuum analyze premium_transactions")
        row = await connection.fetchrow("select sum(premium), sum(charges) from premium_transactions")
        assert row is not None
        return row[0], row[1]
    finally:
        await connection.close()


def _measure(environment: dict[str, str], *arguments: str) -> tuple[float, float]:
    """Run a command; return its seconds and its megabytes."""
    began = time.perf_counter()
    program = str(Path(sys.executable).with_name("bindery"))
    with subprocess.Popen([program, *arguments], env=environment, stdout=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, arguments
    return time.perf_counter() - began, used.ru_maxrss / 1024


def _sum_of(folder: Path) -> Decimal:
    last = Decimal(0)
    for file in folder.iterdir():
        with file.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.reader(lines):
                cell = row[-1]
            last += Decimal(cell)
    return last


def main() -> None:
    configure_logs("WARNING")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ensure_running(folder / "postgres", durable=False)
        try:
            dsn = asyncio.run(create_database(server.dsn, "filings"))
            count = asyncio.run(fill(dsn, folder))
            premium, charges = asyncio.run(_spread(dsn))
            environment = {**os.environ, "BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": name}
            due_s, due_mb = _measure(environment, "filing", "due")
            reports = folder / "reports"
            report_s, report_mb = _measure(
                environment, "filing", "report", "--period", str(YEAR), "--out", str(reports)
            )
            states, total = len(list(reports.iterdir())), _sum_of(reports)
        finally:
            stop(folder / "postgres")
    table = Table("filings of a year", "Measured", "Goal")
    table.add_row("transactions", f"{count:,}", "")
    table.add_row("filing due, seconds", f"{due_s:.1f}", "")
    table.add_row(f"filing report, {states} states, seconds", f"{report_s:.1f}", "")
    table.add_row("together, seconds", f"{due_s + report_s:.1f}", f"{GOAL_S:.0f}")
    table.add_row("memory, MB", f"{max(due_mb, report_mb):.0f}", f"{GOAL_MB}")
    table.add_row("reports less ledger", f"{total - premium - charges}", "0.00")
    Console().print(table)


if __name__ == "__main__":
    main()
