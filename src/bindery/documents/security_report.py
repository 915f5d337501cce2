"""The outside view of the insured, and the advice that follows; all options of a submission share both."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import read_wording, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts, ScanView
from bindery.domain.documents.recommendations import WORST_FIRST
from bindery.domain.products import record_of
from bindery.domain.scan.checks import scan_catalogue
from bindery.domain.scan.scan import HIGHEST_SCORE, Finding, ScanOutcome, Severity

SEVERITY_MEANINGS: Final = {
    Severity.CRITICAL: "A direct way in, of a kind that attackers are known to use.",
    Severity.HIGH: "A serious weakness, or data exposed to anybody.",
    Severity.MEDIUM: "A control that is missing.",
    Severity.LOW: "Good housekeeping: little risk by itself.",
    Severity.INFO: "Context: costs no points.",
}

MOST_LEFT_OUT: Final = 2


def security_report_input(facts: DocumentFacts) -> layout.DocumentInput:
    scan = facts.scan
    if scan is None or scan.score is None:
        raise layout.MissingFacts(f"Nothing was scanned for company {facts.company_id}")
    content = {
        **layout.basics(
            facts,
            DocumentType.SECURITY_REPORT,
            title="Security report",
            footnote="An outside view at one point in time, not an audit.",
            reference="Security report",
        ),
        "reference": [
            ["Company", Whole(facts.company_id)],
            ["Scanned", f"{long_date(scan.scanned_at.date())}, {scan.scanned_at:%H:%M} UTC"],
        ],
        "score": scan.score,
        "band": scan.band,
        "meaning": scan.band_meaning,
        "bands": _bands(),
        "partial": scan.outcome is ScanOutcome.PARTIAL,
        "red_flags": len({finding.check_id for finding in scan.findings if finding.red_flag}),
        "counts": [[severity.value, str(_count(scan, severity))] for severity in WORST_FIRST],
        "groups": [
            _group(severity, found, scan)
            for severity in WORST_FIRST
            if severity is not Severity.INFO and (found := _found(scan, severity))
        ],
        "noted": _noted(scan),
        "domains": layout.shown_domains(scan.domains),
        "scanner": scan.scanner,
        "passed": _in_order(scan.passed),
        "unchecked": list(scan.unchecked),
        "notes": _said_once(scan.notes, scan.domains),
        "method": list(read_wording("security", facts.form_edition.edition)["method"]),
        "glossary": list(read_wording("security", facts.form_edition.edition)["glossary"]),
    }
    return layout.DocumentInput(scan.scanned_at.date(), content)


def _bands() -> list[layout.Content]:
    lowest_first = tuple(reversed(scan_catalogue().bands))
    ends = (*(band.from_score for band in lowest_first[1:]), HIGHEST_SCORE)
    return [
        {"letter": band.letter, "from": band.from_score, "width": end - band.from_score}
        for band, end in zip(lowest_first, ends, strict=True)
    ]


def _count(scan: ScanView, severity: Severity) -> int:
    return len({finding.check_id for finding in scan.findings if finding.severity is severity})


def _found(scan: ScanView, severity: Severity) -> list[Finding]:
    return [finding for finding in scan.findings if finding.severity is severity]


def _group(severity: Severity, findings: Iterable[Finding], scan: ScanView) -> layout.Content:
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        by_check.setdefault(finding.check_id, []).append(finding)
    return {
        "severity": severity.value,
        "meaning": SEVERITY_MEANINGS[severity],
        "findings": [_one_finding(found, scan) for found in by_check.values()],
    }


def _one_finding(found: Sequence[Finding], scan: ScanView) -> layout.Content:
    hosts_by_evidence: dict[tuple[str, str], list[str]] = {}
    for finding in found:
        hosts_by_evidence.setdefault((finding.evidence, finding.confidence.value), []).append(finding.host)
    return {
        "title": found[0].title,
        "id": Whole(found[0].check_id),
        "first_seen": long_date(_first_seen(found[0].check_id, scan)),
        "points": str(found[0].points),
        "red_flag": any(finding.red_flag for finding in found),
        "seen": [
            {"evidence": evidence, "confidence": confidence, "hosts": _hosts(hosts, scan.domains)}
            for (evidence, confidence), hosts in hosts_by_evidence.items()
        ],
    }


def _first_seen(check_id: str, scan: ScanView) -> date:
    before = (finding.on for finding in scan.first_seen if finding.check_id == check_id)
    return min(before, default=scan.scanned_at.date())


def _hosts(hosts: Sequence[str], domains: Sequence[str]) -> list[str]:
    """Name the hosts, or all domains but a few."""
    if len(domains) == 1 or not set(hosts) <= set(domains):
        return layout.shown_domains(hosts)
    others = [domain for domain in domains if domain not in set(hosts)]
    if not others:
        return [f"all {len(domains)} domains"]
    if len(others) <= MOST_LEFT_OUT and len(hosts) > len(domains) // 2:
        return [f"all {len(domains)} domains but {' and '.join(layout.shown_domains(others))}"]
    return layout.shown_domains(hosts)


def _noted(scan: ScanView) -> list[layout.Content]:
    by_title: dict[str, list[str]] = {}
    for finding in _found(scan, Severity.INFO):
        by_title.setdefault(finding.title, []).append(finding.host)
    return [{"title": title, "hosts": _hosts(hosts, scan.domains)} for title, hosts in by_title.items()]


def _in_order(titles: Iterable[str]) -> list[str]:
    """Return what is in order by the passed checks; their titles name what would be wrong."""
    said = {check.title: check.passed for check in scan_catalogue().checks}
    return [typographic(said.get(title, f"Not found: {title}")) for title in titles]


def _said_once(notes: Iterable[str], domains: Sequence[str]) -> list[str]:
    hosts_by_note: dict[str, list[str]] = {}
    for note in notes:
        host, said, text = note.partition(": ")
        hosts_by_note.setdefault(text if said else note, []).append(host if said else "")
    return [
        f"{', '.join(_hosts(hosts, domains))}: {text}" if any(hosts) else text
        for text, hosts in hosts_by_note.items()
    ]


def recommendations_input(facts: DocumentFacts) -> layout.DocumentInput:
    form = facts.form_of(DocumentType.RECOMMENDATIONS)
    product = record_of(facts.product)
    found = facts.recommendations
    content = {
        **layout.basics(
            facts,
            DocumentType.RECOMMENDATIONS,
            title=form.title,
            footnote="Advice, not a condition of coverage unless a contingency says so.",
            reference=form.title,
        ),
        "reference": [
            ["Company", Whole(facts.company_id)],
            ["Date", long_date(facts.submitted_on)],
        ],
        "title": form.title,
        "scanned": facts.has_report,
        "practice": not product.is_scanned,
        "counts": [
            [severity.value, str(count)]
            for severity in WORST_FIRST
            if severity is not Severity.INFO
            for count in [sum(recommendation.severity is severity for recommendation in found)]
            # Only what is seen from outside is critical as a rule, and a practice is not looked at.
            if count or product.is_scanned or severity is not Severity.CRITICAL
        ],
        "items": [
            {
                "title": typographic(recommendation.title),
                "severity": recommendation.severity.value,
                "effort": recommendation.effort.value,
                "rows": [
                    ["What we saw", typographic(recommendation.seen)],
                    ["Why it matters", typographic(recommendation.why)],
                    ["What to do", typographic(recommendation.advice)],
                    ["How we check", typographic(recommendation.proof)],
                ],
            }
            for recommendation in found
        ],
    }
    return layout.DocumentInput(facts.submitted_on, content)
