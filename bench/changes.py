"""What a preview of a policy's change costs: over the API, on the broker's page, and working it out alone.

The page keeps nothing. What the API keeps is taken back each time, which is not counted. Shown is the calmest
of some rounds, by turns: on a busy machine processor time is longer too.
"""

import asyncio
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from bench.platform_pages import TimedApp, timed_app
from bindery.actions.policy.price_of_change import policy_now, price_with
from bindery.contract.changes import PolicyChangeAsk
from bindery.domain.access.users import Role
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from bindery.storage.migrate import migrate
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from support.book import binder_file, import_file, issued
from support.people import Person, fields_of, sign_in_as
from support.postgres import create_database
from support.press import plain_press
from support.service import Service, serving
from support.statements import statements_of

ROUNDS = 5
TIMES = 60
GOAL_MS = 10.0
API, PAGE, ALONE = (
    "POST /policies/{identifier}/changes",
    "«Show the price» on the page",
    "working it out alone",
)
WIDE = binder_file(inception="2020-01-01", expiry="2099-01-01", premium_limit=10**12)
LIMITS = (250_000, 500_000, 2_000_000, 3_000_000)


Preview = Callable[[int], Awaitable[Callable[[], Awaitable[None]]]]
"""Asks for a price, and returns what takes back what was kept."""


@dataclass
class Cost:
    statements: int
    rounds: list[list[float]] = field(default_factory=list)

    @property
    def calmest(self) -> list[float]:
        return min(self.rounds, key=median)


@dataclass(frozen=True)
class Previews:
    """A policy, and those who ask what a change of it would cost."""

    service: Service
    app: TimedApp
    broker: Person
    policy: dict[str, Any]
    form: dict[str, str]

    @property
    def quote(self) -> str:
        return str(self.policy["quote_identifier"])

    @property
    def page(self) -> str:
        return f"/policy/{self.quote}/change"

    def ask(self, limit: int) -> dict[str, Any]:
        day = self.policy["dates"]["effective"]
        return {"effective": day, "changes": {"aggregate_limit": limit}, "reason": "A measurement."}

    async def over_the_api(self, limit: int) -> Callable[[], Awaitable[None]]:
        answer = await self.service.post(f"/v2/policies/{self.quote}/changes", self.ask(limit))
        assert answer.status_code == 200, answer.text
        change: str = answer.json()["change_id"]

        async def take_back() -> None:
            await self.service.post(f"/v2/policies/{self.quote}/changes/{change}/withdraw")

        return take_back

    async def on_the_page(self, limit: int) -> Callable[[], Awaitable[None]]:
        typed = {"aggregate_limit": str(limit), "reason": "A measurement.", "step": "price"}
        answer = await self.broker.post(self.page, **{**self.form, **typed})
        assert answer.status_code == 200, answer.text
        assert 'value="change"' in answer.text, "the price is shown with the button that sends it"
        return _nothing

    async def statements(self, preview: Preview) -> int:
        await (await preview(LIMITS[0]))()
        async with statements_of(self.service) as sent:
            take_back = await preview(LIMITS[1])
            count = len(sent)
        await take_back()
        return count

    async def round(self, preview: Preview) -> list[float]:
        """Return milliseconds of processor time."""
        spent = []
        for limit, _ in zip(cycle(LIMITS), range(TIMES), strict=False):
            before = self.app.spent
            take_back = await preview(limit)
            spent.append((self.app.spent - before) * 1000)
            await take_back()
        return spent

    async def worked_out(self) -> list[float]:
        """Work the price out of what was read already, and return milliseconds of processor time."""
        runtime = self.service.runtime
        async with runtime.database.reading() as tx:
            quote = await quotes.get(tx, uuid.UUID(self.quote))
            now = await policy_now(tx, quote, await policies.get(tx, quote.quote_id))
            today = tx.today
        spent = []
        for limit, _ in zip(cycle(LIMITS), range(TIMES), strict=False):
            ask = msgspec.convert(self.ask(limit), PolicyChangeAsk)
            began = time.process_time()
            price_with(now, runtime.rules, quote, ask, today=today)
            spent.append((time.process_time() - began) * 1000)
        return spent


async def _nothing() -> None:
    return None


async def measure(dsn: str, folder: Path) -> dict[str, Cost]:
    await migrate(dsn)
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(serving(dsn, folder, pool_size=1))
        assert await import_file(service, WIDE) == []
        with plain_press():
            policy = await issued(service)
        app = timed_app(service)
        broker = await stack.enter_async_context(await sign_in_as(service, Role.BROKER))
        page = f"/policy/{policy['quote_identifier']}/change"
        previews = Previews(service, app, broker, policy, fields_of(await broker.open(page), page))
        costs = {
            API: Cost(await previews.statements(previews.over_the_api)),
            PAGE: Cost(await previews.statements(previews.on_the_page)),
            ALONE: Cost(0),
        }
        for _ in range(ROUNDS):
            costs[API].rounds.append(await previews.round(previews.over_the_api))
            costs[PAGE].rounds.append(await previews.round(previews.on_the_page))
            costs[ALONE].rounds.append(await previews.worked_out())
        return costs


async def _measured(folder: Path) -> dict[str, Cost]:
    server = (await asyncio.to_thread(embedded_postgres.ensure_running, folder, durable=False)).dsn
    try:
        return await measure(await create_database(server, "changes"), folder)
    finally:
        embedded_postgres.stop(folder)


def main() -> None:
    configure_logs("WARNING")
    with tempfile.TemporaryDirectory() as name:
        costs = asyncio.run(_measured(Path(name)))
    table = Table("preview of a change", "statements", "CPU ms", "nine in ten", "goal", box=None)
    for name, cost in costs.items():
        table.add_row(
            name,
            str(cost.statements or ""),
            f"{median(cost.calmest):.1f}",
            f"{quantiles(cost.calmest, n=10)[-1]:.1f}",
            f"{GOAL_MS:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
