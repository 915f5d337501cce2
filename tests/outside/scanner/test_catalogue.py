from datetime import UTC, datetime, timedelta

import pytest

from bindery.domain.scan.checks import CheckSource, band_of, finding_of, scan_catalogue
from bindery.domain.scan.scan import (
    Confidence,
    Finding,
    ScanOutcome,
    ScanResult,
    Severity,
    merge_results,
    score_of,
)

AT = datetime(2026, 11, 15, tzinfo=UTC)
RED_FLAGS = {
    "MAIL_EXCHANGE_EOL",
    "HTTP_EOL_CRITICAL",
    "VPN_UNPATCHED",
    "RDP_OPEN",
    "SMB_OPEN",
    "VNC_OPEN",
    "TELNET_OPEN",
    "WINRM_OPEN",
    "DB_OPEN",
    "ICS_OPEN",
    "DOCKER_K8S_OPEN",
    "STEALER_LOGS",
}


def found(check_id: str, host: str = "example.com") -> Finding:
    return finding_of(check_id, host=host, evidence="seen")


def result(
    domain: str,
    outcome: ScanOutcome = ScanOutcome.FINISHED,
    *findings: Finding,
    passed: tuple[str, ...] = (),
    unchecked: tuple[str, ...] = (),
    at: datetime = AT,
    notes: tuple[str, ...] = (),
) -> ScanResult:
    has_score = outcome in {ScanOutcome.FINISHED, ScanOutcome.PARTIAL}
    return ScanResult(
        outcome,
        domains=(domain,),
        scanned_at=at,
        scanner="live 2026.1",
        score=score_of(findings) if has_score else None,
        findings=findings,
        passed=passed,
        unchecked=unchecked,
        notes=notes,
    )


def test_the_catalogue_has_45_checks_and_34_ports_each_once() -> None:
    catalogue = scan_catalogue()

    assert len({check.id for check in catalogue.checks}) == len(catalogue.checks) == 45
    assert len({port.number for port in catalogue.ports}) == len(catalogue.ports) == 34


def test_exactly_the_fixed_set_of_checks_are_red_flags() -> None:
    assert {check.id for check in scan_catalogue().checks if check.red_flag} == RED_FLAGS


def test_a_red_flag_is_severe_and_context_costs_nothing() -> None:
    for check in scan_catalogue().checks:
        assert not check.red_flag or check.severity in {Severity.HIGH, Severity.CRITICAL}
        assert (check.points == 0) is (check.severity is Severity.INFO)


def test_every_check_says_why_what_to_do_and_how_it_is_seen_to_be_done() -> None:
    for check in scan_catalogue().checks:
        assert check.why.endswith(".")
        assert check.advice.endswith(".")
        assert check.proof.endswith(".")
        assert not check.title.endswith(".")


def test_every_port_that_names_a_check_names_one_of_the_catalogue() -> None:
    named = {port.check_id for port in scan_catalogue().ports if port.check_id is not None}

    assert named
    assert named <= {check.id for check in scan_catalogue().checks}


def test_only_checks_that_need_bought_data_or_consent_are_left_to_others() -> None:
    apart = {c.id: c.source for c in scan_catalogue().checks if c.source is not CheckSource.OUTSIDE_VIEW}

    assert apart == {
        "DNS_AXFR": CheckSource.OPT_IN,
        "CREDS_LEAKED": CheckSource.LICENSED_DATA,
        "STEALER_LOGS": CheckSource.LICENSED_DATA,
        "BLOCKLIST": CheckSource.LICENSED_DATA,
    }


def test_a_finding_carries_the_words_and_points_of_its_check() -> None:
    assert found("RDP_OPEN") == Finding(
        check_id="RDP_OPEN",
        title="Remote Desktop reachable from the internet",
        severity=Severity.CRITICAL,
        points=30,
        red_flag=True,
        host="example.com",
        evidence="seen",
        confidence=Confidence.CONFIRMED,
    )


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(KeyError):
        found("COFFEE_COLD")


