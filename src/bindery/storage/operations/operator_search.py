import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.storage.database import Reader

MOST_FOUND: Final = 50
_SHORT_NUMBER: Final = 9
"""Numbers of deliveries are shorter; those of companies have nine digits."""


class Thing(StrEnum):
    QUOTE = "quote"
    SUBMISSION = "submission"
    WEBHOOK = "webhook"
    MAIL = "mail"
    DELIVERY = "delivery"
    PARTNER = "partner"


async def find_thing(tx: Reader, text: str) -> tuple[Thing, str] | None:
    """Find what an id, the key of a partner, a token or the number of a delivery names, and its own id.

    An event is found as its quote, whose journal has it.
    """
    try:
        named = uuid.UUID(text)
    except ValueError:
        return await _find_by_key(tx, text)
    statement = """
    select 'quote', quote_id::text from quotes where quote_id = $1
    union all select 'quote', quote_id::text from events where event_id = $1
    union all select 'submission', submission_id::text from submissions where submission_id = $1
    union all
    select 'webhook', webhook_id::text from webhooks where webhook_id = $1 and status <> 'removed'
    union all select 'mail', mail_id::text from mails where mail_id = $1
    """
    row = await tx.connection.fetchrow(statement, named)
    return None if row is None else (Thing(row[0]), row[1])


async def _find_by_key(tx: Reader, text: str) -> tuple[Thing, str] | None:
    value: object = text
    statement = """
    select 'partner', partner_key from partners where partner_key = $1
    union all
    select 'partner', partner_key from tokens join partners using (partner_id) where token_id = $1
    """
    if text.isascii() and text.isdecimal() and len(text) < _SHORT_NUMBER:
        value = int(text)
        statement = """
        select 'delivery', delivery_id::text from deliveries where delivery_id = $1
        union all select 'delivery', delivery_id::text from finished_deliveries where delivery_id = $1
        """
    row = await tx.connection.fetchrow(statement, value)
    return None if row is None else (Thing(row[0]), row[1])


@dataclass(frozen=True, slots=True)
class FoundQuote:
    quote_id: uuid.UUID
    company_id: int
    partner_name: str
    partner_key: str
    product: str
    option_number: int
    status: QuoteStatus


async def quotes_of(
    tx: Reader, *, company_id: int | None = None, submission_id: uuid.UUID | None = None
) -> list[FoundQuote]:
    statement = f"""
    select q.quote_id, q.company_id, p.name as partner_name, p.partner_key, q.product, q.option_number,
           q.status
    from quotes q join partners p using (partner_id)
    where {"q.company_id" if submission_id is None else "q.submission_id"} = $1
    order by q.created_at desc, q.submission_id, q.option_number limit {MOST_FOUND}
    """
    return await tx.rows(FoundQuote, statement, company_id if submission_id is None else submission_id)


@dataclass(frozen=True, slots=True)
class FoundCompany:
    company_id: int
    matched: str
    partner_name: str
    partner_key: str


async def companies_of(tx: Reader, matched: Mapping[int, str]) -> list[FoundCompany]:
    """Return companies with the partners that they are of, in order; `matched` is what each was found by."""
    statement = f"""
    select company_id, matched, p.name as partner_name, p.partner_key
    from unnest($1::int[], $2::text[]) with ordinality as given(company_id, matched, place)
    join companies c using (company_id) join partners p using (partner_id)
    order by place limit {MOST_FOUND}
    """
    return await tx.rows(FoundCompany, statement, list(matched), list(matched.values()))


@dataclass(frozen=True, slots=True)
class FoundName:
    name: str
    is_partner: bool
    key: str
    about: str


async def named(tx: Reader, words: str) -> list[FoundName]:
    """List partners and users whose name, address or contact has these letters; there are few of either.

    In a name neither capitals nor accents count.
    """
    statement = f"""
    (select name, true as is_partner, partner_key as key, coalesce(contact_email, '') as about
     from partners
     where strpos(lower(name), $1) > 0 or strpos(folded(name), nullif(folded($1), '')) > 0
        or strpos(lower(coalesce(contact_email, '')), $1) > 0
     order by name limit {MOST_FOUND})
    union all
    (select u.name, false, u.user_id::text, u.email || ', ' || u.role from users u
     where strpos(lower(u.name), $1) > 0 or strpos(folded(u.name), nullif(folded($1), '')) > 0
        or strpos(u.email, $1) > 0
     order by u.name limit {MOST_FOUND})
    """
    return await tx.rows(FoundName, statement, words.lower())
