"""What a renewal says was fixed since: only what the new scan has looked at and not found."""

from dataclasses import replace

from bindery.domain.documents.comparison import renewal_of
from bindery.domain.documents.facts import read_option_facts, write_facts
from bindery.domain.scan.checks import finding_of
from bindery.domain.scan.scan import ScanOutcome, ScanResult
from documents.cases import facts_of, scan_of
from documents.review_cases import case

HOST = "clean.example.com"
RDP, OLD_TLS = (finding_of(check, host=HOST, evidence="seen") for check in ("RDP_OPEN", "TLS_OLD"))
CLEAN = scan_of([], [HOST])
BOUND = case("CYB bound").binding


def settled(now: ScanResult) -> tuple[str, ...]:
    expiring = facts_of(scan=scan_of([OLD_TLS], [HOST]), binding=BOUND)
    return renewal_of(expiring, facts_of(scan=now), [RDP, RDP]).settled


def test_findings_of_last_year_and_alerts_since_are_fixed_when_they_are_gone() -> None:
    assert settled(CLEAN) == (OLD_TLS.title, RDP.title)
    assert settled(scan_of([RDP], [HOST])) == (OLD_TLS.title,)
    assert settled(scan_of([RDP, OLD_TLS], [HOST])) == ()


def test_what_the_new_scan_did_not_look_at_is_not_called_fixed() -> None:
    partial = replace(CLEAN, outcome=ScanOutcome.PARTIAL, unchecked=(RDP.check_id,))

    assert settled(partial) == (OLD_TLS.title,)
    assert settled(replace(CLEAN, outcome=ScanOutcome.NOTHING_COLLECTED, score=None)) == ()


def test_the_facts_of_a_renewal_read_back_as_they_were_frozen() -> None:
    renewal = case("R CYB")

    assert read_option_facts(write_facts(renewal)).renewal == renewal.renewal
