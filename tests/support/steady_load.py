"""Callers who keep their connections, send at a steady rate, and count every request that was not served."""

import asyncio
import contextlib
import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from support.service import request_body

CONNECTIONS = 24
SERVED = frozenset({200, 202})


@dataclass
class SteadyLoad:
    """What was asked of a port, and what came of it."""

    port: int
    make_request: Callable[[int], bytes]
    a_second: float
    served: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    last_answers: int = 0
    """How many said that theirs was the last answer of the connection."""

    async def caller(self, number: int) -> None:
        loop = asyncio.get_running_loop()
        pause_s = CONNECTIONS / self.a_second
        await asyncio.sleep(pause_s * number / CONNECTIONS)
        turns = itertools.count(number, CONNECTIONS)
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError as fault:
                self.failed[type(fault).__name__] += 1
                await asyncio.sleep(pause_s)
                continue
            with contextlib.closing(writer):
                # Who keeps a connection sees that it was closed before sending, and opens another.
                while not reader.at_eof():
                    due = loop.time() + pause_s
                    is_last = await self._ask(reader, writer, self.make_request(next(turns)))
                    await asyncio.sleep(max(0.0, due - loop.time()))
                    if is_last:
                        break

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> bool:
        """Send a request, and return whether its answer is the last of the connection."""
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
        except (OSError, EOFError) as fault:
            self.failed[type(fault).__name__] += 1
            return True
        if (status := int(head.split()[1])) in SERVED:
            self.served += 1
        else:
            self.failed[str(status)] += 1
        is_last = b"\r\nconnection: close\r\n" in head
        self.last_answers += is_last
        return is_last


@contextlib.asynccontextmanager
async def steady_load(
    port: int, make_request: Callable[[int], bytes], *, a_second: float
) -> AsyncIterator[SteadyLoad]:
    load = SteadyLoad(port, make_request, a_second)
    callers = [asyncio.create_task(load.caller(number)) for number in range(CONNECTIONS)]
    try:
        yield load
    finally:
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)


def quotes_of(token: str) -> Callable[[int], bytes]:
    """Return what makes requests: each fourth submits, the others read a list."""
    body = json.dumps(request_body()).encode()
    head = f"HTTP/1.1\r\nHost: service\r\nAuthorization: Bearer {token}\r\n"
    of_body = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    submits = f"POST /v2/quotes {head}{of_body}".encode() + body
    reads = f"GET /v2/events?limit=1 {head}\r\n".encode()
    return lambda turn: reads if turn % 4 else submits
