"""The results of a scan of an applicant from outside, and since when a finding is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final, TypeVar

HIGHEST_SCORE: Final = 100

_Item = TypeVar("_Item")


class ScanOutcome(StrEnum):
    FINISHED = "finished"
    PARTIAL = "partial"
    NOTHING_COLLECTED = "nothing_collected"
    FAILED = "failed"
    NOT_APPLICABLE = "not_applicable"


class Severity(StrEnum):
    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Confidence(StrEnum):
    """Whether a greeting or certificate was seen, or only an open port."""

    CONFIRMED = "confirmed"
    OBSERVED = "observed"


FROM_BEST_TO_WORST: Final = (
    ScanOutcome.NOT_APPLICABLE,
    ScanOutcome.FINISHED,
    ScanOutcome.PARTIAL,
    ScanOutcome.NOTHING_COLLECTED,
    ScanOutcome.FAILED,
)
"""Of several domains the worst outcome counts; a failed one may be tried again, so it comes last."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One failed check on one host; those of severity `info` cost nothing and only give context."""

    check_id: str
    title: str
    severity: Severity
    points: int
    red_flag: bool
    host: str
    evidence: str
    confidence: Confidence = Confidence.CONFIRMED


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan of one domain, or of all the applicant's domains, found.

    `passed` and `unchecked` hold check ids: those that found nothing wrong, and those that gave no verdict.
    """

    outcome: ScanOutcome
    domains: tuple[str, ...]
    scanned_at: datetime
    scanner: str
    score: int | None = None
    findings: tuple[Finding, ...] = ()
    passed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    @property
    def red_flags_exist(self) -> bool:
        return any(finding.red_flag for finding in self.findings)


def score_of(findings: Iterable[Finding]) -> int:
    """Subtract the points of every failed check from 100, each once however many hosts fail it."""
    points_by_check = {finding.check_id: finding.points for finding in findings}
    return max(0, HIGHEST_SCORE - sum(points_by_check.values()))


def nothing_to_scan(*, at: datetime, scanner: str) -> ScanResult:
    return ScanResult(ScanOutcome.NOT_APPLICABLE, domains=(), scanned_at=at, scanner=scanner)


def merge_results(results: Iterable[ScanResult], *, at: datetime, scanner: str) -> ScanResult:
    """Make one result of several: all findings, one score, the worst outcome, the oldest time.

    A check passed only where it failed nowhere and no domain was left without its verdict.
    """
    parts = tuple(results)
    if not parts:
        return nothing_to_scan(at=at, scanner=scanner)
    findings = tuple(finding for part in parts for finding in part.findings)
    failed = {finding.check_id for finding in findings}
    unchecked = _once(check for part in parts for check in part.unchecked if check not in failed)
    return ScanResult(
        outcome=max((part.outcome for part in parts), key=FROM_BEST_TO_WORST.index),
        domains=_once(domain for part in parts for domain in part.domains),
        scanned_at=min(part.scanned_at for part in parts),
        scanner=", ".join(_once(part.scanner for part in parts)),
        score=score_of(findings) if any(part.score is not None for part in parts) else None,
        findings=_worst_first(findings),
        passed=_once(
            check for part in parts for check in part.passed if check not in failed and check not in unchecked
        ),
        notes=_once(note for part in parts for note in part.notes),
        unchecked=unchecked,
    )


def _worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    severities = tuple(Severity)
    return tuple(
        sorted(
            _once(findings),
            key=lambda finding: (-severities.index(finding.severity), -finding.points, finding.check_id),
        )
    )


def _once(items: Iterable[_Item]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys(items))


@dataclass(frozen=True, slots=True)
class FirstSeen:
    """The day since which every scan of the company, up to this one, has had a finding."""

    check_id: str
    host: str
    on: date


def known_before(
    findings: Iterable[Finding], *, earlier: Sequence[Finding], since: Iterable[FirstSeen], on: date
) -> tuple[FirstSeen, ...]:
    """Return the findings that the scan before had too, and since when; `on` is the day of that scan."""
    days = {(finding.check_id, finding.host): on for finding in earlier}
    days |= {(seen.check_id, seen.host): seen.on for seen in since}
    return tuple(
        FirstSeen(finding.check_id, finding.host, days[finding.check_id, finding.host])
        for finding in findings
        if (finding.check_id, finding.host) in days
    )
