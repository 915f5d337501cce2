"""Binders: what they allow, and how much of their premium limit is booked."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final

import asyncpg
import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.binders import Binder, BinderUse, FoundSection, SectionInForce, SectionWithRoom
from bindery.storage.database import Reader, Tx, read_row

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


# Importing


async def lock_all(tx: Tx) -> None:
    """Let one import come after the other, and binds after both."""
    await tx.connection.execute("lock table binders in share row exclusive mode")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSection:
    """A section that there is, with how many transactions were written on it."""

    section_id: int
    agreement: str
    name: str
    product: InsuranceProduct
    states: frozenset[str]
    inception: date
    expiry: date
    written: int
    premium_booked: int


async def sections(tx: Reader) -> list[KnownSection]:
    statement = """
    select s.section_id, b.agreement, s.name, s.product, s.states, b.inception, b.expiry, b.premium_booked,
           (select count(*) from premium_transactions t where t.section_id = s.section_id) as written
    from binder_sections s join binders b using (binder_id) order by b.inception, b.agreement, s.name
    """
    return await tx.rows(KnownSection, statement)


async def written_shares(tx: Reader, agreement: str) -> dict[str, Decimal]:
    """Return the shares of a binder's carriers by their numbers; none before anything is written on it."""
    statement = """
    select c.number, k.share from binders b join binder_carriers k using (binder_id)
    join carriers c using (carrier_id)
    where b.agreement = $1 and exists (
        select from premium_transactions t join binder_sections s using (section_id)
        where s.binder_id = b.binder_id)
    """
    return {row[0]: row[1] for row in await tx.connection.fetch(statement, agreement)}


async def keep(tx: Tx, binder: Binder, *, sha256: str) -> None:
    """Keep a binder, or what a new file says of one that there is; its sections go by their names."""
    binder_id = await tx.value(
        int,
        """
        insert into binders (agreement, coverholder, pin, inception, expiry, premium_limit, notify_at,
            claims_administrator, bordereau_due_day, file_sha256, imported_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        on conflict (agreement) do update set coverholder = excluded.coverholder, pin = excluded.pin,
            inception = excluded.inception, expiry = excluded.expiry,
            premium_limit = excluded.premium_limit, notify_at = excluded.notify_at,
            claims_administrator = excluded.claims_administrator,
            bordereau_due_day = excluded.bordereau_due_day, file_sha256 = excluded.file_sha256,
            imported_at = excluded.imported_at
        returning binder_id
        """,
        binder.agreement,
        binder.coverholder,
        binder.pin,
        binder.inception,
        binder.expiry,
        binder.premium_limit,
        list(binder.notify_at),
        binder.claims_administrator,
        binder.bordereau_due_day,
        sha256,
        tx.now,
    )
    await tx.execute("delete from binder_carriers where binder_id = $1", binder_id)
    for place, carrier in enumerate(binder.carriers, start=1):
        await tx.execute(
            """
            with carrier as (
                insert into carriers (number, name, address, domicile, rating) values ($3, $4, $5, $6, $7)
                on conflict (number) do update set name = excluded.name, address = excluded.address,
                    domicile = excluded.domicile, rating = excluded.rating
                returning carrier_id
            )
            insert into binder_carriers (binder_id, carrier_id, place, share)
            select $1, carrier_id, $2, $8 from carrier
            """,
            binder_id,
            place,
            carrier.number,
            carrier.name,
            msgspec.json.encode(carrier.address).decode(),
            carrier.domicile,
            carrier.rating,
            carrier.share,
        )
    names = [section.name for section in binder.sections]
    statement = "delete from binder_sections where binder_id = $1 and name <> all($2)"
    await tx.execute(statement, binder_id, names)
    for section in binder.sections:
        row = {
            "binder_id": binder_id,
            "name": section.name,
            "product": section.product,
            "risk_code": section.risk_code,
            "risk_class": section.risk_class,
            "max_limit": section.limit,
            "max_revenue": section.revenue,
            "states": sorted(section.states),
            "sectors_excluded": sorted(section.sectors_excluded),
            "term_months": section.term_months,
            "days_ahead": section.days_ahead,
            "commission": section.commission,
            "deviation": section.deviation,
        }
        changes = ", ".join(f"{column} = excluded.{column}" for column in row)
        await tx.insert(
            "binder_sections", row, otherwise=f"on conflict (binder_id, name) do update set {changes}"
        )


# Showing


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBinder(BinderUse):
    binder_id: int
    coverholder: str
    pin: str
    inception: date
    expiry: date
    claims_administrator: str
    bordereau_due_day: int
    file_sha256: str
    imported_at: datetime
    policies: int
    carriers: str
    """Names and shares, as they are printed."""
    reached_at: tuple[datetime, ...]
    """When each mark that is reached was, the lowest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSection:
    section_id: int
    binder_id: int
    name: str
    product: InsuranceProduct
    max_limit: int
    max_revenue: int | None
    states: tuple[str, ...]
    sectors_excluded: tuple[str, ...]
    term_months: int
    days_ahead: int
    commission_rate: Decimal
    deviation: int
    policies: int
    premium: int
    commission: Decimal


async def list_binders(tx: Reader) -> list[ListedBinder]:
    statement = """
    select b.*, (select count(*) from premium_transactions t join binder_sections s using (section_id)
                 where s.binder_id = b.binder_id and t.kind = 'original') as policies,
           (select string_agg(c.name || ' (NAIC ' || c.number || ') ' || trim_scale(k.share) || ' %', ', '
                              order by k.place)
            from binder_carriers k join carriers c using (carrier_id)
            where k.binder_id = b.binder_id) as carriers,
           array(select m.passed_at from binder_marks m
                 where m.binder_id = b.binder_id order by m.mark) as reached_at
    from binders b order by b.expiry desc, b.agreement
    """
    return await tx.rows(ListedBinder, statement)


async def list_sections(tx: Reader, binder_ids: Sequence[int]) -> list[ListedSection]:
    statement = """
    select s.section_id, s.binder_id, s.name, s.product, s.max_limit, s.max_revenue, s.states,
           s.sectors_excluded, s.term_months, s.days_ahead, s.commission as commission_rate, s.deviation,
           count(t.*) filter (where t.kind = 'original') as policies,
           coalesce(sum(t.premium), 0)::bigint as premium, coalesce(sum(t.commission), 0) as commission
    from binder_sections s left join premium_transactions t using (section_id)
    where s.binder_id = any($1) group by s.section_id order by s.binder_id, s.name
    """
    return await tx.rows(ListedSection, statement, list(binder_ids))


async def by_state(tx: Reader, binder_id: int) -> list[tuple[str, int, int]]:
    """Return the states in which a binder was written on, each with its policies and premium."""
    statement = """
    select t.state, count(*) filter (where t.kind = 'original'), sum(t.premium)::bigint
    from premium_transactions t join binder_sections s using (section_id)
    where s.binder_id = $1 group by t.state order by 3 desc, 1
    """
    return [tuple(row) for row in await tx.connection.fetch(statement, binder_id)]


async def count_without(tx: Reader) -> int:
    """Return how many policies were written on no binder."""
    statement = "select count(*) from premium_transactions where kind = 'original' and section_id is null"
    return await tx.value(int, statement)
