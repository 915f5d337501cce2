from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.events import AlertFinding
from bindery.contract.vocabulary import ContactRole
from bindery.contract.webhooks import DisabledBecause
from bindery.domain.business_rules import long_date
from bindery.domain.documents.notices import Canceled, Lapsed, PolicyEvent, Reinstated
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.checks import is_email


@dataclass(frozen=True, slots=True)
class Enclosure:
    document: DocumentType
    version: int = 1

    def __str__(self) -> str:
        return self.document if self.version == 1 else f"{self.document} {self.version}"


def read_enclosure(text: str) -> Enclosure:
    """Read an enclosure of the outbox: its document, and its version unless that is the first."""
    document, _, version = text.partition(" ")
    return Enclosure(DocumentType(document), int(version or 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail; `kind` says what it is about, and no quote gets two of a kind."""

    kind: str
    recipients: tuple[str, ...]
    subject: str
    body: str
    enclosures: tuple[Enclosure, ...] = ()


@dataclass(frozen=True, slots=True)
class Addressees:
    insured: str
    broker: str
    secondary_broker: str | None
    policy_notices: tuple[str, ...]
    security_alerts: tuple[str, ...]
    main_contact: str | None = None

    @property
    def brokers(self) -> tuple[str, ...]:
        return (self.broker, *((self.secondary_broker,) if self.secondary_broker else ()))

    @property
    def of_alerts(self) -> tuple[str, ...]:
        """Who gets a security alert: those named for it, else the main contact, else the broker."""
        return self.security_alerts or ((self.main_contact,) if self.main_contact else self.brokers)


def addressees_of(client: Mapping[str, Any], contacts: Mapping[str, Any] | None) -> Addressees:
    """Gather the contacts of a client; those given with the bind replace the ones on file."""
    people = {**client, **(contacts or {})}
    additional = people.get("additional_contacts") or ()
    main = (people.get("insured_main_contact") or {}).get("email")

    # Of a contact's address the contract asks little; only what a mail server would take is written to.
    def with_role(role: ContactRole) -> tuple[str, ...]:
        return tuple(
            contact["email"]
            for contact in additional
            if role in contact["contact_roles"] and is_email(contact["email"])
        )

    return Addressees(
        insured=client["name"],
        broker=client["broker_email"],
        secondary_broker=client.get("secondary_broker_email"),
        policy_notices=with_role(ContactRole.POLICY_NOTICES),
        security_alerts=with_role(ContactRole.SECURITY_ALERTS),
        main_contact=main if main and is_email(main) else None,
    )


def offer_mail(
    to: Addressees,
    renewal: Quote,
    expiring: Policy,
    *,
    platform: str,
    binds_automatically: bool,
    reminder: int = 0,
) -> Mail:
    term = expiring.term
    about = "Reminder: renewal" if reminder else "Renewal"
    what_next = (
        "It renews automatically on that day unless the renewal is paused."
        if binds_automatically
        else "It does not renew automatically: please bind it before that day."
    )
    return Mail(
        kind=f"renewal_reminder_{reminder}" if reminder else "renewal_offer",
        recipients=to.brokers,
        subject=f"{about} of {expiring.policy_number} for {to.insured}",
        body=(
            f"The policy {expiring.policy_number} of {to.insured} ends on {long_date(term.expiration)}.\n\n"
            f"We offer to renew it from that day for a premium of {in_dollars(renewal.premium or 0)} "
            f"before taxes and fees. {what_next}\n\n"
            f"{platform}/company/{renewal.company_id}\n"
        ),
    )


def policy_mails(to: Addressees, quote: Quote, policy: Policy) -> tuple[Mail, ...]:
    term = policy.term
    issued = policy.is_issued
    what = "issued" if issued else "bound conditionally"
    deadline = (
        ""
        if issued or policy.fulfil_by is None
        else f"\nThe binder lapses at the end of {long_date(policy.fulfil_by)} unless everything that is "
        "still owed has been received and accepted by then.\n"
    )
    notice = Mail(
        kind="policy_issued" if issued else "policy_bound",
        recipients=(*to.brokers, *to.policy_notices),
        subject=f"{policy.policy_number} for {to.insured} is {what}",
        body=(
            f"Policy {policy.policy_number} of {to.insured} is {what}.\n"
            f"It runs from {long_date(term.effective)} to {long_date(term.expiration)}, 12:01 a.m., at a "
            f"premium of {in_dollars(quote.premium or 0)} before taxes and fees.\n{deadline}"
        ),
    )
    if not to.security_alerts:
        return (notice,)
    letter = Mail(
        kind="security_letter",
        recipients=to.security_alerts,
        subject=f"Security letter for {to.insured}",
        body=f"Cover for {to.insured} is bound. The attached letter says what we saw from outside.\n",
        enclosures=(Enclosure(DocumentType.SECURITY_LETTER),),
    )
    return (notice, letter)


def notice_mail(to: Addressees, quote: Quote, policy: Policy, event: PolicyEvent, notice: Enclosure) -> Mail:
    match event:
        case Canceled():
            kind, what, body = "policy_ended", "is canceled", _of_cancellation(to, policy, event)
        case Lapsed():
            kind, what, body = "policy_ended", "has lapsed", _of_lapse(to, policy, event)
        case Reinstated():
            kind, what, body = "policy_reinstated", "is in force again", _of_reinstatement(to, policy)
        case _:
            assert_never(event)
    return Mail(
        # A policy can be canceled, reinstated and canceled again: the step in its journal tells them apart.
        kind=f"{kind}_{quote.journal.entries}",
        recipients=(*to.brokers, *to.policy_notices),
        subject=f"{policy.policy_number} for {to.insured} {what}",
        body=f"{body}\n\nThe notice is attached.\n",
        enclosures=(notice,),
    )


def _of_cancellation(to: Addressees, policy: Policy, event: Canceled) -> str:
    day = long_date(event.effective)
    end = (
        f"Its cover does not begin: it is canceled from its first day, {day}."
        if event.effective <= policy.term.effective
        else f"Its cover ends on {day} at 12:01 a.m."
    )
    reason = f"\nReason: {event.reason}" if event.reason else ""
    returned = event.returned_premium
    refund = f"\n\n{in_dollars(returned)} of the premium is returned." if returned else ""
    return f"The {_name(policy)} of {to.insured} is canceled. {end}{reason}{refund}"


def _of_lapse(to: Addressees, policy: Policy, event: Lapsed) -> str:
    return (
        f"The conditional binder {policy.policy_number} of {to.insured} has lapsed: what it depended on was "
        f"not received and accepted by {long_date(event.fulfil_by)}.\n\n"
        "There is no cover. A binder that lapses is treated as never having been in force: no premium "
        "is charged."
    )


def _of_reinstatement(to: Addressees, policy: Policy) -> str:
    what = "policy" if policy.is_issued else "binder"
    return (
        f"The cancellation of the {_name(policy)} of {to.insured} is undone: the {what} runs without a break "
        f"until {long_date(policy.term.expiration)}."
    )


def _name(policy: Policy) -> str:
    return f"{'policy' if policy.is_issued else 'binder'} {policy.policy_number}"


def security_alert_mail(
    to: Addressees, quote: Quote, policy: Policy, findings: Sequence[AlertFinding]
) -> Mail:
    found = "\n\n".join(
        f"{finding.title}\n{finding.host}, {finding.severity}\nWhat to do: {finding.what_to_do}"
        for finding in findings
    )
    several = len(findings) > 1
    return Mail(
        # A policy can have several alerts: the step in its journal tells them apart.
        kind=f"security_alert_{quote.journal.entries}",
        recipients=to.of_alerts,
        subject=f"Security alert for {to.insured}: {findings[0].title}",
        body=(
            f"We check the domains of {to.insured} from the internet every 30 days while policy "
            f"{policy.policy_number} is in force. Since the last check we found something new that cannot "
            f"wait:\n\n{found}\n\n"
            f"Please have {'them' if several else 'it'} settled at once. If you think that somebody has "
            "already got in, report it as your policy says; it costs nothing to ask.\n\n"
            "We never ask for passwords, and never send links that ask you to log in.\n"
        ),
    )


def disabled_mail(recipient: str, *, endpoint: str, because: DisabledBecause, docs_url: str) -> Mail:
    match because:
        case DisabledBecause.GONE:
            cause = "It answered 410 Gone, which means that it will not take any more deliveries."
        case DisabledBecause.FAILING:
            cause = "Every delivery to it has failed for five days."
        case _:
            assert_never(because)
    return Mail(
        kind="webhook_disabled",
        recipients=(recipient,),
        subject=f"Your webhook {endpoint} is disabled",
        body=(
            f"We have stopped delivering to {endpoint}.\n{cause}\n\n"
            "No event is lost: GET /v2/events has them all. To receive deliveries again, register the same "
            "endpoint with POST /v2/webhooks; what was still waiting is then sent, and POST "
            "/v2/webhooks/{id}/replay with a time in `since` sends what happened in between.\n\n"
            f"{docs_url}\n"
        ),
    )
