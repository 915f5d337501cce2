"""What each probe costs on portfolios of two sizes, and how the two compare."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from rich.table import Table

from bench.growth.explained import Plan, explaining
from bench.growth.probes import PROBES, draw_subjects
from bench.growth.tables import TABLES
from support.service import Service

RUNS: Final = 11
COUNTED: Final = 5
"""Of the runs of a probe the last ones count: plans have been chosen by then."""
GOAL: Final = 1.3
SMALL: Final = "deliveries, unplaced_events, pgq.pgqueuer"
"""Tables of what is to do: small, and written all the time."""


@dataclass(frozen=True)
class Cost:
    statements: int
    buffers: float
    ms: float
    plans: Sequence[Plan]


async def measure_probes(
    service: Service,
    tell: Callable[[str], None] = lambda _name: None,
    *,
    names: Iterable[str] = tuple(PROBES),
    runs: int = RUNS,
    beforehand: str = "",
) -> dict[str, Cost]:
    """Do what each probe does a few times, each time for somebody else, and return what it costs."""
    costs = {}
    async with explaining(service, beforehand=beforehand) as scene:
        subjects = await draw_subjects(scene)
        for name in names:
            tell(name)
            # What probes before have left, which the service vacuums many times a day.
            await service.runtime.database.pool.execute(f"vacuum {SMALL}")
            ask = PROBES[name]
            tried: list[list[Plan]] = []
            for _ in range(runs):
                async with scene.act() as plans:
                    await ask(scene, subjects)
                tried.append(plans)
            counted = tried[-COUNTED:]
            costs[name] = Cost(
                statements=len(counted[-1]),
                buffers=median([float(sum(plan.buffers for plan in plans)) for plans in counted]),
                ms=median([sum(plan.ms for plan in plans) for plans in counted]),
                plans=counted[-1],
            )
    return costs


def table_of(small: dict[str, Cost], large: dict[str, Cost], sizes: tuple[int, int]) -> Table:
    """Show both sizes side by side; what grew by more than the goal allows is marked."""
    few, many = (f"{size:,}" for size in sizes)
    table = Table(
        title=f"Pages and milliseconds at {few} and at {many} quotes",
        title_justify="left",
        title_style="",
        box=None,
        padding=(0, 1, 0, 0),
        highlight=False,
    )
    table.add_column("", no_wrap=True, overflow="ellipsis", max_width=39)
    for heading in ("SQL", "pages", "pages", "ratio", "ms", "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, cost in small.items():
        grown = large[name]
        pages = _ratio(cost.buffers, grown.buffers)
        table.add_row(
            name,
            str(grown.statements),
            f"{cost.buffers:,.0f}",
            f"{grown.buffers:,.0f}",
            f"{pages:.2f}",
            _ms(cost.ms),
            _ms(grown.ms),
            style="bold yellow" if pages > GOAL else "",
        )
    return table


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


BIG: Final = frozenset({"journal", *TABLES})
"""The tables that grow with the portfolio."""


def scans_of(costs: dict[str, Cost]) -> dict[str, frozenset[str]]:
    scans = {
        name: frozenset[str]().union(*(plan.scanned for plan in cost.plans)) & BIG
        for name, cost in costs.items()
    }
    return {name: tables for name, tables in scans.items() if tables}


def _ratio(small: float, large: float) -> float:
    return large / small if small else float(large > 0)
