"""The catalogue of checks that a scan runs: the points of each one, and the texts about it."""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from bindery.domain.scan.scan import Confidence, Finding, Severity

EDITION: Final = "2026.1"


class CheckSource(StrEnum):
    OUTSIDE_VIEW = "outside_view"
    OPT_IN = "opt_in"
    LICENSED_DATA = "licensed_data"


class Effort(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a scan; `proof` says how a later scan sees that its `advice` was followed."""

    id: str
    title: str
    passed: str
    severity: Severity
    points: int
    red_flag: bool
    source: CheckSource
    why: str
    advice: str
    effort: Effort
    proof: str


@dataclass(frozen=True, slots=True)
class ListedPort:
    number: int
    service: str
    check_id: str | None
    greeting: re.Pattern[bytes] | None
    speaks_tls: bool


@dataclass(frozen=True, slots=True)
class Band:
    letter: str
    from_score: int
    meaning: str


@dataclass(frozen=True, slots=True)
class ScanCatalogue:
    edition: str
    as_of: date
    checks: tuple[Check, ...]
    ports: tuple[ListedPort, ...]
    bands: tuple[Band, ...]

    def check(self, check_id: str) -> Check:
        return _checks_by_id()[check_id]


@lru_cache(maxsize=1)
def scan_catalogue() -> ScanCatalogue:
    path = files("bindery").joinpath("data", "scan_checks", f"{EDITION}.json")
    raw = msgspec.json.decode(path.read_bytes())
    return ScanCatalogue(
        edition=raw["edition"],
        as_of=date.fromisoformat(raw["as_of"]),
        checks=msgspec.convert(raw["checks"], tuple[Check, ...]),
        ports=tuple(_read_port(row) for row in raw["ports"]),
        bands=msgspec.convert(raw["bands"], tuple[Band, ...]),
    )


def finding_of(
    check_id: str, *, host: str, evidence: str, confidence: Confidence = Confidence.CONFIRMED
) -> Finding:
    check = scan_catalogue().check(check_id)
    return Finding(
        check_id=check.id,
        title=check.title,
        severity=check.severity,
        points=check.points,
        red_flag=check.red_flag,
        host=host,
        evidence=evidence,
        confidence=confidence,
    )


def band_of(score: int) -> Band:
    """Return the band of a score; bands are ordered from best to worst."""
    return next(band for band in scan_catalogue().bands if score >= band.from_score)


@lru_cache(maxsize=1)
def _checks_by_id() -> dict[str, Check]:
    return {check.id: check for check in scan_catalogue().checks}


# The row comes from our own packaged file, whose shape the tests hold fast.
def _read_port(row: dict[str, Any]) -> ListedPort:
    greeting = row.get("greeting")
    return ListedPort(
        number=row["port"],
        service=row["service"],
        check_id=row.get("check"),
        # Greetings are bytes, written in JSON as the characters of the same numbers.
        greeting=re.compile(greeting.encode("latin-1"), re.DOTALL) if greeting else None,
        speaks_tls=row.get("tls", False),
    )
