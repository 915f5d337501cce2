"""Policies of all partners that end soon: what is offered, and what has happened since they were bound."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

import msgspec

from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.policy.policy import RenewalRuling, RenewalType
from bindery.domain.policy.renewal import state_of_renewal, stopped_by
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY, WERE_BOUND
from bindery.domain.scan.scan import Finding
from bindery.domain.screening.controls import LOSSES
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of_list

MOST_COMPARED: Final = 2_000
"""Of how many policies, the next to end, a part is looked for or put in another order."""


class BookState(StrEnum):
    TO_COME = "to_come"
    HELD = "held"
    REFERRED = "referred"
    OFFERED = "offered"
    BOUND = "bound"
    NOT_RENEWED = "not_renewed"
    ENDS = "ends"


class BookOrder(StrEnum):
    ENDS = "ends"
    PREMIUM = "premium"
    CHANGE = "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class BookFilter:
    until: date
    product: InsuranceProduct | None = None
    state: BookState | None = None
    has_alerts: bool = False
    order: BookOrder = BookOrder.ENDS

    @property
    def compares(self) -> bool:
        """Whether more policies are looked at than the page shows."""
        is_part = self.product is not None or self.state is not None or self.has_alerts
        return is_part or self.order is not BookOrder.ENDS


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRow:
    quote_id: uuid.UUID
    submission_id: uuid.UUID
    name: str
    product: str
    policy_number: str
    expiration: date
    broker: str
    premium: int
    renewal_type: RenewalType
    cancellation_open: bool
    ruling: RenewalRuling | None
    is_settled: bool
    renewed_by: uuid.UUID | None
    renewed_by_status: QuoteStatus | None
    renewal_submission_id: uuid.UUID | None
    offered: int | None
    renewed_as: str | None
    alerts: int
    in_force: bool

    @property
    def state(self) -> RenewalState:
        return state_of_renewal(
            self.renewed_by_status,
            in_force=self.in_force,
            renewal_type=self.renewal_type,
            is_settled=self.is_settled,
        )

    @property
    def stopped_by(self) -> RenewalStop | None:
        return stopped_by(self.renewal_type, cancellation_open=self.cancellation_open, ruling=self.ruling)


_STATE: Final = f"""
    case when b.renewal_ruling = 'not_renewed' then '{BookState.NOT_RENEWED}'
         when r.status = any({{bound}}) then '{BookState.BOUND}'
         when r.status = any({{offered}}) then '{BookState.OFFERED}'
         when r.status = any({{referred}}) then '{BookState.REFERRED}'
         when r.status <> all({{working}}) then '{BookState.ENDS}'
         when b.renewal_ruling = 'held' then '{BookState.HELD}'
         when r.status is null and (b.renewal_type = 'manual' or b.renewal_settled) then '{BookState.ENDS}'
         else '{BookState.TO_COME}' end
