"""A real SMTP server that keeps what it is given."""

import asyncio
import contextlib
import email
import email.policy
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email.message import EmailMessage

from aiosmtpd.smtp import SMTP, Envelope, Session


@dataclass
class Letter:
    """A mail as it came over the wire, and to whom it was to go."""

    recipients: list[str]
    message: EmailMessage


@dataclass
class Mailbox:
    """Takes mail; the first `refuses` of them it would rather not."""

    port: int = 0
    refuses: int = 0
    letters: list[Letter] = field(default_factory=list)
    refused: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        if self.refused < self.refuses:
            self.refused += 1
            return "451 Come back later"
        assert isinstance(envelope.content, bytes)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.letters.append(Letter(list(envelope.rcpt_tos), message))
        self.came.set()
        return "250 OK"

    async def wait_for(self, count: int) -> list[Letter]:
        """Wait until so many have come."""
        async with asyncio.timeout(90):
            while len(self.letters) < count:
                await self.came.wait()
                self.came.clear()
        return self.letters


@contextlib.asynccontextmanager
async def mailbox() -> AsyncIterator[Mailbox]:
    """Run the server until the block ends."""
    box = Mailbox()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(box, loop=loop), "127.0.0.1", 0)
    box.port = server.sockets[0].getsockname()[1]
    async with server:
        yield box
