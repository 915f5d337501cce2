"""The record of one domain's scan while it runs, so that a scan cut short keeps what it has."""

import asyncio
import contextlib
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from bindery.domain.scan.checks import finding_of, scan_catalogue
from bindery.domain.scan.scan import Confidence, Finding, ScanOutcome, ScanResult, score_of
from bindery.outside.scanner.lookups import LookupFailed

RESOLVES: Final = "DNS_RESOLVES"
"""The check that comes before all others; alone it says nothing about the domain."""


class ScanProgress:
    def __init__(self, domain: str) -> None:
        self.domain = domain
        self._findings: dict[tuple[str, str], Finding] = {}
        self._completed: set[str] = set()
        self._undecided: set[str] = set()
        self._cut_short: set[str] = set()
        self._notes: dict[str, None] = {}
        self._ran_out_of_time = False

    def find(
        self, check_id: str, host: str, evidence: str, confidence: Confidence = Confidence.CONFIRMED
    ) -> None:
        """Record a failed check; of the same check and host the confirmed sighting is kept."""
        known = self._findings.get((check_id, host))
        if known is None or (known.confidence is Confidence.OBSERVED and confidence is Confidence.CONFIRMED):
            self._findings[check_id, host] = finding_of(
                check_id, host=host, evidence=evidence, confidence=confidence
            )

    def note(self, text: str) -> None:
        self._notes[text] = None

    def leave_undecided(self, *check_ids: str) -> None:
        """Record that checks cannot be decided from here, or do not apply; the scan is no less complete."""
        self._undecided.update(check_ids)

    def complete(self, *check_ids: str) -> None:
        """Record that checks reached a verdict; those without a finding have passed."""
        self._completed.update(check_ids)

    @contextlib.contextmanager
    def attempt(self, *check_ids: str) -> Iterator[None]:
        """Carry out some checks: done when the block ends, cut short when time or the DNS runs out in it."""
        try:
            yield
        except asyncio.CancelledError:
            self._cut_short.update(check_ids)
            raise
        except (TimeoutError, LookupFailed) as error:
            self._cut_short.update(check_ids)
            self.note(str(error) or f"{self.domain}: a server took too long to answer")
        else:
            self.complete(*check_ids)

    def run_out_of_time(self) -> None:
        self._ran_out_of_time = True
        self.note(f"{self.domain}: the time for the scan was used up")

    def close(self, *, at: datetime, scanner: str) -> ScanResult:
        """Make the result: partial where a check was cut short, failed where none was completed at all."""
        if not self._completed - {RESOLVES} and not self._findings:
            return self.close_without_findings(ScanOutcome.FAILED, at=at, scanner=scanner)
        found = {check_id for check_id, _ in self._findings}
        unchecked = (self._cut_short | self._undecided) - found
        findings = tuple(self._findings.values())
        return ScanResult(
            ScanOutcome.PARTIAL if self._cut_short or self._ran_out_of_time else ScanOutcome.FINISHED,
            domains=(self.domain,),
            scanned_at=at,
            scanner=scanner,
            score=score_of(findings),
            findings=findings,
            passed=_in_catalogue_order(self._completed - found - unchecked),
            notes=tuple(self._notes),
            unchecked=_in_catalogue_order(unchecked),
        )

    def close_without_findings(self, outcome: ScanOutcome, *, at: datetime, scanner: str) -> ScanResult:
        return ScanResult(
            outcome, domains=(self.domain,), scanned_at=at, scanner=scanner, notes=tuple(self._notes)
        )


def _in_catalogue_order(check_ids: set[str]) -> tuple[str, ...]:
    return tuple(check.id for check in scan_catalogue().checks if check.id in check_ids)
