"""The body of a mail, as text and as HTML in the dress of the platform; both say the same."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from bindery.documents.wording import read_wording
from bindery.domain.documents.forms import FORMS
from bindery.domain.messages.mails import Mail, MailMessage


@dataclass(frozen=True, slots=True)
class MailBody:
    text: str
    html: str


@cache
def _template() -> Template:
    # Names in a mail are whatever people typed, so nothing is put into it as it is.
    environment = Environment(
        loader=PackageLoader("bindery.documents", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    return environment.get_template("mail.html")


def mail_body(mail: Mail, *, on: date) -> MailBody:
    issuer = read_wording("issuer", FORMS.in_force(on).edition)
    attached = ", ".join(enclosure.name for enclosure in mail.enclosures)
    text = "\n\n".join(_paragraphs(mail.message, attached, issuer)) + "\n"
    html = _template().render(
        message=mail.message,
        subject=mail.subject,
        attached=attached,
        issuer=issuer,
        telephone=_digits(issuer),
    )
    return MailBody(text, html)


def _paragraphs(message: MailMessage, attached: str, issuer: Mapping[str, Any]) -> Iterator[str]:
    yield message.greeting
    yield from message.sentences
    if message.rows:
        width = max(len(label) for label, _ in message.rows) + 2
        yield "\n".join(f"{label + ':':{width}}{value}" for label, value in message.rows)
    if message.listed:
        points = (
            f"- {text}\n  {address}" if address else f"- {text}" for text, address in message.listed.points
        )
        yield "\n".join((f"{message.listed.title}:", *points))
    if message.next_step:
        yield f"Next step: {message.next_step}"
    if message.link:
        yield f"{message.link.text}: {message.link.address}"
    if attached:
        yield f"Attached: {attached}."
    yield f"{issuer['brand']}\n{issuer['underwriting_email']}, {issuer['hotline']}"


def _digits(issuer: Mapping[str, Any]) -> str:
    return "".join(character for character in issuer["hotline"] if character.isdigit() or character == "+")
