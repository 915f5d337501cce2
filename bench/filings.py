"""All surplus lines filings of a year: what is due, and a report for each state, of a million transactions.

They are spread over all states and the days of a year, with the charges of each state.
"""

import asyncio
import csv
import subprocess
from decimal import Decimal
from pathlib import Path

import asyncpg
from rich.console import Console
from rich.table import Table

from bench.ledger import ledger
from bindery.domain.rating.surcharges import charge_rules
from support.book import busy

TRANSACTIONS = 1_000_000
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


async def _spread(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Set a state and a day on each transaction."""
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


async def _total(dsn: str) -> Decimal:
    connection = await asyncpg.connect(dsn)
    try:
        total: Decimal = await connection.fetchval(
            "select sum(premium) + sum(charges) from premium_transactions"
        )
        return total
    finally:
        await connection.close()


def _sum_of(folder: Path) -> Decimal:
    last = Decimal(0)
    for file in folder.iterdir():
        with file.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.reader(lines):
                cell = row[-1]
            last += Decimal(cell)
    return last


def main() -> None:
    with ledger(busy, TRANSACTIONS, _spread) as made:
        due = made.run("filing", "due", stdout=subprocess.DEVNULL)
        reports = made.folder / "reports"
        report = made.run(
            "filing", "report", "--period", str(YEAR), "--out", str(reports), stdout=subprocess.DEVNULL
        )
        states, reported = len(list(reports.iterdir())), _sum_of(reports)
        booked = asyncio.run(_total(made.environment["BINDERY_DATABASE_URL"]))
    table = Table("filings of a year", "Measured", "Goal")
    table.add_row("transactions", f"{made.transactions:,}", "")
    table.add_row("filing due, seconds", f"{due.seconds:.1f}", "")
    table.add_row(f"filing report, {states} states, seconds", f"{report.seconds:.1f}", "")
    table.add_row("together, seconds", f"{due.seconds + report.seconds:.1f}", f"{GOAL_S:.0f}")
    table.add_row("seconds of processor time", f"{due.processor_s + report.processor_s:.1f}", "")
    table.add_row("memory, MB", f"{max(due.megabytes, report.megabytes):.0f}", f"{GOAL_MB}")
    table.add_row("reports less ledger", f"{reported - booked}", "0.00")
    Console().print(table)


if __name__ == "__main__":
    main()
