import uuid

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.find_link import ClientVisit, find_link, find_standing
from bindery.base.errors import InvalidRequest
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.signing.client_link import ClientLink, noted, why_settled
from bindery.domain.signing.signing import why_not_signable
from bindery.storage.database import Database
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
            raise why_settled(await client_links.get(tx, found.link_id))
        if may(quote.status, Trigger.CHOOSE_OPTION):
            await advance_quote(tx, quote, Trigger.CHOOSE_OPTION, actor=found.actor, said=noted(found))
        return await client_links.get(tx, found.link_id)
