from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

import asyncpg
import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.figures import LATE_AFTER, READY_WITHIN_MS, DayFigures, Figures
from bindery.storage.database import Reader, Tx, read_row, values_of
from bindery.storage.operations.overview import first_id_at

ALL_PARTNERS: Final = 0
OFFERED: Final = ("quote.published", "policy.renewal_offered")
READY: Final = (*OFFERED, "quote.referred")
BOUND: Final = "policy.bound"
STEPS: Final = ("published", "referred", "bound", "premium", "offered")
DESK: Final = ("subjectivities", "returned")
OUTCOMES: Final = ("delivered", "delivered_late", "undelivered")

_SUBMITTED: Final = """
select product, partner_id, count(*) as submitted from quotes
where quote_id >= $1 and quote_id < $2 group by 1, 2
"""
# Events are found by their time; those of the quote before say whether one is the first.
_TOLD: Final = """
with told as (
    select quote_id, entry, type, at from events where at >= $1 and at < $2 and type = any($3)
    union all
    select quote_id, entry, type, at from unplaced_events where at >= $1 and at < $2 and type = any($3)
), placed as (
    select q.product, q.partner_id, t.type, q.premium,
           width_bucket((extract(epoch from t.at - q.created_at) * 1000)::int8, $5::int8[]) as bucket,
           coalesce(before.was_offered, false) as was_offered, coalesce(before.was_ready, false) as was_ready,
           o.trigger is not null as is_ours
    from told t join quotes q using (quote_id)
    -- What an underwriter offers beside the options asked for: created, offered, published.
    left join journal o on t.entry = 3 and o.quote_id = t.quote_id and o.entry = 2
        and o.trigger = 'offer_option'
    left join lateral (
        select bool_or(j.type = any($4)) as was_offered, true as was_ready from journal j
        where j.quote_id = t.quote_id and j.entry < t.entry and j.type = any($3) and t.type <> 'policy.bound'
        having count(*) > 0
    ) before on true
)
select product, partner_id,
       case when type <> 'policy.bound' and not was_ready and not is_ours then bucket end as ready_in,
       count(*) filter (where type = any($4) and not was_offered and not is_ours) as published,
       count(*) filter (where is_ours) as offered,
       count(*) filter (where type = 'quote.referred' and not was_ready) as referred,
       count(*) filter (where type = 'policy.bound') as bound,
       coalesce(sum(premium) filter (where type = 'policy.bound'), 0)::int8 as premium,
       count(*) as count
from placed group by 1, 2, 3
"""
# From the events: a case on the desk holds the options of a submission together, and misses what
# was decided at once.
_REASONS: Final = """
with told as (
    select quote_id, entry from events where at >= $1 and at < $2 and type = 'quote.referred'
    union all
    select quote_id, entry from unplaced_events where at >= $1 and at < $2 and type = 'quote.referred'
)
select q.product, q.partner_id, reason ->> 'code' as reason, count(*)
from told t join quotes q using (quote_id) join journal j using (quote_id, entry)
cross join lateral json_array_elements(j.data::json -> 'reasons') as reason
where not exists (select from journal b
                  where b.quote_id = t.quote_id and b.entry < t.entry and b.type = any($3))
group by 1, 2, 3
"""
_AT_THE_DESK: Final = """
with told as (
    select quote_id, entry, type from events where at >= $1 and at < $2 and type = any($3)
    union all
    select quote_id, entry, type from unplaced_events where at >= $1 and at < $2 and type = any($3)
)
select q.product, q.partner_id,
       count(*) filter (where t.type = 'quote.contingency_changed' and j.data::json -> 'added' is not null)
           as subjectivities,
       coalesce(sum((j.data::json ->> 'returned_premium')::int8) filter (where t.type = 'policy.canceled'), 0)
           ::int8 as returned
from told t join quotes q using (quote_id) join journal j using (quote_id, entry) group by 1, 2
"""
_DELIVERED: Final = """
select q.product, w.partner_id,
       count(*) filter (where f.state = 'delivered' and f.finished_at - f.created_at <= $3) as delivered,
       count(*) filter (where f.state = 'delivered' and f.finished_at - f.created_at > $3) as delivered_late,
       count(*) filter (where f.state = 'failed') as undelivered
from finished_deliveries f join webhooks w using (webhook_id) join quotes q using (quote_id)
where f.finished_at >= $1 and f.finished_at < $2 group by 1, 2
"""
# Each look ends at the first row of an index; a day on which nothing happened costs no more than that.
_BUSY: Final = """
select day
from unnest($1::date[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[])
    as d(day, first_id, next_id, begins, ends)
where exists (select from quotes where quote_id >= first_id and quote_id < next_id)
   or exists (select from events where at >= begins and at < ends)
   or exists (select from unplaced_events where at >= begins and at < ends)
   or exists (select from finished_deliveries where finished_at >= begins and finished_at < ends)
"""


@dataclass(slots=True)
class _Sum:
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    readiness: list[int] = field(default_factory=lambda: [0] * (len(READY_WITHIN_MS) + 1))
    reasons: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def figures(self) -> Figures:
        return Figures(**self.counts, readiness=tuple(self.readiness), reasons=dict(self.reasons))


