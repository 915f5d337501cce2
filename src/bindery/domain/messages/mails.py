"""Mails: to whom they go, and what they say.

A new kind is one function from facts to a `Mail`; `documents/mail_body` turns its message into text and HTML.
"""

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from bindery.base.numbers import in_dollars
from bindery.contract.documents import ABOUT, DocumentType
from bindery.contract.vocabulary import ContactRole
from bindery.domain.applicant.risk import Term
from bindery.domain.business_rules import long_date
from bindery.domain.messages.mail_choices import MailSwitch
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.policy.policy import Policy, payment_due
from bindery.domain.products import ProductRecord, record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import total_of
from bindery.domain.submission.checks import is_email
from bindery.domain.text import without_unseen

TO_INSURED: Final = "to_insured"
SIGNED_APPLICATION: Final = "signed_application"
_OCCURRENCE: Final = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A document that goes along; without a version it is the newest at the time of sending."""

    document: DocumentType
    version: int | None = None
    title: str = ""
    """What the recipient knows it as, where that is not the document's usual name."""

    @property
    def name(self) -> str:
        return self.title or ABOUT[self.document].name

    def __str__(self) -> str:
        return self.document if self.version is None else f"{self.document} {self.version}"


@dataclass(frozen=True, slots=True)
class EnclosedUpload:
    """A signed application that goes along, as it was made on the client's page."""

    document_id: uuid.UUID

    @property
    def name(self) -> str:
        return "Signed application"

    def __str__(self) -> str:
        return f"{SIGNED_APPLICATION} {self.document_id}"


