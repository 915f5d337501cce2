"""`bindery book verify` over a ledger of a million transactions, of everything that moves premium."""

from rich.console import Console
from rich.table import Table

from bench.ledger import ledger
from support.book import busy

TRANSACTIONS = 1_000_000
GOAL_S, GOAL_MB = 60.0, 300.0


def main() -> None:
    with ledger(busy, TRANSACTIONS) as made:
        taken = made.run("book", "verify")
    table = Table("bindery book verify", "Measured", "Goal")
    table.add_row("transactions", f"{made.transactions:,}", "")
    table.add_row("seconds", f"{taken.seconds:.1f}", f"{GOAL_S:.0f}")
    table.add_row("seconds of processor time", f"{taken.processor_s:.1f}", "")
    table.add_row("memory, MB", f"{taken.megabytes:.0f}", f"{GOAL_MB:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
