"""The floors: what no service on these tables can be much faster than.

A raw ASGI application that decodes the same body with msgspec and writes the same rows with asyncpg, those of
all requests that wait at the same time in one statement and transaction (the fastest plain form we know), or
reads one row by its key.
"""

import os
import random
import uuid
from collections import defaultdict
from datetime import UTC, date, datetime

import asyncpg
import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.actions.submission.submit_quotes import MOST_TOGETHER
from bindery.base.batching import Batcher
from bindery.base.ids import company_id, uuid7
from bindery.contract.quotes import CreateQuotesRequest
from bindery.storage.submission.intake import _WRITE

DSN = os.environ.get("BENCH_DSN", "")
PARTNER_ID = int(os.environ.get("BENCH_PARTNER", "0"))
BROKER_ID = int(os.environ.get("BENCH_BROKER", "0"))
rng = random.Random()
_Ask = tuple[CreateQuotesRequest, bytes]


class Floor:
    """The intake floor and the read floor."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(CreateQuotesRequest).decode
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._writes: Batcher[_Ask, bytes] = Batcher(self._write_group, most=MOST_TOGETHER)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            self._pool = await asyncpg.create_pool(DSN, min_size=10, max_size=10)
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self._pool.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
        assert self._pool is not None
        if scope["path"] == "/livez":
            answer = b"ok"
        elif scope["method"] == "POST":
            body, more = b"", True
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
            answer = await self._writes.do((self._decode(body), body))
        else:
            answer = await self._read(scope["path"].rpartition("/")[2])
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _write_group(self, asks: list[_Ask]) -> list[bytes | Exception]:
        while True:
            try:
                return await self._write(asks)
            except asyncpg.UniqueViolationError:
                continue  # a company number that was drawn before; the next draw gives another

    async def _write(self, asks: list[_Ask]) -> list[bytes | Exception]:
        now = datetime.now(UTC)
        n = len(asks)
        companies, submissions = [company_id(rng) for _ in asks], [uuid7(now, rng) for _ in asks]
        clients, texts = [request.client for request, _ in asks], [body.decode() for _, body in asks]
        options = [
            (submission, number, option, uuid7(now, rng), uuid7(now, rng))
            for submission, (request, _) in zip(submissions, asks, strict=True)
            for number, option in enumerate(request.policy.quotes or ())
        ]
        m = len(options)
        assert self._pool is not None
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(
                _WRITE,
                submissions, companies, [True] * n, [PARTNER_ID] * n, [BROKER_ID] * n, ["CYB"] * n, [now] * n,
                [client.name for client in clients], [client.revenue for client in clients],
                ["31"] * n, ["PA"] * n, [date(2027, 1, 1)] * n, [date(2028, 1, 1)] * n, ["2026.1"] * n,
                [b"0" * 32] * n, texts, texts, *[[None] * n] * 7,
                submissions * 2, ["domain"] * n + ["address"] * n,
                [f"{company}.example" for company in companies] + [f"{company}" for company in companies],
                [submission for submission, *_ in options], [quote_id for *_, quote_id, _ in options],
                [number for _, number, *_ in options], ["created"] * m,
                [option.aggregate_limit for _, _, option, *_ in options], *[[None] * m] * 3,
                [event_id for *_, event_id in options], ["bench"] * m, ["create"] * m, [b"0" * 32] * m,
            )  # fmt: skip
        receipts: defaultdict[uuid.UUID, list[dict[str, str]]] = defaultdict(list)
        for submission, _, _, quote_id, _ in options:
            receipts[submission].append({"quote_identifier": str(quote_id)})
        return [
            msgspec.json.encode({"company_id": str(company), "quotes": receipts[submission]})
            for company, submission in zip(companies, submissions, strict=True)
        ]

    async def _read(self, quote_id: str) -> bytes:
        assert self._pool is not None
        async with self._pool.acquire() as connection:
            row = await connection.fetchrow("select * from quotes where quote_id = $1", quote_id)
        status = row["status"] if row else None
        return msgspec.json.encode({"quote_identifier": quote_id, "quote_status": status})


def floor() -> ASGIApp:
    return Floor()
