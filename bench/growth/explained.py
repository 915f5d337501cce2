"""What every statement of an action costs: the real code on a connection that explains what it is sent.

A statement is prepared once and executed many times, as the service does it: after the fifth time PostgreSQL
may choose a plan that fits all parameters, and that plan is the one to look at.
"""

import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

import asyncpg
import httpx

from bindery.memory.backlog import Backlog
from bindery.memory.shown_versions import ShownVersions
from bindery.outside.mail import Postman
from bindery.runtime import Runtime
from bindery.server.app import create_app
from bindery.storage.database import Connection, Database, Reader
from support.service import Service

SERIALIZES_FROM: Final = 170_000
"""From this version on, reading the values stored next to their row is counted too."""


@dataclass(frozen=True)
class Plan:
    query: str
    tree: dict[str, Any]
    ms: float
    serialized_buffers: int = 0

    @property
    def buffers(self) -> int:
        """Return how many pages were looked at, wherever they were.

        What a part that nobody reads from has changed is not in the sum of the whole. The pages that foreign
        keys and triggers look at are nowhere; their time is in that of the statement.
        """
        nodes = list(nodes_of(self.tree))
        read = {node["CTE Name"] for node in nodes if node["Node Type"] == "CTE Scan"}
        unread = [
            node
            for node in nodes
            if node.get("Subplan Name", "").startswith("CTE ")
            and node["Subplan Name"].removeprefix("CTE ") not in read
        ]
        return sum(map(_buffers, [self.tree, *unread])) + self.serialized_buffers

    @property
    def scanned(self) -> frozenset[str]:
        """Return the tables that were read from end to end."""
        return frozenset(
            node["Relation Name"] for node in nodes_of(self.tree) if node["Node Type"] == "Seq Scan"
        )

    @property
    def indexes(self) -> frozenset[str]:
        """Return the indexes that were used."""
        return frozenset(node["Index Name"] for node in nodes_of(self.tree) if "Index Name" in node)


def nodes_of(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for child in tree.get("Plans", ()):
        yield from nodes_of(child)


def _buffers(counted: dict[str, Any]) -> int:
    return int(counted.get("Shared Hit Blocks", 0)) + int(counted.get("Shared Read Blocks", 0))


@dataclass
class Explained:
    connection: Connection
    options: str
    plans: list[Plan] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    async def fetch(self, query: str, *arguments: Any, **more: Any) -> Any:
        await self._explain(query, arguments)
        return await self.connection.fetch(query, *arguments, **more)

    async def fetchrow(self, query: str, *arguments: Any) -> Any:
        await self._explain(query, arguments)
        return await self.connection.fetchrow(query, *arguments)

    async def fetchval(self, query: str, *arguments: Any) -> Any:
        await self._explain(query, arguments)
        return await self.connection.fetchval(query, *arguments)

    async def execute(self, query: str, *arguments: Any) -> Any:
        await self._explain(query, arguments)
        return await self.connection.execute(query, *arguments)

    async def executemany(self, query: str, many: Sequence[Sequence[Any]]) -> None:
        for arguments in many:
            await self._explain(query, arguments)
        await self.connection.executemany(query, many)

    async def _explain(self, query: str, arguments: Sequence[Any]) -> None:
        if query not in self.names:
            self.names[query] = f"explained_{len(self.names)}"
            await self.connection.execute(f"prepare {self.names[query]} as {query}")
        given = f"({', '.join(map(_literal, arguments))})" if arguments else ""
        before = self.connection.transaction()
        await before.start()
        try:
            text = await self.connection.fetchval(
                f"explain ({self.options}) execute {self.names[query]} {given}"
            )
        finally:
            await before.rollback()
        (answer,) = json.loads(text)
        self.plans.append(
            Plan(query, answer["Plan"], answer["Execution Time"], _buffers(answer.get("Serialization", {})))
        )


class _ExplainedDatabase(Database):
    """A database of one connection, inside a transaction that will never be committed."""

    def __init__(self, like: Database, explained: Explained, ahead: timedelta) -> None:
        super().__init__(
            like.pool,
            like.watch,
            like._clock,  # noqa: SLF001 - the same database, explained
            like.rng,
            clock_moves=True,
            calendar=like._calendar,  # noqa: SLF001 - as above
        )
        self._explained = explained
        self._ahead = ahead

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        yield self._explained  # type: ignore[misc] # it does what a connection does

    async def _reader(self, connection: Connection) -> Reader:
        # As in production, no statement asks how far the clock is ahead.
        now = self._clock.real_now() + self._ahead
        return Reader(connection, now, self._calendar.day_of(now), self._ahead)


@dataclass
class Scene:
    """A service of which everything is explained and nothing is kept."""

    service: Service
    runtime: Runtime
    explained: Explained
    http: httpx.AsyncClient
    beforehand: str

    @contextlib.asynccontextmanager
    async def act(self) -> AsyncIterator[list[Plan]]:
        """Return the list that the plans of the block are added to; what it changes is rolled back."""
        plans: list[Plan] = []
        self.explained.plans = plans
        passing = self.explained.connection.transaction()
        await passing.start()
        try:
            if self.beforehand:
                await self.explained.connection.execute(self.beforehand)
            yield plans
        finally:
            await passing.rollback()


@contextlib.asynccontextmanager
async def explaining(service: Service, *, beforehand: str = "") -> AsyncIterator[Scene]:
    """Open a scene on a service; what is done beforehand, each time, is rolled back too."""
    like = service.runtime.database
    async with like.connection() as connection:
        options = "analyze, buffers, format json, timing off"
        version = int(await connection.fetchval("show server_version_num"))
        if version >= SERIALIZES_FROM:
            options += ", serialize text"
        explained = Explained(connection, options)
        ahead = await connection.fetchval("select ahead from service_clock")
        database = _ExplainedDatabase(like, explained, ahead)
        runtime = replace(
            service.runtime,
            database=database,
            shown_versions=ShownVersions(database),
            backlog=Backlog(database, service.runtime.rules.zone),
            postman=Postman("smtp://127.0.0.1:9", "nobody@bindery.example"),
        )
        transport = httpx.ASGITransport(create_app(runtime))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://scene", timeout=600, headers=service.headers
        ) as http:
            yield Scene(service, runtime, explained, http, beforehand)
        for prepared in explained.names.values():
            await connection.execute(f"deallocate {prepared}")


def _literal(value: Any) -> str:
    """Write a parameter in SQL; the prepared statement knows its type."""
    text = _text(value)
    return "null" if text is None else "'" + text.replace("'", "''") + "'"


def _text(value: Any) -> str | None:  # noqa: PLR0911 - one for each kind of value
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case bytes():
            return "\\x" + value.hex()
        case timedelta():
            return f"{value.total_seconds()} seconds"
        case list() | tuple():
            return "{" + ",".join(map(_element, value)) + "}"
        case uuid.UUID():
            return str(value)
        case asyncpg.Range():
            return f"[{value.lower},{value.upper})"
        case _:
            return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _element(value: Any) -> str:
    text = _text(value)
    if text is None:
        return "null"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
