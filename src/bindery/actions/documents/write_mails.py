"""Writing the mails of a step, in the transaction of that step."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

import msgspec

from bindery.contract.event_details import AlertFinding
from bindery.contract.vocabulary import QuoteStatus
from bindery.documents.mail_body import mail_body
from bindery.domain.access.users import Role
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import PolicyEvent
from bindery.domain.messages.desk_mails import (
    Approved,
    amended_mails,
    approved_mail,
    contingency_mail,
    declined_mail,
    entry_of,
    file_mail,
    withdrawn_mail,
)
from bindery.domain.messages.mail_choices import MailChoice
from bindery.domain.messages.mails import Enclosure, Mail, MailFacts, addressees_of
from bindery.domain.messages.notice_mails import notice_mails, restored_mails, security_alert_mail
from bindery.domain.messages.policy_mails import offer_mails, policy_mails
from bindery.domain.policy.contingencies import find_contingency
from bindery.domain.policy.policy import Policy
from bindery.domain.policy.renewal import binds_automatically
from bindery.domain.quote.decisions import (
    AddContingency,
    AmendOption,
    ApproveReferral,
    CloseContingency,
    Decision,
    DeclineQuote,
    ReopenContingency,
    RevokeQuote,
)
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import client_of
from bindery.storage.access import users
from bindery.storage.database import Reader, Tx
from bindery.storage.documents import mails
from bindery.storage.documents.uploads import Upload
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies, quotes
from bindery.storage.submission import submissions


async def write_mails(tx: Tx, quote_id: uuid.UUID | None, written: Iterable[Mail]) -> None:
    """Write mails, each at once, into the digests of brokers who chose them, or not at all."""
    for mail in written:
        at_once = await _at_once(tx, quote_id, mail)
        if at_once:
            body = mail_body(mail, on=tx.today)
            await mails.write(tx, quote_id, replace(mail, recipients=at_once), body=body.text, html=body.html)


async def _at_once(tx: Tx, quote_id: uuid.UUID | None, mail: Mail) -> tuple[str, ...]:
    """Return who gets a mail at once, after noting it for the digests of the others."""
    if mail.switch is None:
        return mail.recipients
    chosen = await mails.choices_of_addresses(tx, mail.switch, mail.recipients)
    for who in chosen.values():
        if who.choice is MailChoice.DIGEST:
            entry = entry_of(mail, tx.now)
            await mails.add_to_digest(tx, who.user_id, entry, quote_id=quote_id, kind=mail.kind)
    return tuple(address for address in mail.recipients if address.lower() not in chosen)


async def gather_mail_facts(
    tx: Reader, rules: BusinessRules, quote: Quote, policy: Policy | None = None
) -> MailFacts:
    stored = await submissions.get(tx, quote.submission_id)
    policy = policy or await policies.find(tx, quote.quote_id)
    contacts = await policies.contacts_of(tx, quote.quote_id) if policy else None
    to = addressees_of(client_of(stored.body), msgspec.json.decode(contacts) if contacts else None)
    names = await users.names_by_email(tx, [to.broker.lower()], role=Role.BROKER)
    name = names.get(to.broker.lower())
    return MailFacts(
        to=to,
        quote=quote,
        term=policy.term if policy else stored.submission.term,
        platform=rules.platform_url,
        policy=policy,
        contingencies=tuple(await contingencies.of_quote(tx, quote.quote_id)),
        broker_name=None if name == to.broker.lower() else name,
    )


async def write_offer_mail(
    tx: Tx, rules: BusinessRules, renewal: Quote, expiring: Policy, *, reminder: int = 0
) -> None:
    """Offer a renewal to its brokers and its insured, or remind of it."""
    facts = await gather_mail_facts(tx, rules, renewal)
    automatic = binds_automatically(expiring, facts.contingencies)
    offered = offer_mails(facts, expiring, binds_automatically=automatic, reminder=reminder)
    await write_mails(tx, renewal.quote_id, offered)


async def write_policy_mails(tx: Tx, rules: BusinessRules, quote: Quote, policy: Policy) -> None:
    await write_mails(tx, quote.quote_id, policy_mails(await gather_mail_facts(tx, rules, quote, policy)))


async def write_notice_mail(
    tx: Tx, rules: BusinessRules, quote: Quote, event: PolicyEvent, notice: Enclosure
) -> None:
    facts = await gather_mail_facts(tx, rules, quote)
    await write_mails(tx, quote.quote_id, notice_mails(facts, event, notice))


async def write_restored_mail(tx: Tx, rules: BusinessRules, quote: Quote, *, reason: str) -> None:
    facts = await gather_mail_facts(tx, rules, quote)
    await write_mails(tx, quote.quote_id, restored_mails(facts, reason=reason))


async def write_alert_mail(
    tx: Tx, rules: BusinessRules, quote: Quote, findings: Sequence[AlertFinding]
) -> None:
    facts = await gather_mail_facts(tx, rules, quote)
    await write_mails(tx, quote.quote_id, [security_alert_mail(facts, findings)])


async def write_file_mail(tx: Tx, rules: BusinessRules, upload: Upload, *, contingency: str | None) -> None:
    """Report to the brokers what was seen in a file."""
    quote = await quotes.get(tx, upload.quote_id)
    mail = file_mail(
        await gather_mail_facts(tx, rules, quote),
        name=upload.name,
        seen=upload.finding.note,
        contingency=contingency,
        number=upload.document_id.int,
    )
    await write_mails(tx, quote.quote_id, [mail])


async def write_decision_mails(
    tx: Tx, rules: BusinessRules, decided: Sequence[tuple[Decision, Quote]]
) -> None:
    """Report decisions to the brokers: one mail for all options of a submission that were decided together.

    The quotes are those before the decisions. What issues or ends a policy is reported by its own mail.
    """
    mine = [(decision, quote) for decision, quote in decided if isinstance(decision, _REPORTED)]
    mine.sort(key=lambda each: (each[1].submission_id, type(each[0]).__name__, each[1].option_number))
    for (_, kind), group in groupby(mine, lambda each: (each[1].submission_id, type(each[0]))):
        read = [(decision, quote, await quotes.get(tx, quote.quote_id)) for decision, quote in group]
        # What was closed already stays so without a step.
        together = [each for each in read if each[2].journal.entries > each[1].journal.entries]
        if not together:
            continue
        now = [quote for _, _, quote in together]
        facts = await gather_mail_facts(tx, rules, now[0])
        if issubclass(kind, CloseContingency) and facts.policy is not None and facts.policy.is_issued:
            continue
        mails = await _decision_mails(tx, facts, [decision for decision, *_ in together], now, together[0][1])
        await write_mails(tx, now[0].quote_id, mails)


_REPORTED = (
    ApproveReferral,
    AmendOption,
    DeclineQuote,
    RevokeQuote,
    AddContingency,
    CloseContingency,
    ReopenContingency,
)


async def _decision_mails(
    tx: Reader, facts: MailFacts, decisions: Sequence[Decision], now: Sequence[Quote], before: Quote
) -> Sequence[Mail]:
    """Return the mails about decisions of one kind."""
    match decisions[0]:
        case ApproveReferral(reason=reason):
            return [approved_mail(facts, _approved(decisions, now), reason=reason)]
        case AmendOption(reason=reason):
            amended = [each for each in _approved(decisions, now) if each.changed.anything]
            added = [text for each in _approved(decisions, now) for text in each.subject_to]
            if amended:
                return amended_mails(facts, amended, reason=reason)
            return [contingency_mail(facts, now, added=added)]
        case DeclineQuote(reason):
            was_bind = before.status is QuoteStatus.QUOTE_BIND_REQUESTED
            return [declined_mail(facts, now, reason=reason, was_bind=was_bind)]
        case RevokeQuote(reason):
            return [withdrawn_mail(facts, now, reason=reason)]
        case _:
            return [await _contingency_mail(tx, facts, decisions, now)]


def _approved(decisions: Sequence[Decision], now: Sequence[Quote]) -> list[Approved]:
    return [
        Approved(quote, decision.changed, tuple(draft.text for draft in decision.contingencies))
        for decision, quote in zip(decisions, now, strict=True)
        if isinstance(decision, ApproveReferral | AmendOption)
    ]


async def _contingency_mail(
    tx: Reader, facts: MailFacts, decisions: Sequence[Decision], now: Sequence[Quote]
) -> Mail:
    added: list[str] = []
    closed: list[str] = []
    reopened: list[str] = []
    reason = ""
    for decision, quote in zip(decisions, now, strict=True):
        match decision:
            case AddContingency(draft):
                added.append(draft.text)
            case CloseContingency(number):
                closed.append(await _text_of(tx, quote, number))
            case ReopenContingency(number, because):
                reason = because
                reopened.append(await _text_of(tx, quote, number))
            case _:
                pass
    return contingency_mail(facts, now, added=added, closed=closed, reopened=reopened, because=reason)


async def _text_of(tx: Reader, quote: Quote, contingency_id: str) -> str:
    return find_contingency(await contingencies.of_quote(tx, quote.quote_id), contingency_id).text
