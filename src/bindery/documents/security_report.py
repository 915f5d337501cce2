"""The report on what can be seen of the insured from the internet; all options of a submission share it."""

from collections.abc import Sequence
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import read_wording
from bindery.domain.papers.facts import DocumentFacts, ScanView
from bindery.domain.papers.recommendations import WORST_FIRST
from bindery.domain.scan.checks import scan_catalogue
from bindery.domain.scan.scan import HIGHEST_SCORE, Finding, ScanOutcome, Severity

SEVERITY_MEANINGS: Final = {
    Severity.CRITICAL: "A direct way in, of a kind that is known to be used.",
    Severity.HIGH: "A strong weakness, or data in plain sight.",
    Severity.MEDIUM: "A control that is missing.",
    Severity.LOW: "Good order.",
    Severity.INFO: "Context: costs no points.",
}


def paper(facts: DocumentFacts) -> layout.Paper:
    """Gather what the security report shows.

    Raises:
        MissingFacts: nothing was scanned, or the scan collected nothing.
    """
    scan = facts.scan
    if scan is None or scan.score is None:
        raise layout.MissingFacts(f"Nothing was scanned for company {facts.company_id}")
    content = {
        "frame": layout.frame(
            facts.form_of(DocumentType.SECURITY_REPORT),
            facts.product,
            title=f"Security report: {facts.insured.name}",
            footnote="An outside view at one point in time, not an audit.",
            running=facts.insured.name,
            reference="Security report",
        ),
        "reference": [
            ["Company", Whole(facts.company_id)],
            ["Scanned", f"{scan.scanned_at:%Y-%m-%d %H:%M} UTC"],
        ],
        "insured": facts.insured.name,
        "score": scan.score,
        "band": scan.band,
        "meaning": scan.band_meaning,
        "bands": _bands(),
        "partial": scan.outcome is ScanOutcome.PARTIAL,
        "red_flags": sum(finding.red_flag for finding in scan.findings),
        "counts": [[severity.value, str(_count(scan, severity))] for severity in WORST_FIRST],
        "groups": [
            _group(severity, found)
            for severity in WORST_FIRST
            if (found := [finding for finding in scan.findings if finding.severity is severity])
        ],
        "domains": ", ".join(scan.domains),
        "scanner": scan.scanner,
        "passed": list(scan.passed),
        "unchecked": list(scan.unchecked),
        "notes": list(scan.notes),
        "method": list(read_wording("security", facts.form_edition.edition)["method"]),
        "glossary": list(read_wording("security", facts.form_edition.edition)["glossary"]),
    }
    return layout.Paper(scan.scanned_at.date(), content)


def _bands() -> list[layout.Content]:
    """Return the bands from worst to best, each with the share of the scale that it takes."""
    lowest_first = tuple(reversed(scan_catalogue().bands))
    ends = (*(band.from_score for band in lowest_first[1:]), HIGHEST_SCORE)
    return [
        {"letter": band.letter, "from": band.from_score, "width": end - band.from_score}
        for band, end in zip(lowest_first, ends, strict=True)
    ]


def _count(scan: ScanView, severity: Severity) -> int:
    return sum(finding.severity is severity for finding in scan.findings)


def _group(severity: Severity, findings: Sequence[Finding]) -> layout.Content:
    return {
        "severity": severity.value,
        "meaning": SEVERITY_MEANINGS[severity],
        "findings": [
            {
                "title": finding.title,
                "id": Whole(finding.check_id),
                "host": finding.host,
                "evidence": finding.evidence,
                "confidence": finding.confidence.value,
                "points": str(finding.points),
                "red_flag": finding.red_flag,
            }
            for finding in findings
        ],
    }
