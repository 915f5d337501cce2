"""The operators' first page: what needs a look, today, and five pictures of the last days."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from starlette.responses import Response

from bindery.actions.timetable.check_service import last_report, worker_reports
from bindery.base.errors import NotFound
from bindery.domain.figures import A_DAY, DayFigures, Figures, days_not_kept, ready_within_ms, total
from bindery.domain.service_check import CHECKED_AGAIN_AFTER
from bindery.memory.unkept_days import UnkeptDays
from bindery.storage.database import Reader
from bindery.storage.operations import figures, overview
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.ops.check import views_of
from bindery.web.ops.dashboard_shown import (
    BY_MONTH,
    NINE_OF_TEN,
    PICTURES,
    PROMISED_MS,
    Range,
    days_until,
    first_month,
    seconds,
)
from bindery.web.ops.health_shown import health, lede
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import counted, day_of_year, money

RANGES: Final = (7, 30, 90)
MOST_PARTNERS: Final = 10


@dataclass(frozen=True, slots=True)
class ShownFigure:
    value: str
    label: str


async def show_dashboard(visit: Visit) -> Response:
    days = _days(visit)

    async def read(tx: Reader) -> tuple[list[DayFigures], list[figures.PartnerFigures]]:
        return (
            await _figures(tx, visit.runtime.unkept_days, visit.runtime.rules.zone),
            await figures.of_partners(tx, days_until(tx.today, days)[0], limit=MOST_PARTNERS),
        )

    found, by_partner = await visit.runtime.database.read(read)
    # What needs a look, and how quickly it is answered, is asked of the server that does the work.
    async with visit.runtime.database.reading() as tx:
        reports = await worker_reports(tx)
        asked_at = time.perf_counter()
        attention = await overview.attention(tx)
        answered_in_ms = round((time.perf_counter() - asked_at) * 1000)
    own = await last_report(visit.runtime, fresh_for=CHECKED_AGAIN_AFTER)
    today = total(of_day.figures for of_day in found if of_day.day == tx.today)
    times = visit.times(tx.now)
    shown, months = _ranges(found, tx.today, days)
    states = health(
        attention,
        worker_silent_for=visit.sign_in.worker_silent_for,
        answered_in_ms=answered_in_ms,
        times=visit.times(visit.runtime.clock.real_now()),
        is_demo=visit.runtime.settings.is_demo,
    )
    return page(
        visit,
        "ops/ops.html",
        lede=lede(states),
        health=states,
        today=_today(today),
        day=day_of_year(tx.today),
        pictures=tuple(draw(months if key == BY_MONTH else shown) for key, draw in PICTURES.items()),
        hints=hints(endpoints=attention.webhooks, failing=attention.failing_webhooks),
        as_table=visit.word("table"),
        days=days,
        ranges=tuple(
            ViewLink(address=f"/ops?days={count}", text=f"{count} days", is_here=count == days)
            for count in RANGES
        ),
        zone=times.zone_name,
        at=tx.real_now.isoformat(),
        checks=views_of(own, reports),
        partners=tuple(map(_of_partner, by_partner)),
        checked_at=visit.times(visit.runtime.clock.real_now()).since(own.at),
    )


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do about a picture without data."""

    text: str
    address: str
    action: str


def hints(*, endpoints: int, failing: int) -> Mapping[str, Hint]:
    verb, count = ("is" if endpoints == 1 else "are"), failing or "none"
    return {
        "funnel": Hint("Partners submit companies with a token.", "/ops/partners", "Look at the partners"),
        "readiness": Hint("An option is ready once a worker has priced it.", "/ops/jobs", "Look at the jobs"),
        "referrals": Hint("Reasons are counted when an option is referred.", "/ops?days=90", "Show 90 days"),
        "premium": Hint(
            "Brokers and partners bind options that are open.", "/ops/users", "Look at the users"
        ),
        "deliveries": Hint(
            f"{counted(endpoints, 'endpoint')} {verb} registered, {count} failing.",
            "/ops/webhooks",
            "Send a ping",
        )
        if endpoints
        else Hint("No partner has registered an endpoint.", "/docs/webhooks", "How partners register one"),
    }


async def send_figures(visit: Visit) -> Response:
    key = visit.request.path_params["picture"]
    if key not in PICTURES:
        raise NotFound("There is no such page.")

    async def read(tx: Reader) -> tuple[list[DayFigures], date]:
        return await _figures(tx, visit.runtime.unkept_days, visit.runtime.rules.zone), tx.today

    found, today = await visit.runtime.database.read(read)
    shown, months = _ranges(found, today, _days(visit))
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


@dataclass(frozen=True, slots=True)
class ShownPartner:
    """A partner's figures; `is_slow` where nine of ten options took longer than is promised."""

    name: str
    address: str
    figures: tuple[str, ...]
    ready: str
    is_slow: bool


def _of_partner(found: figures.PartnerFigures) -> ShownPartner:
    within = ready_within_ms(found.readiness, NINE_OF_TEN)
    return ShownPartner(
        found.name,
        f"/ops/partners/{found.key}",
        (
            *(f"{count:,}" for count in (found.submitted, found.referred, found.published, found.bound)),
            money(found.premium),
        ),
        seconds(within),
        within is not None and within > PROMISED_MS,
    )


def _days(visit: Visit) -> int:
    days = visit.number("days")
    return days if days in RANGES else 30


def _today(today: Figures) -> tuple[ShownFigure, ...]:
    return (
        ShownFigure(f"{today.submitted:,}", "submitted"),
        ShownFigure(f"{today.published:,}", "published"),
        ShownFigure(f"{today.referred:,}", "referred"),
        ShownFigure(f"{today.bound:,}", "bound"),
        ShownFigure(money(today.premium), "premium bound"),
        ShownFigure(money(today.returned), "premium returned"),
        ShownFigure(f"{today.offered:,}", "offered by underwriters"),
        ShownFigure(f"{today.subjectivities:,}", "subjectivities added"),
    )
