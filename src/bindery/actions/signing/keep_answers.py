from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.find_link import ClientVisit, find_link
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.mails import Link
from bindery.domain.messages.signing_mails import LinkAbout, about_of, answered_mail
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.signing.client_link import (
    ClientLink,
    LinkEnded,
    LinkPurpose,
    LinkStatus,
    noted,
    why_settled,
)
from bindery.storage.database import Database, Tx
from bindery.storage.signing import client_links


async def keep_answers(
    database: Database, rules: BusinessRules, token: str, visit: ClientVisit, answers: str
) -> ClientLink:
    """Keep what a client answered, as JSON like `questions` of a request, and tell the broker.

    Raises:
        LinkEnded: the link does not work.
        InvalidRequest: the questions were answered already.
    """
    found = await find_link(database, token, visit)
    if found.purpose is not LinkPurpose.ANSWERS:
        raise LinkEnded
    async with database.transaction() as tx:
        if found.quote_id is not None:
            await lock_quote(tx, found.quote_id)
        if not await client_links.move(tx, found.link_id, LinkStatus.ANSWERED, answers=answers):
            raise why_settled(await client_links.get(tx, found.link_id))
        await _tell_answered(tx, rules, found)
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