"""
_ORDERS: Final = {
    BookOrder.ENDS: "expiration",
    BookOrder.PREMIUM: "-premium",
    # What has no offer yet has not changed: it comes last.
    BookOrder.CHANGE: "coalesce((premium - offered)::float8 / nullif(premium, 0), 1e9)",
}


async def read_book(
    tx: Reader,
    asked: BookFilter,
    *,
    cursor: Cursor | None,
    limit: int,
    most_compared: int | None = MOST_COMPARED,
) -> ListPage[BookRow]:
    conditions = Conditions()
    until = conditions.value(asked.until)
    nearest = f"order by expiration, quote_id limit {most_compared or 'all'}" if asked.compares else ""
    book = _book(conditions, f"in_force and issued_on is not null and expiration <= {until} {nearest}")
    conditions.where_if_given("product = {}", asked.product)
    conditions.where_if_given("standing = {}", asked.state)
    if asked.has_alerts:
        conditions.where("alerts > 0")
    order = _ORDERS[asked.order]
    return await page_of_list(
        tx,
        BookRow,
        f"{book} {conditions.clause or 'where true'}",
        *conditions.values,
        order=(order, "quote_id"),
        place=f"select {order}, quote_id from book where quote_id = {{}}",
        key="quote_id",
        cursor=cursor,
        limit=limit,
    )


async def find_row(tx: Reader, quote_id: uuid.UUID) -> BookRow | None:
    conditions = Conditions()
    own = conditions.value(quote_id)
    return await tx.row(
        BookRow, _book(conditions, f"quote_id = {own} and policy_number is not null"), *conditions.values
    )


def _book(conditions: Conditions, which: str) -> str:
    """Return the statement that reads rows of the book, without conditions."""
    statuses = {
        "bound": conditions.value(list(WERE_BOUND)),
        "offered": conditions.value(list(BINDABLE)),
        "referred": conditions.value(list(AT_THE_DESK)),
        "working": conditions.value(list(NOT_READY)),
    }
    shown = conditions.value([*BINDABLE, QuoteStatus.QUOTE_BIND_REQUESTED, QuoteStatus.POLICY_ACTIVE])
    return f"""
    with book as (
        select b.quote_id, q.submission_id, s.name, b.product, b.policy_number, b.expiration,
               br.email as broker, q.premium, b.renewal_type, b.cancellation_open,
               b.renewal_ruling as ruling, b.renewal_settled as is_settled,
               r.quote_id as renewed_by, r.status as renewed_by_status, b.renewal_submission_id,
               case when r.status = any({shown}) then r.premium end as offered,
               next.policy_number as renewed_as, b.in_force, {_STATE.format(**statuses)} as standing,
               (select count(*)::int from rescans a
                where a.quote_id = b.quote_id and a.alarming <> '[]') as alerts
        from (select * from binds where {which}) b
            join quotes q on q.quote_id = b.quote_id
            join submissions s on s.submission_id = q.submission_id
            join brokers br on br.broker_id = s.broker_id
            left join quotes r on r.submission_id = b.renewal_submission_id and r.option_number = 0
            left join binds next on next.quote_id = r.quote_id and next.in_force
    )
    select {", ".join(BookRow.__dataclass_fields__)} from book
    """


async def count_ending(tx: Reader, until: date) -> int:
    """Count the policies that end by a day, up to one more than are compared."""
    statement = f"""
    select count(*) from (select from binds
        where in_force and issued_on is not null and expiration <= $1 limit {MOST_COMPARED + 1}) as ending
    """
    return await tx.value(int, statement, until)


@dataclass(frozen=True, slots=True, kw_only=True)
class SinceBound:
    """What is known of a policy beyond its terms: how its scan has changed, and losses that were told."""

    score_at_bind: int | None = None
    last_score: int | None = None
    scanned_at: datetime | None = None
    losses: tuple[str, ...] = ()


class _Reasons(msgspec.Struct):
    reasons: list[dict[str, str]] = []


_read_reasons = msgspec.json.Decoder(_Reasons).decode


async def since_bound(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, SinceBound]:
    """Read for policies what their rescans showed, and the losses in their answers and their renewals'."""
    statement = """
    select b.quote_id, (s.scan::json ->> 'score')::int as score_at_bind, l.score as last_score, l.scanned_at,
           q.assessment, r.assessment as of_renewal
    from unnest($1::uuid[]) as asked(quote_id)
        join binds b using (quote_id)
        join quotes q using (quote_id)
        join submissions s on s.submission_id = q.submission_id
        left join quotes r on r.submission_id = b.renewal_submission_id and r.option_number = 0
        left join lateral (select score, scanned_at from rescans a
                           where a.quote_id = b.quote_id and a.score is not null
                           order by a.scanned_at desc limit 1) l on true
    """
    rows = await tx.connection.fetch(statement, list(quote_ids))
    return {
        row["quote_id"]: SinceBound(
            score_at_bind=row["score_at_bind"],
            last_score=row["last_score"],
            scanned_at=row["scanned_at"],
            losses=_losses(row["assessment"], row["of_renewal"]),
        )
        for row in rows
    }


def _losses(*assessments: str | None) -> tuple[str, ...]:
    told = (
        reason["text"]
        for assessment in assessments
        if assessment is not None
        for reason in _read_reasons(assessment).reasons
        if reason["code"] in LOSSES
    )
    return tuple(dict.fromkeys(told))


async def alarms_since(tx: Reader, quote_id: uuid.UUID) -> list[tuple[datetime, tuple[Finding, ...]]]:
    statement = """
    select scanned_at, alarming from rescans where quote_id = $1 and alarming <> '[]'
    order by scanned_at desc limit 20
    """
    rows = await tx.connection.fetch(statement, quote_id)
    read = msgspec.json.Decoder(tuple[Finding, ...]).decode
    return [(row["scanned_at"], read(row["alarming"])) for row in rows]
