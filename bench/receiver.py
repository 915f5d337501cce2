"""Endpoints for deliveries, many on one port: `python -m bench.receiver PORT`.

A path of `/slow/…` answers after a while, `/dead/…` with 500, any other at once. `GET /log` gives what came
in, a line for each delivery: its path, its id, its quote and its sequence.
"""

import asyncio
import sys
from typing import cast

import msgspec
import uvloop

SLOW_S = 0.5
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
DEAD = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"

log: list[str] = []


class _Data(msgspec.Struct):
    quote_identifier: str = ""
    sequence: int = 0


class _Body(msgspec.Struct):
    data: _Data


_decode = msgspec.json.Decoder(_Body).decode


class Receiver(asyncio.Protocol):
    """Just enough HTTP for a client that keeps its connections."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while True:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            lines = head.split(b"\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])
            }
            length = int(headers.get(b"content-length", b"0"))
            if len(rest) < length:
                return
            body, self.buffer = rest[:length], rest[length:]
            method, path, _ = lines[0].decode().split(" ")
            self.answer(method, path, headers.get(b"webhook-id", b"").decode(), body)

    def answer(self, method: str, path: str, message_id: str, body: bytes) -> None:
        if method == "GET":
            content = "\n".join(log).encode()
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
            return
        told = _decode(body).data
        log.append(f"{path} {message_id} {told.quote_identifier} {told.sequence}")
        if path.startswith("/slow/"):
            asyncio.get_running_loop().call_later(SLOW_S, self.answer_late)
        else:
            self.transport.write(DEAD if path.startswith("/dead/") else OK)

    def answer_late(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(OK)


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
