from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.conditions import Conditions


class DeskKind(StrEnum):
    REFERRAL = "referral"
    BIND = "bind"
    PAPER = "paper"
    CANCELLATION = "cancellation"
    CHANGE = "change"
    APPROVAL = "approval"


class DeskOrder(StrEnum):
    DUE = "due"
    STAKE = "stake"
    OPENED = "opened"
    ASKED = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskFilter:
    """A part of the queue: what an underwriter can work on, or with `is_asked` what waits for its broker."""

    kind: DeskKind | None = None
    product: InsuranceProduct | None = None
    reason: str | None = None
    taken_by: int | None = None
    is_free: bool = False
    is_asked: bool = False
    late_at: datetime | None = None
    order: DeskOrder = DeskOrder.DUE


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
    DeskOrder.ASKED: QueueOrder(
        forward="d.asked_at, d.item_id",
        backward="d.asked_at desc, d.item_id desc",
        follows="(d.asked_at, d.item_id) > (a.asked_at, a.item_id)",
        precedes="(d.asked_at, d.item_id) < (a.asked_at, a.item_id)",
    ),
}


def where_wanted(conditions: Conditions, asked: DeskFilter) -> None:
    conditions.where("d.closed_at is null")
    conditions.where("d.asked_at is not null" if asked.is_asked else "d.asked_at is null")
    conditions.where_if_given("d.kind = {}", asked.kind)
    conditions.where_if_given("d.product = {}", asked.product)
    conditions.where_if_given("d.taken_by = {}", asked.taken_by)
    conditions.where_if_given("d.due_at < {}", asked.late_at)
    if asked.is_free:
        conditions.where("d.taken_by is null")
    if asked.reason is not None:
        conditions.where("d.reasons @> {}", [asked.reason])
