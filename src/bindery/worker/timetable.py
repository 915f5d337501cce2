"""What is done by the clock."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from bindery.actions.sweep import SWEEPS, requeue_standing_still, sweep
from bindery.runtime import Runtime

EVERY_MINUTE: Final = "* * * * *"


@dataclass(frozen=True, slots=True)
class TimetableEntry:
    """An action and when it runs, as cron writes it."""

    cron: str
    action: Callable[[Runtime], Awaitable[object]]


TIMETABLE: Final[Mapping[str, TimetableEntry]] = {
    "requeue_standing_still": TimetableEntry(EVERY_MINUTE, requeue_standing_still),
    **{f"sweep_{name}": TimetableEntry(EVERY_MINUTE, partial(sweep, name=name)) for name in SWEEPS},
}
