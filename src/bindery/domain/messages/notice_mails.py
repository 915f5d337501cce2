"""Mails about a policy in force: alerts, notices of its end and return, and binders that lapse soon."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, assert_never

from bindery.base.numbers import in_dollars
from bindery.contract.event_details import AlertFinding
from bindery.contract.policy_ending import CanceledBy
from bindery.domain.business_rules import long_date
from bindery.domain.documents.notices import Canceled, Changed, Lapsed, NotRenewed, PolicyEvent, Reinstated
from bindery.domain.messages.mail_choices import MailSwitch
from bindery.domain.messages.mails import (
    Enclosure,
    Mail,
    MailFacts,
    MailMessage,
    in_one_line,
    listed,
    policy_rows,
    price_rows,
)
from bindery.domain.messages.policy_mails import STILL_OWED, ask_broker, to_both
from bindery.domain.policy.cancellation import REASON_WORDS
from bindery.domain.policy.policy import Policy, RenewalType

LAPSE_REMINDERS_BEFORE: Final = (timedelta(days=14), timedelta(days=7), timedelta(days=2))
NEVER_IN_FORCE: Final = "A binder that lapses is treated as never having been in force"


def security_alert_mail(facts: MailFacts, findings: Sequence[AlertFinding]) -> Mail:
    """Alert the insured of findings that are new and severe; the brokers where nobody else can be reached."""
    insured, several = facts.to.insured, len(findings) > 1
    points = (
        f"{finding.title}, {finding.host} ({finding.severity}). What to do: {finding.what_to_do}"
        for finding in findings
    )
    return Mail(
        # A policy can have several alerts: the step in its journal tells them apart.
        kind=f"security_alert_{facts.quote.journal.entries}",
        recipients=facts.to.alerted or facts.to.brokers,
        subject=f"Security alert for {insured}: {in_one_line(findings[0].title)}",
        message=MailMessage(
            heading="Security alert",
            greeting="Hello," if facts.to.security_alerts or not facts.to.alerted else facts.to_insured,
            sentences=(
                f"We check the domains of {insured} every 30 days while {facts.bound.number} is in force.",
                "Since the last check we found something new that cannot wait.",
            ),
            rows=policy_rows(facts),
            listed=listed("What we found", points),
            next_step=f"Please have {'them' if several else 'it'} settled at once. If you think that "
            "somebody has already got in, report it as your policy says. We never ask for passwords, and "
            "never send links that ask you to log in.",
        ),
    )


def notice_mails(facts: MailFacts, event: PolicyEvent, notice: Enclosure) -> tuple[Mail, ...]:
    match event:
        case Canceled():
            kind, what = "policy_ended", "is canceled"
        case Lapsed():
            kind, what = "policy_ended", "has lapsed"
        case Reinstated():
            kind, what = "policy_reinstated", "is in force again"
        case Changed():
            kind, what = "policy_changed", f"is changed from {long_date(event.effective)}"
        case NotRenewed():
            kind, what = "policy_not_renewed", f"is not renewed: it ends on {long_date(event.expiration)}"
        case _:
            assert_never(event)
    name = _name(facts.bound)
    mail = Mail(
        kind=kind,
        recipients=facts.to.brokers,
        subject=f"{facts.bound.number} for {facts.to.insured} {what}",
        message=_of_event(facts, event, subject=f"The {name} of {facts.to.insured}"),
        enclosures=(notice,),
    )
    theirs = _of_event(facts, event, subject=f"Your {name}")
    return to_both(
        mail,
        facts,
        subject=f"Your {name} {what}",
        # A policy can be canceled, reinstated and canceled again: the step in its journal tells them apart.
        step=facts.quote.journal.entries,
        for_insured=replace(theirs, next_step=f"{theirs.next_step} {ask_broker(facts)}"),
    )


def _of_event(facts: MailFacts, event: PolicyEvent, *, subject: str) -> MailMessage:
    match event:
        case Canceled():
            return _of_cancellation(facts, event, subject)
        case Lapsed():
            return _of_lapse(facts, event, subject)
        case Reinstated():
            return _of_reinstatement(facts, subject)
        case NotRenewed():
            return _of_nonrenewal(facts, event, subject)
        case Changed():
            return _of_change(facts, event, subject)
        case _:
            assert_never(event)


def _of_cancellation(facts: MailFacts, event: Canceled, subject: str) -> MailMessage:
    policy, day = facts.bound, long_date(event.effective)
    end = (
        f"Coverage does not begin: it is canceled from its first day, {day}."
        if event.effective <= policy.term.effective
        else f"Coverage ends on {day} at 12:01 a.m."
    )
    words = [REASON_WORDS[event.reason_code]] if event.reason_code else []
    because = ": ".join([*words, *([in_one_line(event.reason)] if event.reason else [])])
    by = " by the insurer" if event.canceled_by is CanceledBy.INSURER else ""
    return MailMessage(
        heading="Notice of cancellation",
        greeting=facts.to_broker,
        sentences=(f"{subject} is canceled{by}. {end}", *_ways_out(event)),
        rows=(
            *policy_rows(facts),
            ("Canceled from", day),
            *((("Reason", because),) if because else ()),
            *_amounts(event),
        ),
        next_step="Report every claim and circumstance that is known before that day; the notice says how.",
        link=facts.company_link,
    )


def _ways_out(event: Canceled) -> tuple[str, ...]:
    if not event.due:
        return ()
    due = f"The earned premium of {in_dollars(event.due)} is due."
    return (f"{due} The notice says until when payment keeps the policy in force.",)


def _amounts(event: Canceled) -> tuple[tuple[str, str], ...]:
    """Return what is earned, and what is returned or due of it."""
    figures = (
        ("Earned premium", event.earned),
        ("Returned premium", event.returned_premium or None),
        ("Earned premium due", event.due or None),
    )
    return tuple((name, in_dollars(Decimal(amount))) for name, amount in figures if amount is not None)


def _of_lapse(facts: MailFacts, event: Lapsed, subject: str) -> MailMessage:
    because = f"what it depended on was not received and accepted by {long_date(event.fulfil_by)}."
    return MailMessage(
        heading="Notice of lapse",
        greeting=facts.to_broker,
        sentences=(
            f"{subject} has lapsed: {because}",
            f"There is no coverage. {NEVER_IN_FORCE}: no premium is charged.",
        ),
        rows=policy_rows(facts),
        listed=listed("What was missing", facts.open_contingencies),
        next_step="Ask for a new quote if coverage is still wanted.",
        link=facts.company_link,
    )


def _of_reinstatement(facts: MailFacts, subject: str) -> MailMessage:
    policy = facts.bound
    until = long_date(policy.term.expiration)
    return MailMessage(
        heading="Notice of reinstatement",
        greeting=facts.to_broker,
        sentences=(
            f"{subject} has been reinstated without a lapse in coverage. It is in force until {until}.",
        ),
        rows=(*policy_rows(facts), *price_rows(facts.quote)),
        next_step=f"Keep the notice with the {'policy' if policy.is_issued else 'binder'}.",
        link=facts.company_link,
    )


def _of_nonrenewal(facts: MailFacts, event: NotRenewed, subject: str) -> MailMessage:
    ends = long_date(event.expiration)
    return MailMessage(
        heading="Notice of nonrenewal",
        greeting=facts.to_broker,
        sentences=(
            f"{subject} is not renewed by the insurer.",
            f"It stays in force until it ends on {ends} at 12:01 a.m.",
        ),
        rows=(*policy_rows(facts), ("Coverage ends", ends), ("Reason", in_one_line(event.reason))),
        next_step="Look for other coverage from that day on, and report every claim and circumstance that is "
        "known before it; the notice says how, and how long claims can still be reported.",
        link=facts.company_link,
    )


def _of_change(facts: MailFacts, event: Changed, subject: str) -> MailMessage:
    total = event.total
    amounts = {
        "Premium due": total,
        "Premium returned": -total,
    }
    return MailMessage(
        heading="Policy changed",
        greeting=facts.to_broker,
        sentences=(
            f"{subject} is changed from {long_date(event.effective)}.",
            "The endorsement says what, and has the declarations from then on.",
        ),
        rows=(
            *policy_rows(facts),
            *((item.label, in_one_line(item.after or "none")) for item in event.items),
            *((name, in_dollars(amount)) for name, amount in amounts.items() if amount > 0),
        ),
        next_step="Keep the endorsement with the policy.",
        link=facts.company_link,
    )


def restored_mails(facts: MailFacts, *, reason: str) -> tuple[Mail, ...]:
    """Withdraw a notice of nonrenewal; like the notice it cannot be switched off."""
    policy, ends = facts.bound, long_date(facts.bound.term.expiration)
    says = "is renewed after all: our notice of nonrenewal no longer holds."
    message = MailMessage(
        heading="Renewed after all",
        greeting=facts.to_broker,
        sentences=(f"Policy {policy.number} of {facts.to.insured} {says}", _what_comes(policy, ends)),
        rows=(*policy_rows(facts), ("Reason", in_one_line(reason))),
        next_step="Keep this mail with the notice.",
        link=facts.company_link,
    )
    mail = Mail(
        kind="nonrenewal_withdrawn",
        recipients=facts.to.brokers,
        subject=f"{policy.number} for {facts.to.insured} is renewed after all",
        message=message,
    )
    theirs = (f"Your policy {policy.number} {says}", _what_comes(policy, ends))
    return to_both(
        mail,
        facts,
        subject=f"Your policy {policy.number} is renewed after all",
        step=facts.quote.journal.entries,
        for_insured=replace(
            message, sentences=theirs, next_step=f"Keep this mail with the notice. {ask_broker(facts)}"
        ),
    )


def _what_comes(policy: Policy, ends: str) -> str:
    if policy.renewal_type is RenewalType.MANUAL:
        return f"Its automatic renewal is paused: it ends on {ends} unless a renewal is asked for and bound."
    return f"We offer its renewal 60 days before it ends on {ends}, or at once where that day is past."


def _name(policy: Policy) -> str:
    return f"policy {policy.number}" if policy.is_issued else f"binder B-{policy.number}"


def lapse_reminders_due(fulfil_by: date, today: date) -> int:
    return sum(1 for before in LAPSE_REMINDERS_BEFORE if fulfil_by - before <= today)


def is_lapse_reminder_due(policy: Policy, today: date) -> bool:
    if not policy.in_force or policy.is_issued or policy.fulfil_by is None:
        return False
    # On the days after its last one it lapses, which has a notice of its own.
    return lapse_reminders_due(policy.fulfil_by, today) > policy.lapse_reminders


def lapsing_mails(facts: MailFacts, *, received: Collection[str], today: date) -> tuple[Mail, ...]:
    """Remind of a binder that lapses soon; nothing is left to do where a file came for all that is open.

    `received` are the contingencies for which a file has come.
    """
    policy = facts.bound
    owed = [contingency for contingency in facts.contingencies if contingency.is_open]
    missing = [contingency for contingency in owed if contingency.contingency_id not in received]
    if policy.fulfil_by is None or policy.fulfil_by < today or (owed and not missing):
        return ()
    until, days = long_date(policy.fulfil_by), (policy.fulfil_by - today).days
    when = f"in {days} days, at the end of {until}" if days > 1 else f"at the end of {until}"
    unless = f"unless what is listed below is received by then. {NEVER_IN_FORCE}."
    message = MailMessage(
        heading=f"Binder, due {until}",
        greeting=facts.to_broker,
        sentences=(f"Binder B-{policy.number} of {facts.to.insured} lapses {when}, {unless}",),
        rows=(*policy_rows(facts), ("Binder, due", until)),
        listed=listed(
            STILL_OWED,
            (
                f"{contingency.text} (received, not yet accepted)"
                if contingency.contingency_id in received
                else contingency.text
                for contingency in owed
            ),
        ),
        next_step=f"Upload it by {until}.",
        link=facts.company_link,
    )
    theirs = f"Your binder B-{policy.number} lapses {when}, {unless}"
    for_insured = replace(
        message,
        sentences=(theirs,),
        next_step=f"Send it to your broker, {facts.broker_in_words}, by {until}.",
    )
    mail = Mail(
        kind="binder_lapsing",
        recipients=facts.to.brokers,
        subject=f"Binder B-{policy.number} for {facts.to.insured} lapses after {until}",
        message=message,
        switch=MailSwitch.BINDER_LAPSING,
    )
    step = lapse_reminders_due(policy.fulfil_by, today)
    return to_both(
        mail,
        facts,
        subject=f"Your binder B-{policy.number} lapses after {until}",
        step=step,
        for_insured=for_insured,
    )
