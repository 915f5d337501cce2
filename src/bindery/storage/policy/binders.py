"""Binders as they are imported and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.binders import Binder, BinderUse
from bindery.storage.database import Reader, Tx

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
