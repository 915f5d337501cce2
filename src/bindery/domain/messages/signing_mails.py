"""Mails about links to a client: the link, the code, the signed copy, and what came back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from bindery.domain.messages.access_mails import ADDRESS_PLACE, CODE_PLACE, clock_words
from bindery.domain.messages.mail_choices import MailSwitch
from bindery.domain.messages.mails import (
    TO_INSURED,
    EnclosedUpload,
    Link,
    Mail,
    MailFacts,
    MailMessage,
    in_one_line,
    insured_row,
    term_row,
)
from bindery.domain.signing.client_link import ClientLink, LinkPurpose
from bindery.domain.signing.signing import Signature

FORWARDED: Final = (
    "The link is for you alone: whoever has it can read what it shows. Please do not forward it."
)
NOT_SIGNING: Final = (
    "If you are not about to sign, ignore this mail, and tell your broker. Nobody will ever ask you for the "
    "code by telephone."
)


_ASKED: Final[Mapping[LinkPurpose, tuple[str, str, str, str]]] = {
    LinkPurpose.PROPOSAL: (
        "A proposal for you",
        "has prepared a proposal",
        "Read it, choose an option and sign the application, all on one page and without an account.",
        "Read the proposal",
    ),
    LinkPurpose.SIGNATURE: (
        "Please sign the application",
        "asks you to sign the application",
        "It takes a few minutes and no account: you read it, and sign it on the page.",
        "Read and sign",
    ),
    LinkPurpose.ANSWERS: (
        "A few questions for you",
        "needs your answers",
        "It takes no account.",
        "Answer the questions",
    ),
}
"""For each purpose the heading, what the broker does, how it goes on, and the button."""


@dataclass(frozen=True, slots=True)
class LinkAbout:
    """What a link is about, in words for the client; `sender` is the broker."""

    insured: str
    sender: str
    rows: tuple[tuple[str, str], ...] = ()


def about_of(facts: MailFacts) -> LinkAbout:
    name = in_one_line(facts.broker_name) if facts.broker_name else ""
    sender = f"{name} ({facts.to.broker})" if name else facts.to.broker
    return LinkAbout(facts.to.insured, sender, (*insured_row(facts), term_row(facts.term)))


def link_mail(link: ClientLink, about: LinkAbout, *, zone: ZoneInfo) -> Mail:
    """Send a client the link, with what the broker wrote."""
    heading, asks, how, button = _ASKED[link.purpose]
    sentence = f"{about.sender} {asks} for the insurance of {about.insured}. {how}"
    written = (f"They write: “{in_one_line(link.message)}”",) if link.message.strip() else ()
    return Mail(
        kind=f"client_link_{TO_INSURED}_{link.link_id.int}",
        recipients=(link.email,),
        subject=f"{about.insured}: {heading[0].lower()}{heading[1:]}",
        message=MailMessage(
            heading=heading,
            greeting=greeting_of(link.name),
            sentences=(sentence, *written, FORWARDED),
            rows=(*about.rows, ("Works until", clock_words(link.expires_at, zone))),
            link=Link(button, ADDRESS_PLACE),
        ),
    )


def code_mail(link: ClientLink, about: LinkAbout, *, expires_at: datetime, zone: ZoneInfo) -> Mail:
    return Mail(
        kind="signing_code",
        recipients=(link.email,),
        subject="Your code to sign",
        message=MailMessage(
            heading="Your code to sign",
            greeting=greeting_of(link.name),
            sentences=(
                f"Type this code on the page to sign the application of {about.insured}. It works once.",
                NOT_SIGNING,
            ),
            rows=(("Code", CODE_PLACE), ("Until", clock_words(expires_at, zone))),
        ),
    )


def signed_mails(
    facts: MailFacts, link: ClientLink, signature: Signature, *, is_issued: bool, zone: ZoneInfo
) -> tuple[Mail, ...]:
    """Send the signed application to who signed it and to the brokers."""
    enclosed = (EnclosedUpload(signature.document_id),)
    rows = (
        *insured_row(facts),
        term_row(facts.term),
        ("Signed by", f"{in_one_line(signature.name)}, {in_one_line(signature.title)}"),
        ("Signed on", clock_words(signature.signed_at, zone)),
        ("Fingerprint of the file", signature.signed_sha256),
    )
    issued = " Nothing is owed any more: the policy is issued." if is_issued else ""
    who = in_one_line(signature.name)
    to_signer = Mail(
        kind=f"application_signed_{TO_INSURED}_{link.link_id.int}",
        recipients=(link.email,),
        subject=f"{facts.to.insured}: the application you signed",
        message=MailMessage(
            heading="You have signed the application",
            greeting=greeting_of(signature.name),
            sentences=(
                f"Thank you. The application of {facts.to.insured} is signed; your copy is attached.{issued}",
                "Please keep it. If it was not you who signed, tell your broker at once.",
            ),
            rows=(*rows, ("Your broker", facts.broker_in_words)),
        ),
        enclosures=enclosed,
    )
    next_step = "" if facts.policy is not None else "Bind the option: the policy is issued at once."
    to_brokers = Mail(
        kind=f"application_signed_{link.link_id.int}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: the application is signed",
        message=MailMessage(
            heading="The application is signed",
            greeting=facts.to_broker,
            sentences=(f"{who} has signed the application of {facts.to.insured} on the page.{issued}",),
            rows=rows,
            next_step=next_step,
            link=facts.company_link,
        ),
        enclosures=enclosed,
        switch=MailSwitch.CLIENT,
    )
    return to_signer, to_brokers


def sent_back_mail(facts: MailFacts, link: ClientLink, text: str) -> Mail:
    who = in_one_line(link.name or link.email)
    return Mail(
        kind=f"signature_declined_{link.link_id.int}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: something is wrong in the application",
        message=MailMessage(
            heading="Sent back by the client",
            greeting=facts.to_broker,
            sentences=(
                f"{who} did not sign the application of {facts.to.insured}: something is wrong in it.",
            ),
            rows=(*insured_row(facts), ("They write", in_one_line(text))),
            next_step="Correct it with a new request for a quote, and send a new link.",
            link=facts.company_link,
        ),
        switch=MailSwitch.CLIENT,
    )


def answered_mail(
    link: ClientLink,
    about: LinkAbout,
    *,
    to: tuple[str, ...],
    greeting: str,
    open_at: Link,
    answered: int = 0,
    otherwise: int = 0,
) -> Mail:
    """Notify the broker that the client has answered.

    For a draft with how many questions are `answered`, and how many `otherwise` than the draft has it.
    """
    who = in_one_line(link.client)
    what = f"{answered} question{'s' if answered > 1 else ''}" if answered else "your questions"
    filled = ("The answers are filled in where the draft had none.",) if answered else ()
    differ = "differs" if otherwise == 1 else "differ"
    next_step = f"{otherwise} of them {differ} from what the draft has: choose which holds."
    return Mail(
        kind=f"client_answered_{link.link_id.int}",
        recipients=to,
        subject=f"{about.insured}: the client has answered",
        message=MailMessage(
            heading="The client has answered",
            greeting=greeting,
            sentences=(f"{who} has answered {what} for the insurance of {about.insured}.", *filled),
            rows=about.rows,
            next_step=next_step if otherwise else "",
            link=open_at,
        ),
        switch=MailSwitch.CLIENT,
    )


def greeting_of(name: str | None) -> str:
    return f"Dear {in_one_line(name)}," if name and name.strip() else "Hello,"
