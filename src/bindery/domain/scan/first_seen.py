"""Since when a finding is known: the scans of a company told apart by what they saw."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from bindery.domain.scan.scan import Finding


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
