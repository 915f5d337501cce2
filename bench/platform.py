"""The platform: what its pages cost, and whether a queue of a hundred times as many cases costs more."""  # noqa: A005 - named as it is asked for

import asyncio
import tempfile
from pathlib import Path
from typing import Final

import uvloop
from rich.console import Console
from rich.table import Table

from bench.platform_pages import PageCost, cost_of, office, open_cases
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from bindery.storage.migrate import migrate
from bindery.web.frame.static_files import bytes_sent
from support.postgres import create_database

FEW: Final = 1_000
MANY: Final = 100_000
TIMES: Final = 100
MOST_GROWTH: Final = 1.3
STATEMENTS: Final = {
    "queue": 3,
    "case": 8,
    "preview": 2,
    "company": 6,
    "today": 7,
    "questions": 4,
    "save": 8,
    "options": 4,
}
CPU_MS: Final = {
    "queue": 4,
    "case": 8,
    "preview": 2,
    "sign-in": 60,
    "dashboard": 30,
    "questions": 8,
    "save": 3,
}
KILOBYTE: Final = 1024


async def measure(folder: Path) -> tuple[dict[str, PageCost], dict[str, PageCost]]:
    configure_logs("error")
    server = (await asyncio.to_thread(embedded_postgres.ensure_running, folder, durable=False)).dsn
    try:
        dsn = await create_database(server, "platform")
        await migrate(dsn)
        found = []
        async with office(dsn, folder) as place:
            for more in (FEW, MANY - FEW):
                await open_cases(dsn, more)
                found.append(
                    {
                        name: await cost_of(place, visit, dsn=dsn, times=TIMES)
                        for name, visit in place.visits.items()
                    }
                )
    finally:
        embedded_postgres.stop(folder)
    return found[0], found[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        few, many = uvloop.run(measure(Path(name)))
    table = Table(
        *("page", "SQL", f"{FEW:,}", f"{MANY:,}", "ratio", "DB ms", "ratio", "CPU ms", "goal", "KB"),
        box=None,
    )
    for page, small in few.items():
        large = many[page]
        table.add_row(
            page,
            f"{large.statements} of {STATEMENTS[page]}" if page in STATEMENTS else str(large.statements),
            f"{small.buffers:,}",
            f"{large.buffers:,}",
            f"{large.buffers / max(small.buffers, 1):.2f}",
            f"{large.database_ms:.1f}",
            f"{large.database_ms / max(small.database_ms, 0.01):.2f}",
            f"{large.cpu_ms:.1f}",
            f"{CPU_MS[page]}" if page in CPU_MS else "",
            f"{large.html_bytes / KILOBYTE:.1f}",
        )
    console = Console()
    console.print(table)
    console.print(
        f"SQL: statements, and how many there may be. {FEW:,} and {MANY:,} are open cases, below them the "
        "8 KB pages that the database looks at.\n"
        "CPU: processor time in the service.\n"
        f"Goal: the queue at {MANY:,} open cases no more than {MOST_GROWTH} times {FEW:,}. "
        f"CSS {bytes_sent('app.css') / KILOBYTE:.1f} KB of 30, "
        f"JavaScript {bytes_sent('.js') / KILOBYTE:.1f} KB of 12.",
        highlight=False,
    )
