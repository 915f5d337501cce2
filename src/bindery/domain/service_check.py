"""What a check of the service found: each part in a line, fine or with what to set."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

OLDEST_POSTGRESQL: Final = 140_000
MOST_SKEW: Final = timedelta(seconds=2)
"""A token or a signature that comes from the future is refused by others."""
LEAST_FREE: Final = 0.1
LEAST_FREE_BYTES: Final = 1_000_000_000
CHECKED_AGAIN_AFTER: Final = timedelta(minutes=10)


class Verdict(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Not wrong, and good to know: what a demo does without."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class CheckLine:
    """A part of the service: what was found, and what to do where something is wrong."""

    name: str
    verdict: Verdict
    found: str
    to_do: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one process found when it checked itself.

    `keys` are fingerprints of settings that all processes have to share, by name.
    """

    host: str
    at: datetime
    lines: tuple[CheckLine, ...]
    keys: dict[str, str]

    @property
    def is_fine(self) -> bool:
        return not any(line.verdict is Verdict.WRONG for line in self.lines)


def fine(name: str, found: str) -> CheckLine:
    return CheckLine(name, Verdict.OK, found)


def noted(name: str, found: str) -> CheckLine:
    return CheckLine(name, Verdict.NOTE, found)


def wrong(name: str, found: str, to_do: str) -> CheckLine:
    return CheckLine(name, Verdict.WRONG, found, to_do)


def judge_version(number: int) -> CheckLine:
    major, minor = divmod(number, 10_000)
    said = f"{major}.{minor}"
    if number < OLDEST_POSTGRESQL:
        return wrong("PostgreSQL", said, "Move the database to PostgreSQL 14 or newer.")
    return fine("PostgreSQL", said)


def judge_skew(skew: timedelta) -> CheckLine:
    """Judge how far the clock of this machine is ahead of the database's, or behind it."""
    seconds = skew.total_seconds()
    if abs(skew) <= MOST_SKEW:
        return fine("Clock", f"{abs(seconds):.1f} s from the database's")
    where = "ahead of" if seconds > 0 else "behind"
    return wrong(
        "Clock",
        f"{abs(seconds):.0f} s {where} the database's",
        "Let both machines take their time from the same servers (NTP).",
    )


def judge_disk(free: int, whole: int, folder: str) -> CheckLine:
    said = f"{free / 1e9:,.1f} GB free of {whole / 1e9:,.1f} in {folder}"
    if free < LEAST_FREE_BYTES or free < whole * LEAST_FREE:
        return wrong("Disk", said, "Make room, or move the data folder: uploads are refused on a full disk.")
    return fine("Disk", said)


def differing(own: Report, others: Sequence[Report]) -> tuple[CheckLine, ...]:
    """Return the settings in which other processes differ from this one and must not."""
    return tuple(
        wrong(
            name,
            f"another one on {other.host} than here",
            "Give all processes the same settings, and restart those that differ.",
        )
        for name, key in own.keys.items()
        for other in others
        if other.keys.get(name, key) != key
    )
