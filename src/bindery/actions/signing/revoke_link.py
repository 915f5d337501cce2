import uuid

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.caller import Caller
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.signing.client_link import ClientLink, LinkStatus, noted
from bindery.storage.database import Database
from bindery.storage.signing import client_links

OVER = frozenset({LinkStatus.REVOKED, LinkStatus.EXPIRED})


async def revoke_link(database: Database, caller: Caller, link_id: uuid.UUID) -> ClientLink:
    """Revoke a link; one that has ended already stays as it is.

    Raises:
        NotFound: there is no such link of this partner.
        InvalidRequest: the client has signed, answered or sent it back.
    """
    async with database.transaction() as tx:
        found = await client_links.find(tx, link_id, partner_id=caller.partner_id)
        if found is None:
            raise NotFound("There is no such signature request.")
        quote = await lock_quote(tx, found.quote_id) if found.quote_id is not None else None
        if await client_links.move(tx, link_id, LinkStatus.REVOKED):
            if quote is not None and may(quote.status, Trigger.TAKE_LINK_BACK):
                await advance_quote(tx, quote, Trigger.TAKE_LINK_BACK, actor=caller.actor, said=noted(found))
        else:
            link = await client_links.get(tx, link_id)
            if link.status not in OVER:
                raise InvalidRequest(
                    f"The signature request cannot be taken back: it is {link.status}.",
                    code="already_settled",
                )
        return await client_links.get(tx, link_id)
