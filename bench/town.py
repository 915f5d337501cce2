"""A database with partners, webhooks and events for the benchmarks of deliveries."""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.intake import free_port
from bindery.actions.advance_quote import advance_quote
from bindery.actions.issue_token import issue_token
from bindery.base.memory import keep_for_good
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from bindery.runtime import Runtime, running
from bindery.server.app import create_app
from bindery.settings import Environment, Settings
from bindery.storage import partners, quotes
from bindery.storage.migrate import migrate
from support.service import NO_LIMITS
from support.telling import TO_PUBLISHED, example_of

SECRET = "bench-secret-0123456789-abcdefghijklmnop"


@dataclass
class Town:
    """A service, and one partner's way in."""

    runtime: Runtime
    http: httpx.AsyncClient
    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """Return the settings of a process next to this one."""
        return {
            **os.environ,
            "BINDERY_DATABASE_URL": self.runtime.dsn,
            "BINDERY_SECRET_KEY": SECRET,
            "BINDERY_DATA_DIR": str(self.folder),
            "BINDERY_ENVIRONMENT": "demo",
            "BINDERY_LOG_LEVEL": "error",
            **NO_LIMITS,
        }

    async def register(self, endpoints: Sequence[str]) -> None:
        for endpoint in endpoints:
            answer = await self.http.post(
                "/v2/webhooks", json={"endpoint": endpoint, "quote_level": True, "policy_level": True}
            )
            answer.raise_for_status()

    async def quotes(self, count: int) -> list[uuid.UUID]:
        made: list[uuid.UUID] = []
        options = [{"aggregate_limit": 1_000_000}] * 15
        body = {**CREATE_QUOTES_EXAMPLE, "policy": {"insurance_product": "CYB", "quotes": options}}
        while len(made) < count:
            receipt = (await self.http.post("/v2/quotes", json=body)).raise_for_status().json()
            made += [uuid.UUID(quote["quote_identifier"]) for quote in receipt["quotes"]]
        # Nobody works on these submissions: they are walked along by hand.
        await self.runtime.database.pool.execute("delete from pgq.pgqueuer")
        return made[:count]

    async def tell(self, quote_id: uuid.UUID, events: int) -> None:
        """Record that many events of a new quote, each in its own transaction."""
        for number in range(events):
            async with self.runtime.database.transaction() as tx:
                quote = await quotes.lock(tx, quote_id)
                assert quote is not None
                for trigger in TO_PUBLISHED if number == 0 else (Trigger.CHANGE_CONTINGENCIES,):
                    said = example_of(find_move(quote.status, trigger))
                    quote = await advance_quote(tx, quote, trigger, actor="bench", said=said)

    async def finished(self) -> int:
        count: int = await self.runtime.database.pool.fetchval("select count(*) from finished_deliveries")
        return count

    async def is_busy(self) -> bool:
        """Whether anything is still to be delivered; cheap enough to be asked while that is measured."""
        found: bool = await self.runtime.database.pool.fetchval("select exists (select from deliveries)")
        return found

    async def pending(self) -> int:
        count: int = await self.runtime.database.pool.fetchval("select count(*) from deliveries")
        return count


@contextlib.asynccontextmanager
async def town() -> AsyncIterator[Town]:
    """Start a database that keeps its promises (fsync on) and open a service on it."""
    configure_logs("error")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
        try:
            await migrate(dsn)
            settings = Settings(
                environment=Environment.DEMO,
                secret_key=SECRET,
                data_dir=folder,
                database_url=dsn,
                reads_per_minute=1_000_000,
                submissions_per_minute=1_000_000,
                writes_per_minute=1_000_000,
                uploads_per_minute=1_000_000,
            )
            async with running(settings, dsn) as runtime:
                async with runtime.database.transaction() as tx:
                    partner = await partners.add_partner(tx, "bench")
                    await partners.add_broker(tx, partner, "broker@example.com")
                token = await issue_token(runtime, partner, days=1)
                transport = httpx.ASGITransport(create_app(runtime))
                headers = {"Authorization": f"Bearer {token}"}
                async with httpx.AsyncClient(
                    transport=transport, base_url="http://bench", headers=headers, timeout=60
                ) as http:
                    keep_for_good()
                    yield Town(runtime, http, folder)
        finally:
            embedded_postgres.stop(folder)


@contextlib.contextmanager
def receiver() -> Iterator[str]:
    """Run the receiver as a process of its own and give its address."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.receiver", str(port)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
