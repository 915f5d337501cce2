"""Figures of days: counts, percentiles read from counts, and the days still to be counted."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time, timedelta
from itertools import accumulate
from typing import Final
from zoneinfo import ZoneInfo

READY_WITHIN_MS: Final = (
    *(50, 75, 100, 150, 200, 300, 400, 500, 750),
    *(1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_500),
    *(10_000, 15_000, 20_000, 30_000, 45_000),
    *(60_000, 90_000, 120_000, 180_000, 300_000, 600_000, 1_800_000, 3_600_000),
)
"""Upper bounds of the times until options are ready; one last count has the slower ones."""

LATE_AFTER: Final = timedelta(minutes=1)

SETTLES_WITHIN: Final = timedelta(hours=1)
"""After this, nothing more is written about a day that is over."""

A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What happened on a day: `offered` are options that underwriters offered beside those asked for."""

    submitted: int = 0
    published: int = 0
    referred: int = 0
    bound: int = 0
    premium: int = 0
    readiness: tuple[int, ...] = (0,) * (len(READY_WITHIN_MS) + 1)
    reasons: Mapping[str, int] = field(default_factory=dict)
    delivered: int = 0
    delivered_late: int = 0
    undelivered: int = 0
    offered: int = 0
    subjectivities: int = 0
    returned: int = 0


COUNTS: Final = tuple(figure.name for figure in fields(Figures) if figure.type is int)


@dataclass(frozen=True, slots=True)
class DayFigures:
    day: date
    product: str
    figures: Figures


def total(many: Iterable[Figures]) -> Figures:
    found = list(many)
    if not found:
        return Figures()
    reasons: Counter[str] = Counter()
    for figures in found:
        reasons.update(figures.reasons)
    counts = {name: sum(getattr(figures, name) for figures in found) for name in COUNTS}
    readiness = tuple(map(sum, zip(*(figures.readiness for figures in found), strict=True)))
    return Figures(**counts, readiness=readiness, reasons=dict(reasons))


def ready_within_ms(readiness: Sequence[int], share: float) -> float | None:
    """Return the time in which that share of the options was ready; None where none was.

    Within the bounds of a count the times are taken to be spread evenly. What took longer than the last bound
    is said to have taken that long.
    """
    count = sum(readiness)
    if not count:
        return None
    wanted = share * count
    bounds = (0, *READY_WITHIN_MS, READY_WITHIN_MS[-1])
    for place, reached in enumerate(accumulate(readiness)):
        if reached >= wanted and readiness[place]:
            before = reached - readiness[place]
            low, high = bounds[place], bounds[place + 1]
            return low + (high - low) * (wanted - before) / readiness[place]
    return float(READY_WITHIN_MS[-1])


def share_faster(readiness: Sequence[int], ms: float) -> float | None:
    """Return which share of the options took less time; None where there are none."""
    count = sum(readiness)
    if not count:
        return None
    bounds = (0, *READY_WITHIN_MS, READY_WITHIN_MS[-1])
    place = bisect_right(READY_WITHIN_MS, ms)
    low, high = bounds[place], bounds[place + 1]
    within = (ms - low) / (high - low) if high > low else 0.0
    return (sum(readiness[:place]) + readiness[place] * within) / count


def bounds_of(day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    return datetime.combine(day, time.min, zone), datetime.combine(day + A_DAY, time.min, zone)


def days_to_figure(
    first: date | None, done: Collection[date], *, now: datetime, zone: ZoneInfo
) -> list[date]:
    """Return the finished days without figures since the first one, newest first."""
    if first is None:
        return []
    newest = (now - SETTLES_WITHIN).astimezone(zone).date() - A_DAY
    days = [newest - A_DAY * back for back in range((newest - first).days + 1)]
    return [day for day in days if day not in done]


def days_not_kept(
    first_shown: date, first: date | None, done: Collection[date], *, today: date
) -> list[date]:
    """Return the days to count live: from the first shown, or the first with data, up to today."""
    if first is None:
        return []
    start = max(first_shown, first)
    days = [start + A_DAY * number for number in range((today - start).days + 1)]
    return [day for day in days if day not in done]
