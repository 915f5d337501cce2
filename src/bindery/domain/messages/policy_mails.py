"""Mails about a bind, a policy and its renewal: each to the brokers, and in other words to the insured."""

from dataclasses import replace
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.domain.business_rules import long_date
from bindery.domain.messages.mail_choices import MailSwitch
from bindery.domain.messages.mails import (
    TO_INSURED,
    Enclosure,
    Mail,
    MailFacts,
    MailMessage,
    due_row,
    insured_row,
    listed,
    policy_rows,
    price_rows,
    term_row,
)
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.underwriting import total_of

STILL_OWED: Final = "What is needed"


def to_both(
    mail: Mail, facts: MailFacts, *, subject: str, for_insured: MailMessage, step: int | None = None
) -> tuple[Mail, ...]:
    """Return the mail to the brokers, and that to the insured, who has no account and nothing to switch."""
    occurrence = "" if step is None else f"_{step}"
    ours = replace(mail, kind=f"{mail.kind}{occurrence}")
    if not facts.to.insureds:
        return (ours,)
    theirs = replace(
        mail,
        kind=f"{mail.kind}_{TO_INSURED}{occurrence}",
        recipients=facts.to.insureds,
        subject=subject,
        message=replace(for_insured, greeting=facts.to_insured, link=None),
        switch=None,
    )
    return (ours, theirs)


def ask_broker(facts: MailFacts) -> str:
    return f"Questions? Write to your broker, {facts.broker_in_words}."


def offer_mails(
    facts: MailFacts, expiring: Policy, *, binds_automatically: bool, reminder: int = 0
) -> tuple[Mail, ...]:
    """Offer a renewal; the insured's copy goes to the main contact alone, who answers for the premium."""
    ends = long_date(expiring.term.expiration)
    ended = f"The policy {expiring.policy_number} of {facts.to.insured} ends on {ends}."
    if binds_automatically:
        ahead = "It renews automatically on that day unless the renewal is paused."
        theirs = "Unless you or your broker pause the renewal, it renews automatically on that day and the "
        theirs += "total below becomes due."
        todo = "Check that the answers in the letter still hold, and pause the renewal if it is not wanted."
    else:
        ahead = "It does not renew automatically: please bind it before that day."
        theirs = f"It does not renew automatically: without an answer your coverage ends on {ends}."
        todo = "Bind the offer before that day."
    message = MailMessage(
        heading="Reminder: your client's renewal" if reminder else "A renewal is offered",
        greeting=facts.to_broker,
        sentences=(f"{ended} We offer to renew it from that day. {ahead}",),
        rows=(
            *insured_row(facts),
            ("Expiring policy", expiring.number),
            term_row(facts.term),
            *price_rows(facts.quote),
            due_row(facts.term),
        ),
        listed=listed(STILL_OWED, facts.open_contingencies),
        next_step=todo,
        link=facts.company_link,
    )
    for_insured = replace(
        message,
        heading="Reminder: your renewal" if reminder else "Your renewal",
        sentences=(f"Your policy {expiring.policy_number} ends on {ends}. We offer to renew it. {theirs}",),
        next_step=f"Read the attached letter, and write to your broker, {facts.broker_in_words}, if anything "
        "in it has changed.",
    )
    about = "Reminder: renewal" if reminder else "Renewal"
    mail = Mail(
        kind="renewal_reminder" if reminder else "renewal_offer",
        recipients=facts.to.brokers,
        subject=f"{about} of {expiring.policy_number} for {facts.to.insured}",
        message=message,
        enclosures=(Enclosure(DocumentType.QUOTE_LETTER),),
        switch=MailSwitch.RENEWAL,
    )
    to_main = replace(facts, to=replace(facts.to, policy_notices=()))
    return to_both(
        mail,
        to_main,
        subject=f"{about} of your policy {expiring.number}",
        step=reminder or None,
        for_insured=for_insured,
    )


def policy_mails(facts: MailFacts) -> tuple[Mail, ...]:
    """Send the binder, or the policy, with the bill; and once a letter on security."""
    policy = facts.bound
    mails = _issued(facts) if policy.is_issued else _bound(facts, policy)
    letter = _security_letter(facts)
    return (*mails, letter) if letter.recipients else mails