def read_enclosure(text: str) -> Enclosure | EnclosedUpload:
    document, _, which = text.partition(" ")
    if document == SIGNED_APPLICATION:
        return EnclosedUpload(uuid.UUID(which))
    return Enclosure(DocumentType(document), int(which) if which else None)


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Points:
    """Points under a title, each with an address where it leads, or none."""

    title: str
    points: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailMessage:
    """What a mail says, before it is text or HTML."""

    heading: str
    greeting: str
    sentences: tuple[str, ...]
    rows: tuple[tuple[str, str], ...] = ()
    listed: Points | None = None
    next_step: str = ""
    link: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail; `kind` says what it is about, and no quote gets two of a kind.

    With a `switch`, a broker may have chosen the daily digest instead, or nothing.
    """

    kind: str
    recipients: tuple[str, ...]
    subject: str
    message: MailMessage
    enclosures: tuple[Enclosure | EnclosedUpload, ...] = ()
    switch: MailSwitch | None = None


def is_to_insured(kind: str) -> bool:
    return _OCCURRENCE.sub("", kind).endswith(f"_{TO_INSURED}")


def name_of_kind(kind: str) -> str:
    """Return a kind without its recipient and without the step that tells two of it apart."""
    return _OCCURRENCE.sub("", kind).removesuffix(f"_{TO_INSURED}")


def kind_in_words(kind: str) -> str:
    words = name_of_kind(kind).replace("_", " ")
    return f"{words}, to the insured" if is_to_insured(kind) else words


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressees:
    insured: str
    broker: str
    secondary_broker: str | None = None
    main_contact: str | None = None
    main_contact_name: str | None = None
    policy_notices: tuple[str, ...] = ()
    security_alerts: tuple[str, ...] = ()

    @property
    def brokers(self) -> tuple[str, ...]:
        return once((self.broker, self.secondary_broker))

    @property
    def insureds(self) -> tuple[str, ...]:
        """Return who gets notices at the insured: the main contact, and those named for them."""
        return once((self.main_contact, *self.policy_notices))

    @property
    def alerted(self) -> tuple[str, ...]:
        return once(self.security_alerts or (self.main_contact,))


def once(addresses: Iterable[str | None]) -> tuple[str, ...]:
    """Return addresses without those that are none, and each once, however it is capitalized."""
    found: dict[str, str] = {}
    for address in addresses:
        if address:
            found.setdefault(address.lower(), address)
    return tuple(found.values())


def addressees_of(client: Mapping[str, Any], contacts: Mapping[str, Any] | None) -> Addressees:
    """Gather the contacts of a client; those given with the bind replace the ones on file."""
    given = {**client, **(contacts or {})}
    additional = given.get("additional_contacts") or ()
    main = given.get("insured_main_contact") or {}

    # Of a contact's address the contract asks little; only what a mail server would take is written to.
    def with_role(role: ContactRole) -> tuple[str, ...]:
        return tuple(
            contact["email"]
            for contact in additional
            if role in contact["contact_roles"] and is_email(contact["email"])
        )

    names = (main.get("first_name"), main.get("last_name"))
    return Addressees(
        insured=in_one_line(client["name"]),
        broker=client["broker_email"],
        secondary_broker=client.get("secondary_broker_email"),
        main_contact=main["email"] if is_email(main.get("email") or "") else None,
        main_contact_name=in_one_line(" ".join(name for name in names if name)) or None,
        policy_notices=with_role(ContactRole.POLICY_NOTICES),
        security_alerts=with_role(ContactRole.SECURITY_ALERTS),
    )


def in_one_line(text: str) -> str:
    """Return a text that others chose so that it fits into a header or a line of a mail."""
    return without_unseen(" ".join(text.split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class MailFacts:
    """What mails about a quote say; `policy` is None before a bind is asked for."""

    to: Addressees
    quote: Quote
    term: Term
    platform: str
    policy: Policy | None = None
    contingencies: tuple[Contingency, ...] = ()
    broker_name: str | None = None

    @property
    def product(self) -> ProductRecord:
        return record_of(self.quote.product)

    @property
    def bound(self) -> Policy:
        assert self.policy is not None, "the mail is about a policy"
        return self.policy

    @property
    def open_contingencies(self) -> tuple[str, ...]:
        return tuple(in_one_line(owed.text) for owed in self.contingencies if owed.is_open)

    @property
    def to_broker(self) -> str:
        return f"Dear {in_one_line(self.broker_name)}," if self.broker_name else "Hello,"

    @property
    def to_insured(self) -> str:
        return f"Dear {self.to.main_contact_name or 'policyholder'},"

    @property
    def company_link(self) -> Link:
        return Link("Open the company", f"{self.platform}/company/{self.quote.company_id}")

    @property
    def broker_in_words(self) -> str:
        name = in_one_line(self.broker_name) if self.broker_name else None
        return f"{name}, {self.to.broker}" if name else self.to.broker


def notice_recipients(to: Addressees) -> tuple[str, ...]:
    return (*to.brokers, *to.insureds)


def insured_row(facts: MailFacts) -> tuple[tuple[str, str], ...]:
    return (("Insured", facts.to.insured), ("Coverage", facts.product.title))


def policy_rows(facts: MailFacts) -> tuple[tuple[str, str], ...]:
    policy = facts.bound
    number = (("Policy", policy.number),)
    binder = () if policy.is_issued else (("Binder", f"B-{policy.number}"),)
    return (*insured_row(facts), *binder, *number, term_row(facts.term))


def term_row(term: Term) -> tuple[str, str]:
    return "Term", f"{long_date(term.effective)} to {long_date(term.expiration)}, 12:01 a.m."


def price_rows(quote: Quote) -> tuple[tuple[str, str], ...]:
    premium, total = Decimal(quote.premium or 0), total_of(quote)
    taxes = (("Taxes and fees", in_dollars(total - premium)),) if total != premium else ()
    return (("Premium", in_dollars(premium)), *taxes, ("Total", in_dollars(total)))


def due_row(term: Term) -> tuple[str, str]:
    return "Due", long_date(payment_due(term.effective))


def listed(title: str, points: Iterable[str]) -> Points | None:
    found = tuple((in_one_line(point), "") for point in points)
    return Points(title, found) if found else None
