"""`bindery bordereau make` of a month with a hundred thousand transactions, in all three formats."""

from rich.console import Console
from rich.table import Table

from bench.ledger import ledger
from support.book import issued
from support.service import Service

ROWS = 100_000
GOAL_S, GOAL_MB = 10.0, 300.0
STATES = ("CA", "PA", "ID", "OR")


async def _a_month(service: Service) -> None:
    for state in STATES:
        await issued(service, state)
    await service.post("/v2/demo/clock", {"advance_days": 40})


def main() -> None:
    with ledger(_a_month, ROWS) as made:
        out = made.folder / "out"
        # The program that made the policies moved its clock, so that the month before is over.
        taken = made.run(
            "bordereau", "make", "--binder", "SAMPLE-2027", "--month", made.first_month, "--out", str(out),
            "--because", "A measurement.",
        )  # fmt: skip
        sizes = {path.suffix: path.stat().st_size / 1e6 for path in out.iterdir()}
    table = Table("bindery bordereau make", "Measured", "Goal")
    table.add_row("rows", f"{made.transactions:,}", "")
    table.add_row("seconds", f"{taken.seconds:.1f}", f"{GOAL_S:.0f}")
    table.add_row("seconds of processor time", f"{taken.processor_s:.1f}", "")
    table.add_row("memory, MB", f"{taken.megabytes:.0f}", f"{GOAL_MB:.0f}")
    for suffix in (".csv", ".xlsx", ".parquet"):
        table.add_row(f"{suffix}, MB", f"{sizes[suffix]:.1f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()