def test_no_finding_scores_100() -> None:
    assert score_of([]) == 100


def test_a_check_that_fails_on_two_hosts_costs_its_points_once() -> None:
    assert score_of([found("RDP_OPEN", "a.example.com"), found("RDP_OPEN", "b.example.com")]) == 70


def test_the_score_does_not_fall_below_zero() -> None:
    assert score_of([found(check.id) for check in scan_catalogue().checks]) == 0


@pytest.mark.parametrize(
    ("score", "letter"),
    [
        (100, "A"),
        (90, "A"),
        (89, "B"),
        (80, "B"),
        (79, "C"),
        (70, "C"),
        (69, "D"),
        (60, "D"),
        (59, "F"),
        (0, "F"),
    ],
)
def test_a_score_lies_in_its_band(score: int, letter: str) -> None:
    assert band_of(score).letter == letter


def test_merging_nothing_is_not_applicable() -> None:
    assert merge_results([], at=AT, scanner="live 2026.1") == ScanResult(
        ScanOutcome.NOT_APPLICABLE, domains=(), scanned_at=AT, scanner="live 2026.1"
    )


@pytest.mark.parametrize(
    ("outcomes", "merged"),
    [
        ("finished finished", "finished"),
        ("finished partial", "partial"),
        ("partial nothing_collected finished", "nothing_collected"),
        ("failed nothing_collected", "failed"),
    ],
)
def test_the_worst_outcome_counts(outcomes: str, merged: str) -> None:
    parts = [result(f"{word}.example.com", ScanOutcome(word)) for word in outcomes.split()]

    assert merge_results(parts, at=AT, scanner="x").outcome == merged
    assert merge_results(reversed(parts), at=AT, scanner="x").outcome == merged


def test_merging_keeps_all_findings_worst_first_and_scores_each_check_once() -> None:
    low = found("DNS_CAA", "a.example.com")
    shared = found("MAIL_DMARC_MISSING", "a.example.com")
    also_shared = found("MAIL_DMARC_MISSING", "b.example.com")
    worst = found("RDP_OPEN", "b.example.com")

    merged = merge_results(
        [
            result("a.example.com", ScanOutcome.FINISHED, low, shared),
            result("b.example.com", ScanOutcome.FINISHED, also_shared, worst),
        ],
        at=AT,
        scanner="x",
    )

    assert merged.findings == (worst, shared, also_shared, low)
    assert merged.score == 61
    assert merged.domains == ("a.example.com", "b.example.com")


def test_a_check_passes_only_where_it_failed_nowhere_and_was_left_open_nowhere() -> None:
    merged = merge_results(
        [
            result("a.example.com", passed=("DNS_CAA", "TLS_OLD", "FTP_OPEN")),
            result(
                "b.example.com",
                ScanOutcome.PARTIAL,
                found("DNS_CAA", "b.example.com"),
                unchecked=("TLS_OLD", "DNS_CAA"),
            ),
        ],
        at=AT,
        scanner="x",
    )

    assert merged.passed == ("FTP_OPEN",)
    assert merged.unchecked == ("TLS_OLD",)


def test_a_merged_result_is_as_old_as_its_oldest_part() -> None:
    yesterday = AT - timedelta(hours=23)
    parts = [result("a.example.com"), result("b.example.com", at=yesterday)]

    assert merge_results(parts, at=AT, scanner="x").scanned_at == yesterday


def test_domains_without_a_score_leave_the_score_to_the_others() -> None:
    empty = result("gone.example.com", ScanOutcome.NOTHING_COLLECTED)
    weak = result("a.example.com", ScanOutcome.FINISHED, found("TLS_EXPIRED"))

    assert merge_results([empty, weak], at=AT, scanner="x").score == 92
    assert merge_results([empty], at=AT, scanner="x").score is None
