"""Mails to brokers about what was decided, read or is about to end, and to a partner's contact."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, assert_never

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import QuoteStatus
from bindery.contract.webhooks import DisabledBecause
from bindery.domain.applicant.risk import Terms
from bindery.domain.business_rules import long_date
from bindery.domain.messages.mail_choices import DigestEntry, MailSwitch
from bindery.domain.messages.mails import (
    Link,
    Mail,
    MailFacts,
    MailMessage,
    Points,
    in_one_line,
    insured_row,
    listed,
    price_rows,
    term_row,
)
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import ChangedTerms
from bindery.domain.quote.underwriting import from_record, total_of

QUOTE_REMINDERS_BEFORE: Final = (timedelta(days=10), timedelta(days=3))


def _options(quotes: Sequence[Quote]) -> str:
    numbers = [str(quote.option_number + 1) for quote in quotes]
    if len(numbers) == 1:
        return f"option {numbers[0]}"
    return f"options {', '.join(numbers[:-1])} and {numbers[-1]}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _terms(terms: Terms) -> str:
    retention = terms.per_claim_retention if terms.aggregate_retention is None else terms.aggregate_retention
    kept = f", {in_dollars(retention)} retention" if retention is not None else ""
    return f"{in_dollars(terms.aggregate_limit)} limit{kept}"


def _offered(quote: Quote) -> str:
    terms = quote.terms or quote.ask.as_terms()
    return f"Option {quote.option_number + 1}: {_terms(terms)}, total {in_dollars(total_of(quote))}"


@dataclass(frozen=True, slots=True)
class Approved:
    quote: Quote
    changed: ChangedTerms
    subject_to: tuple[str, ...] = ()


def approved_mail(facts: MailFacts, approved: Sequence[Approved], *, reason: str) -> Mail:
    """Report an approval with what is offered, what was changed, and what it is subject to."""
    quotes = [each.quote for each in approved]
    changes = [change for each in approved for change in _changes(each)]
    added = {text for each in approved for text in each.subject_to}
    why = f" Reason: {in_one_line(reason)}" if reason else ""
    (first, *others) = quotes
    rows = () if others else (("Terms", _terms(first.terms or first.ask.as_terms())), *price_rows(first))
    until = (("Open until", long_date(first.expires_on)),) if first.expires_on else ()
    sentences = [f"An underwriter approved {_options(quotes)} for {facts.to.insured}.{why}"]
    if others:
        sentences += [f"{_offered(quote)}." for quote in quotes]
    return Mail(
        kind=f"referral_approved_{first.journal.entries}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: {_options(quotes)} approved",
        message=MailMessage(
            heading="Approved, on other terms" if changes or added else "Approved",
            greeting=facts.to_broker,
            sentences=tuple(sentences),
            rows=(*insured_row(facts), term_row(facts.term), *rows, *until),
            listed=listed("What was changed", (*changes, *(f"Subject to: {text}" for text in sorted(added)))),
            next_step="Read the quote letter, and bind the option that your client chooses.",
            link=facts.company_link,
        ),
        switch=MailSwitch.REFERRAL_APPROVED,
    )


def amended_mails(facts: MailFacts, amended: Sequence[Approved], *, reason: str) -> Sequence[Mail]:
    """Report what an underwriter changed about open offers; the insured is told of a renewal's, too.

    A renewal is one option and binds by itself, at the premium that it has then.
    """
    quotes = [each.quote for each in amended]
    first = quotes[0]
    changes = [change for each in amended for change in _amended(each.quote)]
    added = {text for each in amended for text in each.subject_to}
    numbers = _options(quotes)
    until = (("Open until", long_date(first.expires_on)),) if first.expires_on else ()
    rows = price_rows(first) if len(quotes) == 1 else ()
    why = (("Reason", in_one_line(reason)),)
    said = f"An underwriter changed {numbers} for {facts.to.insured}, which can still be bound."
    message = MailMessage(
        heading="An offer has changed",
        greeting=facts.to_broker,
        sentences=(said, *(f"{_offered(quote)}." for quote in quotes if len(quotes) > 1)),
        rows=(*insured_row(facts), term_row(facts.term), *rows, *until, *why),
        listed=listed("What was changed", (*changes, *(f"Subject to: {text}" for text in sorted(added)))),
        next_step="Read the new quote letter; it replaces the earlier one.",
        link=facts.company_link,
    )
    mail = Mail(
        kind=f"quote_amended_{first.journal.entries}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: {numbers} changed",
        message=message,
        switch=MailSwitch.REFERRAL_APPROVED,
    )
    if first.status is not QuoteStatus.OFFER_EMAIL or not facts.to.insureds:
        return [mail]
    theirs = replace(
        message,
        greeting=facts.to_insured,
        sentences=("We have changed the offer to renew your policy.",),
        next_step=f"Questions? Write to your broker, {facts.broker_in_words}.",
        link=None,
    )
    to_insured = replace(
        mail,
        kind=f"{mail.kind}_to_insured",
        recipients=facts.to.insureds,
        subject="Your renewal offer has changed",
        message=theirs,
        switch=None,
    )
    return [mail, to_insured]


def _amended(quote: Quote) -> Iterable[str]:
    assert quote.assessment is not None, "an open offer was assessed"
    words = {"premium": "premium", "aggregate_retention": "retention", "per_claim_retention": "retention"}
    for change in from_record(quote.assessment).amendments[-1].changes:
        before, after = (
            "none" if amount is None else in_dollars(amount) for amount in (change.before, change.after)
        )
        yield f"Option {quote.option_number + 1}: {words[change.path]} {after} instead of {before}"


def withdrawn_mail(facts: MailFacts, quotes: Sequence[Quote], *, reason: str) -> Mail:
    numbers = _options(quotes)
    why = (("Reason", in_one_line(reason)),) if reason else ()
    return Mail(
        kind=f"quote_withdrawn_{quotes[0].journal.entries}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: {numbers} withdrawn",
        message=MailMessage(
            heading="Withdrawn by the underwriter",
            greeting=facts.to_broker,
            sentences=(
                f"An underwriter withdrew {numbers} for {facts.to.insured}: it cannot be bound any more."
                if len(quotes) == 1
                else f"An underwriter withdrew {numbers} for {facts.to.insured}: they cannot be bound any "
                "more.",
            ),
            rows=(*insured_row(facts), term_row(facts.term), *why),
            link=facts.company_link,
        ),
        switch=MailSwitch.QUOTE_DECLINED,
    )


def _changes(approved: Approved) -> Iterable[str]:
    quote, changed = approved.quote, approved.changed
    name = f"Option {quote.option_number + 1}"
    asked = (quote.ask.aggregate_retention, quote.ask.per_claim_retention)
    for given, wanted in zip((changed.aggregate_retention, changed.per_claim_retention), asked, strict=True):
        if given is not None and given != wanted:
            instead = f", {in_dollars(wanted)} asked for" if wanted is not None else ""
            yield f"{name}: retention {in_dollars(given)}{instead}"
    if changed.premium is not None or changed.percent is not None:
        yield f"{name}: premium set by the underwriter, {in_dollars(quote.premium or 0)}"


def declined_mail(facts: MailFacts, quotes: Sequence[Quote], *, reason: str, was_bind: bool) -> Mail:
    what = f"the bind of {_options(quotes)}" if was_bind else _options(quotes)
    why = (("Reason", in_one_line(reason)),) if reason else ()
    return Mail(
        kind=f"quote_declined_{quotes[0].journal.entries}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: {_options(quotes)} declined",
        message=MailMessage(
            heading="Declined",
            greeting=facts.to_broker,
            sentences=(f"An underwriter declined {what} for {facts.to.insured}.",),
            rows=(*insured_row(facts), term_row(facts.term), *why),
            next_step="Send us what is new, if anything could change the answer.",
            link=facts.company_link,
        ),
        switch=MailSwitch.QUOTE_DECLINED,
    )


def contingency_mail(
    facts: MailFacts,
    quotes: Sequence[Quote],
    *,
    added: Iterable[str] = (),
    closed: Iterable[str] = (),
    reopened: Iterable[str] = (),
    because: str = "",
) -> Mail:
    """Report what an option newly depends on, or no longer does; each text once."""
    parts = {
        "Added": dict.fromkeys(added),
        "Closed": dict.fromkeys(closed),
        "Reopened": dict.fromkeys(reopened),
    }
    points = [f"{name}: {in_one_line(text)}" for name, texts in parts.items() for text in texts]
    happened = " and ".join(name.lower() for name, texts in parts.items() if texts)
    is_more = bool(parts["Added"] or parts["Reopened"])
    numbers = _options(quotes)
    still = facts.open_contingencies
    why = (("The underwriter writes", in_one_line(because)),) if because else ()
    left = (("Open now", str(len(still)) if still else "nothing"),)
    return Mail(
        kind=f"contingency_{quotes[0].journal.entries}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: a contingency of {numbers} was {happened}",
        message=MailMessage(
            heading=f"A contingency was {happened}",
            greeting=facts.to_broker,
            sentences=(f"A contingency of {numbers} for {facts.to.insured} was {happened}.",),
            rows=(*insured_row(facts), term_row(facts.term), *why, *left),
            listed=listed("What changed", points),
            next_step="Upload what it asks for." if is_more else "",
            link=facts.company_link,
        ),
        switch=MailSwitch.CONTINGENCY,
    )


def file_mail(facts: MailFacts, *, name: str, seen: str, contingency: str | None, number: int) -> Mail:
    """Report what was seen in an uploaded file; `number` tells one file from another."""
    needed = (("For", in_one_line(contingency)),) if contingency else ()
    file = in_one_line(name)
    received = f"{file} was received for {_options([facts.quote])} of {facts.to.insured}."
    return Mail(
        kind=f"file_read_{number}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: {file} was read",
        message=MailMessage(
            heading="A file was read",
            greeting=facts.to_broker,
            sentences=(received, in_one_line(seen)),
            rows=(*insured_row(facts), ("File", file), *needed),
            link=facts.company_link,
        ),
        switch=MailSwitch.FILE_READ,
    )


def quote_reminders_due(expires_on: date, today: date) -> int:
    return sum(1 for before in QUOTE_REMINDERS_BEFORE if expires_on - before <= today)


def is_quote_reminder_due(quote: Quote, today: date) -> bool:
    if quote.status is not QuoteStatus.PUBLISHED or quote.expires_on is None:
        return False
    return quote_reminders_due(quote.expires_on, today) > quote.reminders_sent


def ending_mail(facts: MailFacts, quotes: Sequence[Quote], *, today: date) -> Mail | None:
    """Remind once of all open options of a submission that end on the same day."""
    ends = quotes[0].expires_on
    if ends is None or ends < today:
        return None
    days = (ends - today).days
    when = f"in {days} days" if days > 1 else ("tomorrow" if days else "today")
    numbers, verb = _options(quotes), "ends" if len(quotes) == 1 else "end"
    last_day = f"{long_date(ends)} is the last day to bind."
    return Mail(
        kind=f"quote_ending_{quote_reminders_due(ends, today)}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: {numbers} {verb} on {long_date(ends)}",
        message=MailMessage(
            heading=f"Open until {long_date(ends)}",
            greeting=facts.to_broker,
            sentences=(f"{_capital(numbers)} for {facts.to.insured} {verb} {when}: {last_day}",),
            rows=(*insured_row(facts), term_row(facts.term), ("Open until", long_date(ends))),
            listed=listed("Still open", map(_offered, quotes)),
            next_step="Bind the option that your client chooses, or ask for a new quote later.",
            link=facts.company_link,
        ),
        switch=MailSwitch.QUOTE_ENDING,
    )


def entry_of(mail: Mail, at: datetime) -> DigestEntry:
    """Return what the digest says instead of a mail: its sentences, and what it lists."""
    message = mail.message
    parts = list(message.sentences)
    if message.listed:
        points = "; ".join(text for text, _ in message.listed.points)
        parts.append(f"{message.listed.title}: {points}.")
    return DigestEntry(at, " ".join(parts), message.link.address if message.link else "")


def digest_mail(recipient: str, name: str, entries: Sequence[DigestEntry], *, account: str) -> Mail:
    count = len(entries)
    what = "1 thing happened" if count == 1 else f"{count:,} things happened"
    return Mail(
        kind="digest",
        recipients=(recipient,),
        subject=f"Your daily digest: {what}",
        message=MailMessage(
            heading="Your daily digest",
            greeting=f"Dear {in_one_line(name)}," if name else "Hello,",
            sentences=(f"{what} since your last digest, the oldest first.",),
            listed=Points(
                "What happened",
                tuple((entry.sentence, entry.link) for entry in entries),
            ),
            next_step="Choose in your account which mail comes at once, in this digest, or not at all.",
            link=Link("Open your account", account),
        ),
    )


def disabled_mail(recipient: str, *, endpoint: str, because: DisabledBecause, docs_url: str) -> Mail:
    match because:
        case DisabledBecause.GONE:
            cause = "It answered 410 Gone, which means that it will not take any more deliveries."
        case DisabledBecause.FAILING:
            cause = "Every delivery to it has failed for five days."
        case DisabledBecause.OPERATOR:
            cause = "An operator of ours has disabled it; ask us why."
        case _:
            assert_never(because)
    return Mail(
        kind="webhook_disabled",
        recipients=(recipient,),
        subject=f"Your webhook {endpoint} is disabled",
        message=MailMessage(
            heading="A webhook is disabled",
            greeting="Hello,",
            sentences=(f"We have stopped delivering to {endpoint}. {cause}",),
            next_step=(
                "No event is lost: GET /v2/events has them all. To receive deliveries again, register the "
                "same endpoint with POST /v2/webhooks; what was still waiting is then sent, and POST "
                "/v2/webhooks/{id}/replay with a time in `since` sends what happened in between."
            ),
            link=Link("Read about webhooks", docs_url),
        ),
    )
