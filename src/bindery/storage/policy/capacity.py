"""What binders allow: the section that covers a risk, what is left of a limit, and who stands behind it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import asyncpg
import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.documents.facts import Insurers
from bindery.domain.policy.binders import Carrier, FoundSection, SectionInForce, SectionWithRoom
from bindery.storage.database import Reader, Tx, read_row

_read_address = msgspec.json.Decoder(tuple[str, ...]).decode

# The section that covers a quote's product in its state on a day, with what the clauses look at. Sections of
# one product, state and day never overlap.
_FOUND: Final = """
select s.section_id, s.binder_id, b.agreement, s.name, s.max_limit, s.max_revenue, s.sectors_excluded,
       s.term_months, s.days_ahead, s.commission, s.deviation, b.premium_limit, b.premium_booked
from binder_sections s join binders b using (binder_id)
where s.product = a.product and a.state = any(s.states) and b.inception <= $2 and $2 < b.expiry
"""
_ASKED: Final = """
select q.product, m.state, m.revenue, m.sector, exists (select from binders) as has_binders
from quotes q join submissions m using (submission_id) where q.quote_id = $1
"""
_TAKE: Final = f"""
with a as ({_ASKED}), found as (select f.* from a cross join lateral ({_FOUND}) f), taken as (
    update binders b set premium_booked = b.premium_booked + $3 from found f
    where b.binder_id = f.binder_id and b.premium_booked + $3 <= b.premium_limit
    returning b.binder_id
)
select a.*, f.*, exists (select from taken) as fits from a left join found f on true
"""
_LOOK: Final = f"""
with a as ({_ASKED})
select a.*, f.*, f.premium_booked + $3::bigint <= f.premium_limit as fits
from a left join lateral ({_FOUND}) f on true
"""


async def in_force(tx: Reader) -> tuple[SectionInForce, ...] | None:
    """Return the sections of every binder that has not ended by today; None where no binder is on file."""
    statement = """
    select s.section_id, b.agreement, s.name, s.max_limit, s.max_revenue, s.sectors_excluded, s.term_months,
           s.days_ahead, s.commission, s.deviation, b.premium_limit, b.premium_booked, s.product, s.states,
           b.inception, b.expiry
    from binders b left join binder_sections s on s.binder_id = b.binder_id and b.expiry > $1
    """
    rows = await tx.connection.fetch(statement, tx.today)
    if not rows:
        return None
    return tuple(read_row(SectionInForce, row) for row in rows if row["section_id"] is not None)


async def open_sections(tx: Reader, product: InsuranceProduct) -> list[SectionWithRoom] | None:
    """Return the sections that take a policy that begins today; None where no binder is on file."""
    statement = """
    select s.max_limit, s.states
    from binders b left join binder_sections s on s.binder_id = b.binder_id and s.product = $1
        and b.inception <= $2 and $2 < b.expiry and b.premium_booked < b.premium_limit
    """
    rows = await tx.connection.fetch(statement, product, tx.today)
    return [read_row(SectionWithRoom, row) for row in rows if row["states"] is not None] if rows else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What the binders say of a quote; `fits` is whether its premium is within the limit."""

    state: str
    revenue: int
    sector: str
    has_binders: bool
    section: FoundSection | None
    fits: bool


async def take(tx: Tx, quote_id: uuid.UUID, *, effective: date, premium: int) -> Room:
    """Take a premium from the limit of the binder that covers a quote, if it has so much left.

    The binder's row stays locked until the transaction ends: whoever comes next sees what is left then.
    """
    return _room(await tx.connection.fetchrow(_TAKE, quote_id, effective, premium))


async def look(tx: Reader, quote_id: uuid.UUID, *, effective: date, premium: int) -> Room:
    return _room(await tx.connection.fetchrow(_LOOK, quote_id, effective, premium))


def _room(row: "asyncpg.Record | None") -> Room:
    assert row is not None, "the quote is there"
    return Room(
        state=row["state"],
        revenue=row["revenue"],
        sector=row["sector"],
        has_binders=row["has_binders"],
        section=None if row["section_id"] is None else read_row(FoundSection, row),
        fits=bool(row["fits"]),
    )


async def find_section(tx: Reader, section_id: int) -> FoundSection:
    statement = """
    select s.section_id, b.agreement, s.name, s.max_limit, s.max_revenue, s.sectors_excluded, s.term_months,
           s.days_ahead, s.commission, s.deviation, b.premium_limit, b.premium_booked
    from binder_sections s join binders b using (binder_id) where s.section_id = $1
    """
    found = await tx.row(FoundSection, statement, section_id)
    assert found is not None, "a section that policies are written on stays"
    return found


async def give_back(tx: Tx, section_id: int, premium: int) -> None:
    await tx.execute(
        "update binders set premium_booked = premium_booked - $2 "
        "where binder_id = (select binder_id from binder_sections where section_id = $1)",
        section_id,
        premium,
    )


async def take_again(tx: Tx, section_id: int, premium: int) -> bool:
    """Take again a premium that was given back; return whether the limit had room for it."""
    return bool(
        await tx.execute(
            "update binders set premium_booked = premium_booked + $2 "
            "where binder_id = (select binder_id from binder_sections where section_id = $1) "
            "and premium_booked + $2 <= premium_limit",
            section_id,
            premium,
        )
    )


async def insurers_of(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Insurers]:
    """Return the insurers of quotes; those on no binder are not in it.

    A bound policy has those of the section that it was written on, an offer those of the section that covers
    its first day now.
    """
    # The first part is apart: to plan all of these joins at once takes the database several milliseconds.
    statement = """
    with asked as materialized (
        select q.quote_id, q.product, m.state, coalesce(d.effective, m.effective) as first_day,
               t.quote_id is not null as is_booked, t.section_id
        from quotes q join submissions m using (submission_id) left join binds d using (quote_id)
        left join premium_transactions t on t.quote_id = q.quote_id and t.number = 1
        where q.quote_id = any($1)
    )
    select a.quote_id, b.claims_administrator,
           json_agg(json_build_object('name', c.name, 'number', c.number, 'address', c.address,
                                      'domicile', c.domicile, 'rating', c.rating,
                                      'share', trim_scale(k.share)::text) order by k.place)::text as carriers
    from asked a
    join binder_sections s on case when a.is_booked then s.section_id = a.section_id
        else s.product = a.product and a.state = any(s.states) end
    join binders b on b.binder_id = s.binder_id
        and (a.is_booked or b.inception <= a.first_day and a.first_day < b.expiry)
    join binder_carriers k on k.binder_id = b.binder_id join carriers c using (carrier_id)
    group by a.quote_id, b.binder_id, s.section_id
    """
    rows = await tx.connection.fetch(statement, list(quote_ids))
    return {
        row["quote_id"]: Insurers(
            claims_administrator=row["claims_administrator"],
            carriers=tuple(_carrier(carrier) for carrier in msgspec.json.decode(row["carriers"])),
        )
        for row in rows
    }


def _carrier(kept: dict[str, str]) -> Carrier:
    return msgspec.convert({**kept, "address": _read_address(kept["address"])}, Carrier, strict=False)
