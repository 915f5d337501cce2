"""The operators' first page: what needs attention, and five pictures of the last days."""

import time
from dataclasses import dataclass
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.domain.figures import A_DAY, DayFigures, Figures, days_not_kept, total
from bindery.memory.unkept_days import UnkeptDays
from bindery.storage.database import Reader
from bindery.storage.operations import figures, overview
from bindery.storage.operations.overview import Attention
from bindery.web.desk.desk_shown import capped
from bindery.web.frame.render import page, spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.ops.dashboard_shown import BY_MONTH, PICTURES, Range, days_until, first_month
from bindery.web.shown.words import Times, money

RANGES: Final = (7, 30, 90)
SLOW_MS: Final = 500
"""A database that takes longer over a few counts holds up everything else too."""


@dataclass(frozen=True, slots=True)
class ShownFigure:
    label: str
    value: str
    address: str = ""
    is_bad: bool = False


async def show_dashboard(visit: Visit) -> Response:
    days = _days(visit)
    async with visit.runtime.database.reading() as tx:
        found = await _figures(tx, visit.runtime.unkept_days, visit.runtime.rules.zone)
        asked_at = time.perf_counter()
        attention = await overview.attention(tx)
        answered_in_ms = round((time.perf_counter() - asked_at) * 1000)
    today = total(of_day.figures for of_day in found if of_day.day == tx.today)
    times = visit.times(tx.now)
    shown, months = _ranges(found, tx.today, days)
    pictures = tuple(draw(months if key == BY_MONTH else shown) for key, draw in PICTURES.items())
    return page(
        visit,
        "ops/ops.html",
        today=_today(today),
        attention=(
            *_attention(attention, Times(times.zone, visit.runtime.clock.real_now())),
            _database(answered_in_ms),
        ),
        pictures=pictures,
        days=days,
        ranges=RANGES,
        zone=times.zone_name,
        at=tx.real_now.isoformat(),
    )


async def send_figures(visit: Visit) -> Response:
    key = visit.request.path_params["picture"]
    if key not in PICTURES:
        raise NotFound("There is no such page.")
    async with visit.runtime.database.reading() as tx:
        found = await _figures(tx, visit.runtime.unkept_days, visit.runtime.rules.zone)
    shown, months = _ranges(found, tx.today, _days(visit))
    picture = PICTURES[key](months if key == BY_MONTH else shown)
    return spreadsheet(key, [picture.head, *picture.raw])


async def _figures(tx: Reader, unkept_days: UnkeptDays, zone: ZoneInfo) -> list[DayFigures]:
    """Read the kept figures, and count the days that are not kept yet: today, and any a worker missed."""
    first = min(tx.today - A_DAY * max(RANGES), first_month(tx.today))
    found = await figures.of_days(tx, first)
    moment = await figures.first_moment(tx)
    live = days_not_kept(
        first,
        moment.astimezone(zone).date() if moment else None,
        await figures.figured_since(tx, first),
        today=tx.today,
    )
    unkept_days.forget_all_but(live)
    for on in live:
        counted_now = await unkept_days.count(tx, on, zone)
        found += [
            DayFigures(on, product, counted_product)
            for (product, partner_id), counted_product in counted_now.items()
            if partner_id == figures.ALL_PARTNERS
        ]
    return found


def _ranges(found: list[DayFigures], today: date, days: int) -> tuple[Range, Range]:
    chosen = days_until(today, days)
    months = days_until(today, (today - first_month(today)).days + 1)
    return (
        Range(chosen, tuple(of_day for of_day in found if of_day.day >= chosen[0])),
        Range(months, tuple(of_day for of_day in found if of_day.day >= months[0])),
    )


def _days(visit: Visit) -> int:
    days = visit.number("days")
    return days if days in RANGES else 30


def _today(today: Figures) -> tuple[ShownFigure, ...]:
    return (
        ShownFigure("submitted today", f"{today.submitted:,}"),
        ShownFigure("published", f"{today.published:,}"),
        ShownFigure("referred", f"{today.referred:,}"),
        ShownFigure("bound", f"{today.bound:,}"),
        ShownFigure("premium bound", money(today.premium)),
    )


def _attention(found: Attention, times: Times) -> tuple[ShownFigure, ...]:
    oldest = times.since(found.oldest_job).text if found.oldest_job else "none waits"
    return (
        ShownFigure("cases on the desk", capped(found.open_cases)),
        ShownFigure("oldest job", oldest, "/ops/jobs"),
        ShownFigure("failed jobs", capped(found.failed_jobs), "/ops/jobs", found.failed_jobs > 0),
        ShownFigure(
            "failing webhooks", f"{found.failing_webhooks:,}", "/ops/webhooks", found.failing_webhooks > 0
        ),
        ShownFigure("mail not sent", capped(found.unsent_mails), "/ops/mails"),
    )


def _database(answered_in_ms: int) -> ShownFigure:
    is_slow = answered_in_ms > SLOW_MS
    label = "the database is slow: answered in" if is_slow else "database answered in"
    return ShownFigure(label, f"{answered_in_ms:,} ms", is_bad=is_slow)
