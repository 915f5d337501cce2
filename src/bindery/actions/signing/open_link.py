from dataclasses import dataclass

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.find_link import ClientVisit, find_link, find_standing
from bindery.contract.event_details import SignatureRequestOpened
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.signing.client_link import (
    MOST_OPENINGS_OF_A_LINK,
    MOST_OPENINGS_OF_AN_ADDRESS,
    ClientLink,
    LinkEnded,
    LinkPurpose,
    LinkStatus,
    TooManyTries,
)
from bindery.domain.signing.signing import OptionStanding, TermsNoLongerHold, why_not_signable
from bindery.storage.database import Database, Tx
from bindery.storage.quote import quotes
from bindery.storage.signing import client_links, link_limits


@dataclass(frozen=True, slots=True)
class OpenedLink:
    """A link and how its option stands; without one where it asks the questions of a draft.

    `why_not` says why nothing can be signed, before the client has typed anything.
    """

    link: ClientLink
    standing: OptionStanding | None
    why_not: TermsNoLongerHold | None


async def open_link(database: Database, token: str, visit: ClientVisit) -> OpenedLink:
    """Open a link for its client and count it; the partner is told of the first time.

    Raises:
        LinkEnded: it has ended, was taken back, or never was one.
        TooManyTries: it was opened too often, or too many were opened from this address.
    """
    found = await find_link(database, token, visit)
    limits = {
        f"client link opened {found.link_id}": MOST_OPENINGS_OF_A_LINK,
        f"client link opened by {visit.address}": MOST_OPENINGS_OF_AN_ADDRESS,
    }
    async with database.transaction() as tx:
        if not await link_limits.spend(tx, limits):
            raise TooManyTries("This page was opened too often.")
        if found.status is LinkStatus.SENT:
            await _open(tx, found)
        await client_links.count_opening(tx, found.link_id)
        link = await client_links.get(tx, found.link_id)
        if not link.works_at(tx.now):
            raise LinkEnded
        standing = await _standing(tx, link)
    return OpenedLink(link, standing, why_not_signable(standing) if standing else None)


async def _open(tx: Tx, found: ClientLink) -> None:
    quote = await lock_quote(tx, found.quote_id) if found.quote_id is not None else None
    if not await client_links.move(tx, found.link_id, LinkStatus.OPENED):
        # Opened in two windows at once: the other one told the partner.
        return
    tells = found.purpose is not LinkPurpose.ANSWERS
    if quote is not None and tells and may(quote.status, Trigger.OPEN_LINK):
        said = SignatureRequestOpened(signature_request_id=str(found.link_id), email=found.email)
        await advance_quote(tx, quote, Trigger.OPEN_LINK, actor=found.actor, said=said)


async def _standing(tx: Tx, link: ClientLink) -> OptionStanding | None:
    if link.quote_id is None:
        return None
    return await find_standing(tx, await quotes.get(tx, link.quote_id))
