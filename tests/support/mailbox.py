"""A real SMTP server that keeps what it is given."""

import asyncio
import contextlib
import email
import email.policy
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email.message import EmailMessage

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass
class Letter:
    """A mail as it came over the wire, and its recipients."""

    recipients: list[str]
    message: EmailMessage


@dataclass
class Mailbox:
    """Takes mail; the first `refuses` of them, and any for `unknown` addresses, it will not."""

    port: int = 0
    refuses: int = 0
    unknown: set[str] = field(default_factory=set)
    letters: list[Letter] = field(default_factory=list)
    refused: int = 0
    passwords: list[bytes] = field(default_factory=list)
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

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address in self.unknown:
            return "550 No such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    def let_in(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _how: str, given: object
    ) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.passwords.append(given.password)
        return AuthResult(success=True)

    async def wait_for(self, count: int) -> list[Letter]:
        """Wait until that many have come."""
        async with asyncio.timeout(90):
            while len(self.letters) < count:
                await self.came.wait()
                self.came.clear()
        return self.letters


@contextlib.asynccontextmanager
async def mailbox(
    *, starttls: ssl.SSLContext | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Mailbox]:
    """Run the server until the block ends: in the clear, ready for STARTTLS, or in TLS from the start.

    It takes passwords in the clear as well, so that a test sees who would send one.
    """
    box = Mailbox()
    loop = asyncio.get_running_loop()

    def protocol() -> SMTP:
        return SMTP(box, loop=loop, tls_context=starttls, authenticator=box.let_in, auth_require_tls=False)

    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=tls)
    box.port = server.sockets[0].getsockname()[1]
    async with server:
        yield box
