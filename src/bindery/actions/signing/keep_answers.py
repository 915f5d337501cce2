from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.find_link import ClientVisit, find_link
from bindery.actions.signing.take_answers import fill_in_answers
from bindery.domain.business_rules import BusinessRules
from bindery.domain.drafts.client_answers import answered_fields
from bindery.domain.drafts.draft import Draft
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
from bindery.storage.submission import drafts


async def keep_answers(
    database: Database, rules: BusinessRules, token: str, visit: ClientVisit, answers: str
) -> ClientLink:
    """Keep what a client answered, as JSON like `questions` of a request, and tell the broker.

    What is asked for a draft comes into its fields where they are empty, in the same transaction.

    Raises:
        LinkEnded: the link does not work, or there is no draft any more that the answers are for.
        InvalidRequest: the questions were answered already.
    """
    found = await find_link(database, token, visit)
    if found.purpose is not LinkPurpose.ANSWERS:
        raise LinkEnded
    async with database.transaction() as tx:
        draft = None
        if found.quote_id is not None:
            await lock_quote(tx, found.quote_id)
        elif found.draft_id is not None:
            draft = await drafts.lock(tx, found.draft_id, partner_id=found.partner_id)
            if draft is None:
                raise LinkEnded
        if not await client_links.move(tx, found.link_id, LinkStatus.ANSWERED, answers=answers):
            raise why_settled(await client_links.get(tx, found.link_id))
        if draft is None:
            await _tell_of_quote(tx, rules, found)
        else:
            await _tell_of_draft(tx, rules, draft, found, answers)
        return await client_links.get(tx, found.link_id)


async def _tell_of_draft(tx: Tx, rules: BusinessRules, draft: Draft, link: ClientLink, answers: str) -> None:
    otherwise = await fill_in_answers(tx, draft, link, answers)
    place = f"{rules.platform_url}/draft/{draft.draft_id}"
    mail = answered_mail(
        link,
        LinkAbout(draft.name or "your client", link.broker_email),
        to=(link.broker_email,),
        greeting="Hello,",
        open_at=Link("Choose the answers", f"{place}/ask")
        if otherwise
        else Link("Open the draft", f"{place}/review"),
        answered=len(answered_fields(answers)),
        otherwise=otherwise,
    )
    await write_mails(tx, None, [mail])


async def _tell_of_quote(tx: Tx, rules: BusinessRules, link: ClientLink) -> None:
    quote = await lock_quote(tx, link.subject)
    if may(quote.status, Trigger.ANSWER_QUESTIONS):
        quote = await advance_quote(tx, quote, Trigger.ANSWER_QUESTIONS, actor=link.actor, said=noted(link))
    facts = await gather_mail_facts(tx, rules, quote)
    mail = answered_mail(
        link, about_of(facts), to=facts.to.brokers, greeting=facts.to_broker, open_at=facts.company_link
    )
    await write_mails(tx, quote.quote_id, [mail])
