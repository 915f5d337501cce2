"""Finding a link by its token, and how what it is about stands."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from bindery.contract.documents import DocumentType
from bindery.domain.quote.quote import Quote
from bindery.domain.signing.client_link import (
    LONGEST_AGENT,
    MOST_MISSES_OF_AN_ADDRESS,
    ClientLink,
    LinkEnded,
    TooManyTries,
    hash_of_token,
)
from bindery.domain.signing.signing import OptionStanding, ShownTerms, is_bound, open_signature
from bindery.storage.database import Database, Reader
from bindery.storage.documents import editions
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies, quotes
from bindery.storage.signing import client_links, link_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientVisit:
    """From where a client reads, and with which browser."""

    address: str
    agent: str

    @property
    def agent_kept(self) -> str:
        return self.agent[:LONGEST_AGENT]


async def find_link(database: Database, token: str, visit: ClientVisit) -> ClientLink:
    """Find a link that works, without counting it as opened.

    Raises:
        LinkEnded: it has ended, was taken back, or never was one.
        TooManyTries: too many of these came from the address.
    """
    async with database.reading() as tx:
        link = await find_working(tx, token)
    if link is None:
        await miss(database, visit)
        raise LinkEnded
    return link


async def find_working(tx: Reader, token: str) -> ClientLink | None:
    digest = hash_of_token(token)
    link = await client_links.find_by_token(tx, digest) if digest is not None else None
    return link if link is not None and link.works_at(tx.now) else None


async def miss(database: Database, visit: ClientVisit) -> None:
    """Count a link that does not work: whoever tries many from one address is sent away."""
    async with database.transaction() as tx:
        may_try = await link_limits.spend(
            tx, {f"client link missed by {visit.address}": MOST_MISSES_OF_AN_ADDRESS}
        )
    if not may_try:
        raise TooManyTries("Too many links were tried that do not work.")


async def find_standing(tx: Reader, quote: Quote) -> OptionStanding:
    (standing,) = await find_standings(tx, [quote])
    return standing


async def find_standings(tx: Reader, options: Sequence[Quote]) -> list[OptionStanding]:
    """Return how options stand, as far as signing goes."""
    ids = [quote.quote_id for quote in options]
    signed = await contingencies.page_signatures(tx, ids)
    versions = await editions.newest_of(tx, ids, DocumentType.QUOTE_LETTER)
    bound = await policies.of_quotes(tx, ids)
    owed = await contingencies.of_quotes(tx, ids)
    return [
        OptionStanding(
            quote=quote,
            policy=bound.get(quote.quote_id),
            signature=open_signature(owed[quote.quote_id]),
            terms=ShownTerms(versions.get(quote.quote_id, 1), is_bound(quote), quote.option_number),
            is_signed=quote.quote_id in signed,
            today=tx.today,
        )
        for quote in options
    ]


async def standing_of(tx: Reader, quote_id: uuid.UUID) -> OptionStanding:
    return await find_standing(tx, await quotes.get(tx, quote_id))
