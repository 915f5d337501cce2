"""An endpoint for deliveries that answers every POST at once: `python -m bench.receiver PORT`."""

import asyncio
import re
import sys
from typing import cast

import uvloop

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Receiver(asyncio.Protocol):
    """Just enough HTTP for a client that keeps its connections."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while True:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            length = LENGTH.search(head)
            if not separator or length is None or len(rest) < int(length[1]):
                return
            self.buffer = rest[int(length[1]) :]
            self.transport.write(OK)


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