class _Sums:
    def __init__(self) -> None:
        self._sums: dict[tuple[str, int], _Sum] = defaultdict(_Sum)

    def of(self, row: asyncpg.Record) -> tuple[_Sum, _Sum]:
        return self._sums[row["product"], row["partner_id"]], self._sums[row["product"], ALL_PARTNERS]

    def add(self, row: asyncpg.Record, names: Iterable[str]) -> None:
        for added in self.of(row):
            for name in names:
                added.counts[name] += row[name]

    def figures(self) -> dict[tuple[str, int], Figures]:
        return {key: added.figures() for key, added in self._sums.items()}


async def count_between(tx: Reader, start: datetime, end: datetime) -> dict[tuple[str, int], Figures]:
    """Count what happened in a time, by product and partner; the partner 0 is all of them together."""
    sums, fetch = _Sums(), tx.connection.fetch
    for row in await fetch(_SUBMITTED, first_id_at(start), first_id_at(end)):
        sums.add(row, ["submitted"])
    for row in await fetch(_TOLD, start, end, [*READY, BOUND], list(OFFERED), list(READY_WITHIN_MS)):
        sums.add(row, STEPS)
        # It was created in the same moment, and nobody has submitted it.
        for added in sums.of(row):
            added.counts["submitted"] -= row["offered"]
        if row["ready_in"] is not None:
            for added in sums.of(row):
                added.readiness[row["ready_in"]] += row["count"]
    for row in await fetch(_REASONS, start, end, list(READY)):
        for added in sums.of(row):
            added.reasons[row["reason"]] += row["count"]
    for row in await fetch(_AT_THE_DESK, start, end, ["quote.contingency_changed", "policy.canceled"]):
        sums.add(row, DESK)
    for row in await fetch(_DELIVERED, start, end, LATE_AFTER):
        sums.add(row, OUTCOMES)
    return sums.figures()


async def busy_days(tx: Reader, bounds: Mapping[date, tuple[datetime, datetime]]) -> set[date]:
    """Return the days on which anything happened that figures count, of days by their beginnings and ends."""
    begins, ends = [list(moments) for moments in zip(*bounds.values(), strict=True)]
    ids = [[first_id_at(moment) for moment in moments] for moments in (begins, ends)]
    return set(await tx.column(date, _BUSY, list(bounds), *ids, begins, ends))


async def keep_quiet(tx: Tx, days: Collection[date]) -> int:
    """Keep that nothing happened on days."""
    statement = """
    insert into figured_days (day, figured_at) select unnest($1::date[]), $2 on conflict do nothing
    """
    return await tx.execute(statement, list(days), tx.now)


async def keep(tx: Tx, day: date, counted: dict[tuple[str, int], Figures]) -> bool:
    kept = {"day": day, "figured_at": tx.now}
    if not await tx.insert("figured_days", kept, otherwise="on conflict do nothing"):
        return False
    for (product, partner_id), figures in counted.items():
        row = {"day": day, "product": product, "partner_id": partner_id, **values_of(figures)}
        row["reasons"] = msgspec.json.encode(figures.reasons).decode()
        await tx.insert("daily_figures", row)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerFigures:
    name: str
    key: str
    submitted: int
    referred: int
    published: int
    bound: int
    premium: int
    readiness: tuple[int, ...]


async def of_partners(tx: Reader, first: date, *, limit: int) -> list[PartnerFigures]:
    """Sum up the kept days of the partners who submitted most."""
    statement = f"""
    with most as (
        select partner_id, sum(submitted)::int8 as submitted, sum(referred)::int8 as referred,
               sum(published)::int8 as published, sum(bound)::int8 as bound, sum(premium)::int8 as premium
        from daily_figures where day >= $1 and partner_id <> {ALL_PARTNERS}
        group by partner_id order by submitted desc, partner_id limit $2
    ), ready as (
        select d.partner_id, r.place, sum(r.count)::int8 as count
        from daily_figures d join most using (partner_id)
        cross join lateral unnest(d.readiness) with ordinality as r(count, place)
        where d.day >= $1 group by d.partner_id, r.place
    )
    select p.name, p.partner_key as key, most.submitted, most.referred, most.published, most.bound,
           most.premium,
           array(select ready.count from ready where ready.partner_id = most.partner_id
                 order by ready.place) as readiness
    from most join partners p using (partner_id) order by most.submitted desc, p.name
    """
    return await tx.rows(PartnerFigures, statement, first, limit)


async def figured_since(tx: Reader, first: date) -> set[date]:
    return set(await tx.column(date, "select day from figured_days where day >= $1", first))


async def first_moment(tx: Reader) -> datetime | None:
    return await tx.find_value(datetime, "select created_at from quotes order by quote_id limit 1")


async def of_days(
    tx: Reader,
    first: date,
    *,
    products: Collection[str] = tuple(InsuranceProduct),
    until: date | None = None,
) -> list[DayFigures]:
    statement = """
    select day, product, submitted, published, referred, bound, premium, readiness, reasons::text,
           delivered, delivered_late, undelivered, offered, subjectivities, returned
    from daily_figures where day >= $1 and partner_id = 0 and product = any($2)
      and ($3::date is null or day <= $3)
    order by day, product
    """
    rows = await tx.connection.fetch(statement, first, list(products), until)
    return [
        DayFigures(
            row["day"],
            row["product"],
            read_row(Figures, row, reasons=msgspec.json.decode(row["reasons"])),
        )
        for row in rows
    ]
