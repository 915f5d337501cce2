"""Jobs: their kinds, their order, and when one that failed is tried again."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Generic, TypeVar

PROCESS_SUBMISSION: Final = "process_submission"
FINISH_BIND: Final = "finish_bind"
FINISH_ISSUE: Final = "finish_issue"
"""A name of its own keeps an issuance apart from the bind whose job is still under way."""
SEND_MAIL: Final = "send_mail"
PLAY_UNDERWRITER: Final = "play_underwriter"
PLAY_CLIENT: Final = "play_client"

URGENT: Final = frozenset({FINISH_BIND, FINISH_ISSUE, SEND_MAIL, PLAY_UNDERWRITER, PLAY_CLIENT})
"""Somebody who has bound is waiting for these; they run before everything else."""
IN_LANES_OF_PARTNERS: Final = frozenset({PROCESS_SUBMISSION})
"""Jobs of these kinds have a lane for each partner, which take turns: a thousand submissions of one partner
delay the one of another by one. All others share the timetable's lane."""

DELIVERIES_DUE: Final = "bindery_due"
"""The channel that announces deliveries to claim."""
TIMETABLE: Final = "timetable"
"""The actor of due steps, and the lane of their jobs, which takes turns with those of the partners."""

MOST_TRIES: Final = 6
"""Errors after which a job is left as failed for a person."""

LONGEST_PAUSE: Final = timedelta(minutes=5)
LONGEST_HOLD: Final = timedelta(seconds=15)


def pause_after_error(tries: int) -> timedelta | None:
    if tries >= MOST_TRIES:
        return None
    return min(timedelta(seconds=2 ** (tries - 1)), LONGEST_PAUSE)


def pause_after_outage(times: int) -> timedelta:
    # An exponent without a bound would overflow in an outage of some weeks.
    return min(timedelta(seconds=2 ** min(times - 1, 10)), LONGEST_HOLD)


WORKER_MISSED_AFTER: Final = timedelta(seconds=60)
"""A worker reports every few seconds that it is alive; one that has not for this long is missed."""

_NAMED: Final = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|0x[0-9a-fA-F]+|\d+")

Job = TypeVar("Job")


@dataclass(frozen=True, slots=True)
class FailureGroup(Generic[Job]):
    kind: str
    failure: str
    count: int
    sample: Job


def failure_of(error: str | None) -> str:
    return _NAMED.sub("…", error or "no error was kept")


def grouped(failed: Iterable[tuple[str, str | None, Job]]) -> list[FailureGroup[Job]]:
    """Group failed jobs, each given with its kind and error; the most frequent group first."""
    groups: dict[tuple[str, str], list[Job]] = {}
    for kind, error, job in failed:
        groups.setdefault((kind, failure_of(error)), []).append(job)
    found = [FailureGroup(kind, failure, len(jobs), jobs[0]) for (kind, failure), jobs in groups.items()]
    return sorted(found, key=lambda group: (-group.count, group.kind, group.failure))


def is_worker_missed(silent_for: timedelta | None) -> bool:
    return silent_for is None or silent_for > WORKER_MISSED_AFTER
