from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.find_link import ClientVisit, find_link
from bindery.base.errors import InvalidRequest
from bindery.contract.event_details import SignatureRequestDeclined
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.signing_mails import sent_back_mail
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.signing.client_link import LONGEST_SAID, ClientLink, LinkStatus, why_settled
from bindery.domain.text import flaws_of_lines
from bindery.storage.database import Database
from bindery.storage.signing import client_links


async def send_back(
    database: Database, rules: BusinessRules, token: str, visit: ClientVisit, text: str
) -> ClientLink:
    """Send the application back to the broker with what is wrong in it; sending it twice changes nothing.

    Raises:
        LinkEnded: the link does not work.
        InvalidRequest: nothing is said, or too much; or it was signed already.
    """
    if problems := [*flaws_of_lines(text, "text", longest=LONGEST_SAID)]:
        raise InvalidRequest.because(problems)
    if not text.strip():
        raise InvalidRequest.at("text", "required", "must say what is wrong")
    found = await find_link(database, token, visit)
    async with database.transaction() as tx:
        quote = await lock_quote(tx, found.subject)
        if not await client_links.move(tx, found.link_id, LinkStatus.DECLINED, said=text.strip()):
            link = await client_links.get(tx, found.link_id)
            if link.status is LinkStatus.DECLINED:
                return link
            raise why_settled(link)
        if may(quote.status, Trigger.DECLINE_TO_SIGN):
            said = SignatureRequestDeclined(
                signature_request_id=str(found.link_id), email=found.email, text=text.strip()
            )
            quote = await advance_quote(tx, quote, Trigger.DECLINE_TO_SIGN, actor=found.actor, said=said)
        facts = await gather_mail_facts(tx, rules, quote)
        await write_mails(tx, quote.quote_id, [sent_back_mail(facts, found, text)])
        return await client_links.get(tx, found.link_id)
