"""A service in the test's own process: real database, real queue, HTTP without a socket."""

import asyncio
import contextlib
import copy
import os
import random
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import httpx

from bindery.actions.access.issue_token import issue_token
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.domain.documents.application_matching import PaperReading
from bindery.domain.quote.quote import JournalEntry
from bindery.outside.passwords import Passwords
from bindery.outside.upload_reader.reader import UploadReader
from bindery.runtime import Runtime, running
from bindery.server.app import create_app
from bindery.settings import Environment, Settings
from bindery.storage.access import partners
from bindery.storage.access.partners import Partner
from bindery.storage.quote import journal
from bindery.worker.worker import run_worker
from support.waiting import eventually

SECRET = "a-secret-of-the-tests-0123456789-abcdefghij"
BROKER = "broker@example.com"


@dataclass
class Service:
    """A running service, and a partner who talks to it."""

    runtime: Runtime
    http: httpx.AsyncClient
    partner: Partner
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def post(self, path: str, json: Any = None, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(path, json=json, headers={**self.headers, **named})

    async def get(self, path: str, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.get(path, headers={**self.headers, **named})

    async def submit(self, body: Any = None) -> dict[str, Any]:
        """Send a quote request that is expected to be accepted."""
        answer = await self.post("/v2/quotes", body if body is not None else request_body())
        assert answer.status_code == 200, answer.text
        receipt: dict[str, Any] = answer.json()
        return receipt

    async def ready(self, identifier: str) -> dict[str, Any]:
        """Wait for a quote and give it."""

        async def look() -> httpx.Response:
            return await self.get(f"/v2/quotes/{identifier}", Prefer="wait=20")

        answer = await eventually(look, lambda seen: seen.status_code != 202)
        assert answer.status_code == 200, answer.text
        quote: dict[str, Any] = answer.json()
        return quote

    async def quote(self, body: Any = None) -> dict[str, Any]:
        """Submit, and wait for the first option."""
        receipt = await self.submit(body)
        return await self.ready(receipt["quotes"][0]["quote_identifier"])

    async def journal(self, identifier: str) -> list[JournalEntry]:
        async with self.runtime.database.reading() as tx:
            return await journal.of_quote(tx, uuid.UUID(identifier))

    async def count(self, table: str) -> int:
        counted: int = await self.runtime.database.pool.fetchval(f"select count(*) from {table}")
        return counted

    async def waiting_for_locks(self) -> int:
        """Return how many statements wait for what another transaction holds."""
        waiting: int = await self.runtime.database.pool.fetchval(
            "select count(*) from pg_stat_activity where datname = current_database() "
            "and wait_event_type = 'Lock'"
        )
        return waiting

    async def new_partner(self, name: str, *brokers: str) -> "Service":
        """Another partner of the same service."""
        return await open_as(self.runtime, self.http, name, *(brokers or (BROKER,)))


class RememberingReader(UploadReader):
    """Reads files that are too small to have a page on them once: a child takes a fifth of a second.

    Stories upload one picture of a pixel for every signed application; it is matched with none.
    """

    _readings: ClassVar[dict[tuple[str, bytes, bool], PaperReading]] = {}

    async def read(self, file: BinaryIO, content_type: str, issued: BinaryIO | None = None) -> PaperReading:
        # Without moving the place from which a child will read.
        if len(content := os.pread(file.fileno(), SMALL + 1, 0)) > SMALL:
            return await super().read(file, content_type, issued)
        known = (content_type, content, issued is not None)
        if known not in self._readings:
            self._readings[known] = await super().read(file, content_type, issued)
        return self._readings[known]


SMALL = 100
LIMITS = ("reads_per_minute", "submissions_per_minute", "writes_per_minute", "uploads_per_minute")
NO_LIMITS = {f"BINDERY_{name.upper()}": "1000000" for name in LIMITS} | {"BINDERY_DRAIN_SECONDS": "0"}
"""For processes: tests and benchmarks send more in a minute than a partner does, and no balancer is there."""


async def open_as(runtime: Runtime, http: httpx.AsyncClient, name: str, *brokers: str) -> Service:
    async with runtime.database.transaction() as tx:
        partner = await partners.add_partner(tx, name)
        for broker in brokers:
            await partners.add_broker(tx, partner, broker)
    return Service(
        runtime,
        http,
        partner,
        await issue_token(
            runtime.database, runtime.clock, runtime.settings, runtime.secret, partner, days=30
        ),
    )


@contextlib.asynccontextmanager
async def serving(dsn: str, data_dir: Path, **settings: Any) -> AsyncIterator[Service]:
    """Open a service on a migrated database; without `hashes_quickly` passwords cost what users' do.

    It is opened as a new partner, or as the one that is given with its token.
    """
    hashes_quickly = settings.pop("hashes_quickly", True)
    known: tuple[Partner, str] | None = settings.pop("partner", None)
    chosen: dict[str, Any] = {
        "environment": Environment.DEMO,
        "secret_key": SECRET,
        "data_dir": data_dir,
        "database_url": dsn,
        "pool_size": 6,
        # A press takes longer to start than most tests; those of processes have real ones.
        "presses": 0,
        # Tests send more in a minute than a partner does; those of the limits set their own.
        **dict.fromkeys(LIMITS, 1_000_000),
        **settings,
    }
    async with running(Settings(**chosen), dsn) as opened:
        # Nobody is kept from guessing these passwords; to hash one as users' are takes a tenth of a second.
        quick = Passwords(memory_kib=8, passes=1)
        runtime = replace(
            opened,
            passwords=quick if hashes_quickly else opened.passwords,
            upload_reader=RememberingReader(),
        )
        transport = httpx.ASGITransport(create_app(runtime), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://service", timeout=60) as http:
            if known is None:
                yield await open_as(runtime, http, f"partner-{random.randrange(10**9)}", BROKER)
            else:
                yield Service(runtime, http, *known)


@contextlib.asynccontextmanager
async def working(service: Service, concurrency: int = 20) -> AsyncIterator[None]:
    """Run the real worker next to the test."""
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(service.runtime, concurrency=concurrency, stop=stop))
    try:
        yield
    finally:
        stop.set()
        await worker


def request_body(change: Callable[[dict[str, Any]], object] | None = None) -> dict[str, Any]:
    """Return a good CYB request, changed by the test."""
    body = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
    if change is not None:
        change(body)
    return body
