"""Policies by when they end."""

import uuid
from dataclasses import dataclass
from datetime import date

from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of_list


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingPolicy:
    """A policy in force, and what renews it."""

    quote_id: uuid.UUID
    name: str
    product: str
    policy_number: str
    expiration: date
    premium: int
    renewal_type: str
    renewal_quote_id: uuid.UUID | None
    renewed_as: str | None
    """The number of the policy that follows it, once that is bound."""


async def ending(
    tx: Reader, *, partner_id: int, until: date, cursor: Cursor | None, limit: int
) -> ListPage[EndingPolicy]:
    """List a partner's policies in force that end by then, the next first."""
    return await page_of_list(
        tx,
        EndingPolicy,
        """
        select b.quote_id, s.name, b.product, b.policy_number, b.expiration, q.premium, b.renewal_type,
               b.renewal_quote_id, next.policy_number as renewed_as
        from binds b left join binds next on next.quote_id = b.renewal_quote_id and next.in_force
            join quotes q on q.quote_id = b.quote_id join submissions s using (submission_id)
        where b.in_force and b.issued_on is not null and b.expiration <= $2 and b.partner_id = $1
        """,
        partner_id,
        until,
        order=("b.expiration", "b.quote_id"),
        place="select expiration, quote_id from binds where quote_id = {}",
        key="quote_id",
        cursor=cursor,
        limit=limit,
    )
