"""The figures of days that are not kept yet, counted without counting the same hours for every visitor."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from bindery.domain.figures import SETTLES_WITHIN, Figures, bounds_of, total
from bindery.storage.database import Reader
from bindery.storage.operations.figures import count_between

REMEMBERED_AFTER: Final = timedelta(hours=1)
"""How much must have settled to be counted apart."""

Counted = Mapping[tuple[str, int], Figures]


@dataclass(frozen=True, slots=True)
class _Settled:
    until: datetime
    counted: Counted


class UnkeptDays:
    """Counts today, and days before it until their figures are kept.

    Each time only the last hours are counted again; the hours before cannot change and are remembered. Moving
    the demo's clock may write at times that were already over, so everything is counted again then.
    """

    def __init__(self) -> None:
        self._ahead = timedelta()
        self._settled: dict[date, _Settled] = {}

    async def count(self, tx: Reader, day: date, zone: ZoneInfo) -> Counted:
        """Count what happened on a day, by product and partner; partner 0 is all partners together."""
        self._forget(tx)
        start, end = bounds_of(day, zone)
        settled = self._settled.get(day, _Settled(start, {}))
        until = min(end, tx.now - SETTLES_WITHIN)
        if until - settled.until > REMEMBERED_AFTER or settled.until < until == end:
            newly = await count_between(tx, settled.until, until)
            settled = self._settled[day] = _Settled(until, _sum(settled.counted, newly))
        if settled.until == end:
            return settled.counted
        return _sum(settled.counted, await count_between(tx, settled.until, end))

    @property
    def remembered(self) -> frozenset[date]:
        return frozenset(self._settled)

    def _forget(self, tx: Reader) -> None:
        if tx.ahead != self._ahead:
            self._ahead = tx.ahead
            self._settled.clear()

    def forget_all_but(self, days: Collection[date]) -> None:
        self._settled = {day: settled for day, settled in self._settled.items() if day in days}


def _sum(counted: Counted, newly: Counted) -> Counted:
    return {
        key: total(figures[key] for figures in (counted, newly) if key in figures)
        for key in {**counted, **newly}
    }
