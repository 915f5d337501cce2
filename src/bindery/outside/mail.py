"""Sending mail over SMTP."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import parseaddr
from urllib.parse import unquote, urlsplit

import aiosmtplib

SEND_WITHIN_S = 20.0


class MailNotTaken(Exception):
    """The mail server did not take a mail, or is not there."""


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class MailReceipt:
    """The server's answer, and the recipients that it would not take the mail for, with its reasons."""

    message_id: str
    answer: str
    refused: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Postman:
    """Sends through one SMTP server, given as `smtp://user:password@host:port` or `smtps://…`."""

    url: str
    sender: str

    async def greet(self, *, within_s: float) -> None:
        """Connect and sign in as for a mail, and send none.

        Raises:
            MailNotTaken: the server is not there, or does not let us in.
        """
        server = urlsplit(self.url)
        client = aiosmtplib.SMTP(
            hostname=server.hostname or "127.0.0.1",
            port=server.port,
            username=unquote(server.username) if server.username else None,
            password=unquote(server.password) if server.password else None,
            use_tls=server.scheme == "smtps",
            start_tls=True if server.scheme == "smtp" and server.username else None,
            timeout=within_s,
        )
        try:
            async with client:
                await client.ehlo()
        except (aiosmtplib.SMTPException, OSError) as fault:
            raise MailNotTaken(f"The mail server does not let us in: {fault}") from fault

    async def send(
        self,
        recipients: Sequence[str],
        subject: str,
        body: str,
        attachments: Sequence[Attachment] = (),
        *,
        mail_id: uuid.UUID,
        written_at: datetime,
        html: str | None = None,
    ) -> MailReceipt:
        """Send one mail; if it is sent twice, mailboxes recognize it by the same `Message-ID`."""
        message = EmailMessage(SMTP)
        message["From"] = self.sender
        message["To"] = ", ".join(recipients)
        message["Subject"] = " ".join(subject.split())
        message["Date"] = written_at
        message["Message-ID"] = f"<{mail_id}@{parseaddr(self.sender)[1].rpartition('@')[2]}>"
        message.set_content(body)
        if html is not None:
            message.add_alternative(html, subtype="html")
        for attachment in attachments:
            message.add_attachment(
                attachment.content, maintype="application", subtype="pdf", filename=attachment.name
            )
        server = urlsplit(self.url)
        try:
            refused, answer = await aiosmtplib.send(
                message,
                recipients=list(recipients),
                hostname=server.hostname or "127.0.0.1",
                port=server.port,
                username=unquote(server.username) if server.username else None,
                password=unquote(server.password) if server.password else None,
                use_tls=server.scheme == "smtps",
                # Otherwise an attacker could remove the offer of STARTTLS on the way and read the password.
                start_tls=True if server.scheme == "smtp" and server.username else None,
                timeout=SEND_WITHIN_S,
            )
        except aiosmtplib.SMTPRecipientsRefused as fault:
            everybody = {reply.recipient: f"{reply.code} {reply.message}" for reply in fault.recipients}
            return MailReceipt(str(message["Message-ID"]), "", everybody)
        except (aiosmtplib.SMTPException, OSError) as fault:
            raise MailNotTaken(f"The mail server did not take {mail_id}: {fault}") from fault
        reasons = {address: f"{reply.code} {reply.message}" for address, reply in refused.items()}
        return MailReceipt(str(message["Message-ID"]), answer, reasons)
