"""What a preview of a policy's change costs: over the API, on the broker's page, and working it out alone.

The page keeps nothing. What the API keeps is taken back each time, which is not counted.
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

TIMES = 200
GOAL_MS = 10.0
WIDE = binder_file(inception="2020-01-01", expiry="2099-01-01", premium_limit=10**12)
LIMITS = (250_000, 500_000, 2_000_000, 3_000_000)


@dataclass
class Cost:
    statements: int = 0
    processor_ms: list[float] = field(default_factory=list)


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

    async def cost(self, preview: Callable[[int], Awaitable[Callable[[], Awaitable[None]]]]) -> Cost:
        cost = Cost()
        limits = cycle(LIMITS)
        await (await preview(next(limits)))()
        async with statements_of(self.service) as sent:
            take_back = await preview(next(limits))
            cost.statements = len(sent)
        await take_back()
        for _ in range(TIMES):
            before = self.app.spent
            take_back = await preview(next(limits))
            cost.processor_ms.append((self.app.spent - before) * 1000)
            await take_back()
        return cost

    async def worked_out(self) -> Cost:
        """Work the price out of what was read already."""
        runtime = self.service.runtime
        async with runtime.database.reading() as tx:
            quote = await quotes.get(tx, uuid.UUID(self.quote))
            now = await policy_now(tx, quote, await policies.get(tx, quote.quote_id))
            today = tx.today
        cost = Cost()
        for limit, _ in zip(cycle(LIMITS), range(TIMES), strict=False):
            ask = msgspec.convert(self.ask(limit), PolicyChangeAsk)
            began = time.process_time()
            price_with(now, runtime.rules, quote, ask, today=today)
            cost.processor_ms.append((time.process_time() - began) * 1000)
        return cost


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
        return {
            "POST /policies/{identifier}/changes": await previews.cost(previews.over_the_api),
            "«Show the price» on the page": await previews.cost(previews.on_the_page),
            "working it out alone": await previews.worked_out(),
        }


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
            f"{median(cost.processor_ms):.1f}",
            f"{quantiles(cost.processor_ms, n=10)[-1]:.1f}",
            f"{GOAL_MS:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
