"""What a client does by a link beside signing: choose an option, answer questions, send something back."""

import uuid

from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.link_standing import ClientVisit, find_link, find_standing
from bindery.base.errors import InvalidRequest
from bindery.contract.events import SignatureRequestDeclined
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.mails import Link
from bindery.domain.messages.signing_mails import LinkAbout, about_of, answered_mail, sent_back_mail
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.signing.client_link import (
    LONGEST_SAID,
    ClientLink,
    LinkEnded,
    LinkPurpose,
    LinkStatus,
    noted,
)
from bindery.domain.signing.signing import why_not_signable
from bindery.domain.text import flaws_of_lines
from bindery.runtime import Runtime
from bindery.storage.database import Database, Tx
from bindery.storage.signing import client_links


async def choose_option(
    database: Database, token: str, visit: ClientVisit, quote_id: uuid.UUID
) -> ClientLink:
    """Choose an option of a proposal, which is then to be signed; until then another may be chosen.

    Raises:
        LinkEnded: the link does not work.
        InvalidRequest: the option is not one of the proposal, or the proposal was signed or sent back.
        TermsNoLongerHold: the option is not offered any more.
    """
    found = await find_link(database, token, visit)
    async with database.transaction() as tx:
        if quote_id not in found.option_ids:
            raise InvalidRequest.at("option", "not_offered", "is not one of the options of the proposal")
        quote = await lock_quote(tx, quote_id)
        if (why := why_not_signable(await find_standing(tx, quote))) is not None:
            raise why
        if (found.quote_id, found.chosen_at is not None) == (quote_id, True) and found.is_waiting:
            return found
        if not await client_links.choose(tx, found.link_id, quote_id):
            link = await client_links.get(tx, found.link_id)
            raise _settled(link)
        if may(quote.status, Trigger.CHOOSE_OPTION):
            await advance_quote(tx, quote, Trigger.CHOOSE_OPTION, actor=found.actor, said=noted(found))
        return await client_links.get(tx, found.link_id)


async def send_back(runtime: Runtime, token: str, visit: ClientVisit, text: str) -> ClientLink:
    """Send the application back to the broker with what is wrong in it; sending it twice changes nothing.

    Raises:
        LinkEnded: the link does not work.
        InvalidRequest: nothing is said, or too much; or it was signed already.
    """
    if problems := [*flaws_of_lines(text, "text", longest=LONGEST_SAID)]:
        raise InvalidRequest.because(problems)
    if not text.strip():
        raise InvalidRequest.at("text", "required", "must say what is wrong")
    found = await find_link(runtime.database, token, visit)
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, found.subject)
        if not await client_links.move(tx, found.link_id, LinkStatus.DECLINED, said=text.strip()):
            link = await client_links.get(tx, found.link_id)
            if link.status is LinkStatus.DECLINED:
                return link
            raise _settled(link)
        if may(quote.status, Trigger.DECLINE_TO_SIGN):
            said = SignatureRequestDeclined(
                signature_request_id=str(found.link_id), email=found.email, text=text.strip()
            )
            quote = await advance_quote(tx, quote, Trigger.DECLINE_TO_SIGN, actor=found.actor, said=said)
        facts = await gather_mail_facts(tx, runtime.rules, quote)
        await write_mails(tx, quote.quote_id, [sent_back_mail(facts, found, text)])
        return await client_links.get(tx, found.link_id)


async def keep_answers(runtime: Runtime, token: str, visit: ClientVisit, answers: str) -> ClientLink:
    """Keep what a client answered, as JSON like `questions` of a request, and tell the broker.

    Raises:
        LinkEnded: the link does not work.
        InvalidRequest: the questions were answered already.
    """
    found = await find_link(runtime.database, token, visit)
    if found.purpose is not LinkPurpose.ANSWERS:
        raise LinkEnded
    async with runtime.database.transaction() as tx:
        if found.quote_id is not None:
            await lock_quote(tx, found.quote_id)
        if not await client_links.move(tx, found.link_id, LinkStatus.ANSWERED, answers=answers):
            raise _settled(await client_links.get(tx, found.link_id))
        await _tell_answered(tx, runtime.rules, found)
        return await client_links.get(tx, found.link_id)


async def _tell_answered(tx: Tx, rules: BusinessRules, link: ClientLink) -> None:
    if link.quote_id is None:
        about = LinkAbout("your client", link.broker_email)
        open_at = Link("Open the draft", f"{rules.platform_url}/draft/{link.draft_id}/questions")
        mail = answered_mail(link, about, to=(link.broker_email,), greeting="Hello,", open_at=open_at)
        await write_mails(tx, None, [mail])
        return
    quote = await lock_quote(tx, link.quote_id)
    if may(quote.status, Trigger.ANSWER_QUESTIONS):
        quote = await advance_quote(tx, quote, Trigger.ANSWER_QUESTIONS, actor=link.actor, said=noted(link))
    facts = await gather_mail_facts(tx, rules, quote)
    mail = answered_mail(
        link, about_of(facts), to=facts.to.brokers, greeting=facts.to_broker, open_at=facts.company_link
    )
    await write_mails(tx, quote.quote_id, [mail])


def _settled(link: ClientLink) -> InvalidRequest | LinkEnded:
    """Return why a link that is settled takes nothing more."""
    said = {
        LinkStatus.SIGNED: "The application was signed already.",
        LinkStatus.DECLINED: "The application was sent back to the broker already.",
        LinkStatus.ANSWERED: "The questions were answered already.",
    }.get(link.status)
    return LinkEnded() if said is None else InvalidRequest(said, code="already_settled")
