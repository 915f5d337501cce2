from collections.abc import Sequence
from typing import Final

from markupsafe import Markup
from msgspec import Struct

from bindery.domain.scan.scan import ScanResult, Severity
from bindery.storage.policy.rescans import PastRescan
from bindery.storage.submission.earlier import PastScan
from bindery.web.charts.scores import Dot, timeline
from bindery.web.shown.rescans import ShownRescan, shown_rescan
from bindery.web.shown.words import Moment, Times, Tone, day

SEVERE: Final = frozenset({Severity.CRITICAL, Severity.HIGH})
TONES: Final = {Severity.CRITICAL: Tone.BAD, Severity.HIGH: Tone.WARN}
MINUS: Final = "\N{MINUS SIGN}"


class ShownFinding(Struct, frozen=True):
    anchor: str
    title: str
    severity: str
    tone: Tone
    is_red_flag: bool
    host: str
    lost: str
    evidence: str


class ShownScan(Struct, frozen=True, kw_only=True):
    outcome: str
    scanned: Moment
    score: int
    line: Markup | None
    sentence: str
    domains: str
    findings: tuple[ShownFinding, ...]
    passed: int
    unchecked: int
    rescans: tuple[ShownRescan, ...]


def shown_scan(
    scan: ScanResult | None, past: Sequence[PastScan], rescans: Sequence[PastRescan], times: Times
) -> ShownScan | None:
    if scan is None or scan.score is None:
        return None
    findings = sorted(
        scan.findings,
        key=lambda finding: (not finding.red_flag, finding.severity not in SEVERE, -finding.points),
    )
    # A failed check costs its points once, however many hosts fail it.
    costs = {finding.check_id: finding for finding in reversed(findings)}
    return ShownScan(
        outcome=scan.outcome.replace("_", " "),
        scanned=times.at(scan.scanned_at),
        score=scan.score,
        line=_line(past, times),
        sentence=_sentence(past, times),
        domains=", ".join(scan.domains),
        findings=tuple(
            ShownFinding(
                anchor=f"finding-{place}",
                title=finding.title,
                severity=finding.severity,
                tone=TONES.get(finding.severity, Tone.PLAIN),
                is_red_flag=finding.red_flag,
                host=finding.host,
                lost=_points(finding.points) if costs[finding.check_id] is finding else "",
                evidence=finding.evidence,
            )
            for place, finding in enumerate(findings, 1)
        ),
        passed=len(scan.passed),
        unchecked=len(scan.unchecked),
        rescans=tuple(shown_rescan(rescan, times) for rescan in rescans),
    )


def _points(lost: int) -> str:
    return f"{MINUS}{lost} {'point' if lost == 1 else 'points'}" if lost else ""


def _line(past: Sequence[PastScan], times: Times) -> Markup | None:
    if len(past) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    return timeline([Dot(earlier.scanned_at, earlier.score, _said(earlier, times)) for earlier in past])


def _sentence(past: Sequence[PastScan], times: Times) -> str:
    if len(past) < 2:  # noqa: PLR2004 - as above
        return "It was not scanned before."
    first, last = past[0], past[-1]
    moved = "stayed the same" if first.score == last.score else "rose" if last.score > first.score else "fell"
    return f"{len(past)} scans: the score {moved}, from {_said(first, times)} to {_said(last, times)}."


def _said(earlier: PastScan, times: Times) -> str:
    return f"{earlier.score} on {day(earlier.scanned_at.astimezone(times.zone).date())}"
