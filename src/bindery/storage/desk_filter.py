"""Which part of the underwriters' queue is looked at, and in which order."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct


class DeskKind(StrEnum):
    """What is waited for."""

    REFERRAL = "referral"
    BIND = "bind"
    PAPER = "paper"
    CANCELLATION = "cancellation"


class DeskOrder(StrEnum):
    """What comes first."""

    DUE = "due"
    STAKE = "stake"
    OPENED = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskFilter:
    """Which part of the queue, and in which order.

    `after` is the last row of the page before, `before` the first row of the page after.
    """

    kind: DeskKind | None = None
    product: InsuranceProduct | None = None
    reason: str | None = None
    taken_by: int | None = None
    is_free: bool = False
    late_at: datetime | None = None
    order: DeskOrder = DeskOrder.DUE
    after: int | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOrder:
    """An order of the queue both ways, and when a row `d` comes after or before a row `a`."""

    forward: str
    backward: str
    follows: str
    precedes: str


ORDERS: Final = {
    DeskOrder.DUE: QueueOrder(
        forward="d.due_at, d.item_id",
        backward="d.due_at desc, d.item_id desc",
        follows="(d.due_at, d.item_id) > (a.due_at, a.item_id)",
        precedes="(d.due_at, d.item_id) < (a.due_at, a.item_id)",
    ),
    DeskOrder.STAKE: QueueOrder(
        forward="d.at_stake desc, d.item_id",
        backward="d.at_stake, d.item_id desc",
        follows="(d.at_stake < a.at_stake or (d.at_stake = a.at_stake and d.item_id > a.item_id))",
        precedes="(d.at_stake > a.at_stake or (d.at_stake = a.at_stake and d.item_id < a.item_id))",
    ),
    DeskOrder.OPENED: QueueOrder(
        forward="d.item_id",
        backward="d.item_id desc",
        follows="d.item_id > a.item_id",
        precedes="d.item_id < a.item_id",
    ),
}


def wanted(asked: DeskFilter, values: list[object]) -> list[str]:
    """Return the conditions on rows `d` of a part of the queue; their values are added to those given."""
    conditions = ["d.closed_at is null"]
    for condition, value in (
        ("d.kind = ", asked.kind),
        ("d.product = ", asked.product),
        ("d.taken_by = ", asked.taken_by),
        ("d.due_at < ", asked.late_at),
    ):
        if value is not None:
            values.append(value)
            conditions.append(f"{condition}${len(values)}")
    if asked.is_free:
        conditions.append("d.taken_by is null")
    if asked.reason is not None:
        values.append([asked.reason])
        conditions.append(f"d.reasons @> ${len(values)}")
    return conditions
