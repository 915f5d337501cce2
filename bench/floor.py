"""The floors: what no service on these tables can be much faster than.

A raw ASGI application that decodes the same body with msgspec and runs one transaction of the same rows with
asyncpg (one statement, the fastest plain form we know), or reads one row by its key.
"""

import os
import random
from datetime import UTC, date, datetime

import asyncpg
import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from bindery.base.ids import company_id, uuid7
from bindery.contract.quotes import CreateQuotesRequest
from bindery.storage.intake import _WRITE

DSN = os.environ.get("BENCH_DSN", "")
PARTNER_ID = int(os.environ.get("BENCH_PARTNER", "0"))
BROKER_ID = int(os.environ.get("BENCH_BROKER", "0"))
rng = random.Random()


class Floor:
    """The intake floor and the read floor."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(CreateQuotesRequest).decode
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None

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
            answer = await self._write_once(body)
        else:
            answer = await self._read(scope["path"].rpartition("/")[2])
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _write_once(self, body: bytes) -> bytes:
        while True:
            try:
                return await self._write(body)
            except asyncpg.UniqueViolationError:
                continue  # a company number that was drawn before; the next draw gives another

    async def _write(self, body: bytes) -> bytes:
        request = self._decode(body)
        now = datetime.now(UTC)
        company, submission = company_id(rng), uuid7(now, rng)
        options = request.policy.quotes
        assert options is not None, "the load sends options"
        ids = [uuid7(now, rng) for _ in options]
        n = len(ids)
        assert self._pool is not None
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(
                _WRITE,
                [submission], [company], [True], [PARTNER_ID], [BROKER_ID], ["CYB"], [now],
                [request.client.name], [request.client.revenue],
                ["31"], ["PA"], [date(2027, 1, 1)], [date(2028, 1, 1)], ["2026.1"],
                [b"0" * 32], [body.decode()], [body.decode()], *[[None]] * 5,
                [submission] * 2, ["domain", "address"], [f"{company}.example", f"{company}"],
                [submission] * n, ids, list(range(n)), ["created"] * n,
                [option.aggregate_limit for option in options], [None] * n, [None] * n, [None] * n,
                [uuid7(now, rng) for _ in ids], ["bench"] * n, ["create"] * n, [b"0" * 32] * n,
            )  # fmt: skip
        receipts = [{"quote_identifier": str(quote_id)} for quote_id in ids]
        return msgspec.json.encode({"company_id": str(company), "quotes": receipts})

    async def _read(self, quote_id: str) -> bytes:
        assert self._pool is not None
        async with self._pool.acquire() as connection:
            row = await connection.fetchrow("select * from quotes where quote_id = $1", quote_id)
        status = row["status"] if row else None
        return msgspec.json.encode({"quote_identifier": quote_id, "quote_status": status})


def floor() -> ASGIApp:
    return Floor()
