"""A small HTTP load generator: a few keep-alive connections, one request at a time on each."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Load:
    requests: int = 0
    failures: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def http_request(method: str, path: str, token: str, body: bytes = b"") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


async def fire(
    port: int, make_request: Callable[[], bytes], *, seconds: float, connections: int = 24, keep: int = 0
) -> Load:
    """Send requests for a while and count what comes back with 200 or 202."""
    load = Load()
    until = time.perf_counter() + seconds

    async def one_connection() -> None:
        while time.perf_counter() < until:
            try:
                await one_after_the_other()
            except (OSError, EOFError):  # the server closed it, as it does after an error
                load.failures += 1

    async def one_after_the_other() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            while time.perf_counter() < until:
                started = time.perf_counter()
                writer.write(make_request())
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                body = await reader.readexactly(length)
                load.latencies.append(time.perf_counter() - started)
                load.requests += 1
                if head[9:12] not in {b"200", b"202"}:
                    load.failures += 1
                elif len(load.bodies) < keep:
                    load.bodies.append(body)
        finally:
            writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(one_connection() for _ in range(connections)))
    load.seconds = time.perf_counter() - started
    return load
