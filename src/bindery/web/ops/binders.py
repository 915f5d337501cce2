"""The binders: how much of each limit is used, by section, and what is written on none of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from starlette.responses import Response

from bindery.base.numbers import in_dollars
from bindery.domain.rating.surcharges import charge_rules
from bindery.storage.database import Reader
from bindery.storage.policy import binders
from bindery.storage.policy.binders import ListedBinder, ListedSection
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import PRODUCTS, StatusDot, Times

SOME = 6
"""States that are named; more are counted."""


@dataclass(frozen=True, slots=True)
class ShownBinderSection:
    section: ListedSection
    product: str
    states: str
    share: str
    """The part of the binder's limit that it has used, in percent, as a bar's width."""


@dataclass(frozen=True, slots=True)
class ShownBinder:
    binder: ListedBinder
    dot: StatusDot
    standing: str
    booked: str
    limit: str
    left: str
    used: str
    reached: str
    """Which marks are reached and since when; empty below all of them."""
    sections: tuple[ShownBinderSection, ...]


async def show_binders(visit: Visit) -> Response:
    async def read(tx: Reader) -> tuple[Sequence[ListedBinder], Sequence[ListedSection], int, Times]:
        listed = await binders.list_binders(tx)
        sections = await binders.list_sections(tx, [binder.binder_id for binder in listed])
        return listed, sections, await binders.count_without(tx), visit.times(tx.now)

    listed, sections, without, times = await visit.runtime.database.read(read)
    shown = []
    for binder in listed:
        own = [section for section in sections if section.binder_id == binder.binder_id]
        used = binder.premium_booked * 100 / binder.premium_limit
        dot, standing = _standing(binder, times.today)
        shown.append(
            ShownBinder(
                binder,
                dot,
                standing,
                in_dollars(binder.premium_booked),
                in_dollars(binder.premium_limit),
                in_dollars(binder.left),
                f"{used:.1f}",
                _reached(binder, times),
                tuple(_shown(section, binder) for section in own),
            )
        )
    return page(visit, "ops/binders.html", shown=shown, without=without)


def _standing(binder: ListedBinder, today: date) -> tuple[StatusDot, str]:
    if today >= binder.expiry:
        return StatusDot.OVER, "Expired"
    if today < binder.inception:
        return StatusDot.WAIT, "Not begun"
    passed = binder.passed()
    if passed is None:
        return StatusDot.BOUND, "In force"
    is_last = passed == max(binder.notify_at)
    return StatusDot.BAD if is_last else StatusDot.WARN, f"{passed} % is used"


def _reached(binder: ListedBinder, times: Times) -> str:
    marks = zip(sorted(binder.notify_at), binder.reached_at, strict=False)
    return ", ".join(f"{mark} % on {times.at(when).text}" for mark, when in marks)


def _shown(section: ListedSection, binder: ListedBinder) -> ShownBinderSection:
    every, names = len(charge_rules()), section.states
    if len(names) == every:
        states = "All states"
    else:
        states = ", ".join(names) if len(names) <= SOME else f"{len(names)} of {every} states"
    share = max(0.0, section.premium * 100 / binder.premium_limit)
    return ShownBinderSection(section, PRODUCTS[section.product], states, f"{share:.1f}")