def _issued(facts: MailFacts) -> tuple[Mail, ...]:
    policy, (_, due) = facts.bound, due_row(facts.term)
    total = in_dollars(total_of(facts.quote))
    message = MailMessage(
        heading="The policy is issued",
        greeting=facts.to_broker,
        sentences=(f"Policy {policy.number} of {facts.to.insured} is issued.",),
        rows=(*policy_rows(facts), *price_rows(facts.quote), due_row(facts.term)),
        next_step=f"Check the policy, and see that {total} is paid by {due}.",
        link=facts.company_link,
    )
    for_insured = replace(
        message,
        heading="Your policy",
        sentences=(f"Your policy {policy.number} is issued. Please keep it.",),
        next_step=f"Pay {total} by {due}; the billing statement says how. {ask_broker(facts)}",
    )
    mail = Mail(
        kind="policy_issued",
        recipients=facts.to.brokers,
        subject=f"{policy.number} for {facts.to.insured} is issued",
        message=message,
        enclosures=_documents(DocumentType.POLICY),
        switch=MailSwitch.POLICY,
    )
    return to_both(mail, facts, subject=f"Your policy {policy.number} is issued", for_insured=for_insured)


def _bound(facts: MailFacts, policy: Policy) -> tuple[Mail, ...]:
    assert policy.fulfil_by is not None, "a binder that is not issued is conditional"
    until = long_date(policy.fulfil_by)
    lapses = f"It lapses at the end of {until} unless what is listed below is received and accepted by then."
    message = MailMessage(
        heading=f"Binder, due {until}",
        greeting=facts.to_broker,
        sentences=(f"Binder B-{policy.number} of {facts.to.insured} is issued. {lapses}",),
        rows=(
            *policy_rows(facts),
            ("Binder, due", until),
            *price_rows(facts.quote),
            due_row(facts.term),
        ),
        listed=listed(STILL_OWED, facts.open_contingencies),
        next_step=f"Upload what is still needed by {until}.",
        link=facts.company_link,
    )
    for_insured = replace(
        message,
        heading="Your binder",
        sentences=(f"Your coverage is bound, by binder B-{policy.number}. {lapses}",),
        next_step=f"Send what is still needed to your broker, {facts.broker_in_words}.",
    )
    mail = Mail(
        kind="policy_bound",
        recipients=facts.to.brokers,
        subject=f"Binder B-{policy.number} for {facts.to.insured}",
        message=message,
        enclosures=_documents(DocumentType.BINDER),
        switch=MailSwitch.POLICY,
    )
    return to_both(
        mail, facts, subject=f"Your binder B-{policy.number}, due {until}", for_insured=for_insured
    )


def _documents(first: DocumentType) -> tuple[Enclosure, ...]:
    return tuple(map(Enclosure, (first, DocumentType.BILLING_STATEMENT, DocumentType.BINDER_TRIA)))


def _security_letter(facts: MailFacts) -> Mail:
    insured = facts.to.insured
    if not facts.product.is_scanned:
        heading = title = "Your practice and your insurance"
        subject = f"{title}: {insured}"
        sentence = f"Coverage for {insured} is bound. The attached letter says how to use it, and how to "
        sentence += "report a claim."
    else:
        heading, title, subject = "Your security letter", "Security letter", f"Security letter for {insured}"
        sentence = f"Coverage for {insured} is bound. The attached letter says what we saw from outside."
    return Mail(
        kind="security_letter",
        recipients=facts.to.alerted,
        subject=subject,
        message=MailMessage(
            heading=heading,
            # Others than the main contact may be named for it, of whom we know the address alone.
            greeting="Hello," if facts.to.security_alerts else facts.to_insured,
            sentences=(sentence,),
            rows=policy_rows(facts),
            next_step=f"Keep the letter where it is found in a hurry. {ask_broker(facts)}",
        ),
        enclosures=(Enclosure(DocumentType.SECURITY_LETTER, title=title),),
    )
