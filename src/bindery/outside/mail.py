"""Sending mail over SMTP."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

import aiosmtplib

SEND_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A PDF that goes with a mail."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Postman:
    """Sends through one SMTP server, given as `smtp://user:password@host:port` or `smtps://…`."""

    url: str
    sender: str

    async def send(
        self, recipients: Sequence[str], subject: str, body: str, attachments: Sequence[Attachment] = ()
    ) -> None:
        """Send one mail.

        Raises:
            aiosmtplib.SMTPException: the server did not take it.
        """
        message = EmailMessage()
        message["From"] = self.sender
        message["To"] = ", ".join(recipients)
        message["Subject"] = " ".join(subject.split())
        message.set_content(body)
        for attachment in attachments:
            message.add_attachment(
                attachment.content, maintype="application", subtype="pdf", filename=attachment.name
            )
        server = urlsplit(self.url)
        await aiosmtplib.send(
            message,
            hostname=server.hostname or "127.0.0.1",
            port=server.port,
            username=unquote(server.username) if server.username else None,
            password=unquote(server.password) if server.password else None,
            use_tls=server.scheme == "smtps",
            timeout=SEND_WITHIN_S,
        )
