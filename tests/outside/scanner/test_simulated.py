import hashlib
import time
from datetime import UTC, datetime

import pytest

from bindery.domain.scan.checks import scan_catalogue
from bindery.domain.scan.scan import ScanOutcome, ScanResult, score_of
from bindery.outside.scanner.simulated import ALTERNATIVES, SimulatedScanner
from outside.scanner.town import scan_all

AT = datetime(2026, 11, 15, tzinfo=UTC)
NAMES = [f"firm-{number}.example.org" for number in range(1_000)] + [
    f"firm-{number}.example.com" for number in range(1_000)
]


async def scan(*domains: str, slow_s: float = 0.0) -> ScanResult:
    return await scan_all(SimulatedScanner(slow_s=slow_s), domains, at=AT)


@pytest.mark.parametrize("domain", ["clean.example.com", "CLEAN.Example.COM.", "clean.anything.example.com"])
async def test_a_clean_name_scores_95(domain: str) -> None:
    result = await scan(domain)

    assert result.outcome is ScanOutcome.FINISHED
    assert result.score == 95
    assert sum(finding.points for finding in result.findings) == 5
    assert not result.red_flags_exist


async def test_a_red_flags_name_has_red_flags_and_is_not_referred_for_its_score() -> None:
    result = await scan("red-flags.example.com")

    assert result.red_flags_exist
    assert [finding.check_id for finding in result.findings if finding.red_flag] == ["RDP_OPEN", "DB_OPEN"]
    assert result.score == 51


async def test_a_weak_name_scores_between_60_and_69_without_a_red_flag() -> None:
    result = await scan("weak.example.com")

    assert result.score == 64
    assert not result.red_flags_exist


async def test_a_scan_error_name_fails() -> None:
    result = await scan("scan-error.example.com")

    assert (result.outcome, result.score, result.findings) == (ScanOutcome.FAILED, None, ())


async def test_a_no_data_name_gives_nothing() -> None:
    result = await scan("no-data.example.com")

    assert (result.outcome, result.score, result.findings) == (ScanOutcome.NOTHING_COLLECTED, None, ())


async def test_a_calc_error_name_scans_clean() -> None:
    clean, broken = await SimulatedScanner().scan_each(["clean.example.com", "calc-error.example.com"], at=AT)

    assert [f.check_id for f in broken.findings] == [f.check_id for f in clean.findings]
    assert broken.score == 95


async def test_a_slow_name_takes_its_time_and_is_clean() -> None:
    started = time.monotonic()

    result = await scan("slow.example.com", slow_s=0.2)

    assert time.monotonic() - started >= 0.2
    assert result.score == 95


def test_a_slow_name_takes_30_seconds_where_nothing_else_is_said() -> None:
    assert SimulatedScanner()._slow_s == 30


async def test_no_domain_is_not_applicable() -> None:
    result = await scan()

    assert (result.outcome, result.score, result.domains) == (ScanOutcome.NOT_APPLICABLE, None, ())


@pytest.mark.parametrize(
    "domain", ["red-flags.example.org", "red-flags.com", "example.com", "notexample.com"]
)
async def test_the_magic_works_under_example_com_alone(domain: str) -> None:
    result = await scan(domain)

    assert result.outcome is ScanOutcome.FINISHED
    assert not result.red_flags_exist


async def test_the_worst_outcome_of_several_domains_counts_and_findings_are_merged() -> None:
    result = await scan("weak.example.com", "no-data.example.com", "red-flags.example.com")

    assert result.outcome is ScanOutcome.NOTHING_COLLECTED
    assert result.red_flags_exist
    assert {finding.host for finding in result.findings} == {"weak.example.com", "red-flags.example.com"}
    # 36 points of the weak one and 49 of the red flags.
    assert result.score == 15


async def test_a_failed_domain_is_worse_than_one_without_data() -> None:
    result = await scan("no-data.example.com", "scan-error.example.com", "clean.example.com")

    assert result.outcome is ScanOutcome.FAILED


async def test_ordinary_names_are_never_flagged_and_never_below_70() -> None:
    results = await SimulatedScanner().scan_each(NAMES, at=AT)

    for result in results:
        assert result.outcome is ScanOutcome.FINISHED
        assert not result.red_flags_exist
        assert result.score is not None
        assert 70 <= result.score <= 100
    scores = {result.score for result in results if result.score is not None}
    assert min(scores) == 70
    assert max(scores) == 100


async def test_the_score_of_every_name_is_100_less_the_points_of_the_catalogue() -> None:
    results = await SimulatedScanner().scan_each(NAMES, at=AT)

    for result in results:
        points = [scan_catalogue().check(finding.check_id).points for finding in result.findings]
        assert result.score == 100 - sum(points) == score_of(result.findings)


async def test_no_name_has_two_findings_that_exclude_each_other_and_none_both_found_and_passed() -> None:
    results = await SimulatedScanner().scan_each(NAMES, at=AT)

    for result in results:
        found = [finding.check_id for finding in result.findings]
        assert len(found) == len(set(found))
        assert all(len(set(line) & set(found)) <= 1 for line in ALTERNATIVES)
        assert not set(found) & set(result.passed)


async def test_the_same_name_gives_the_same_result_however_it_is_spelled() -> None:
    first = await scan("Northern-Lights.Example.Org")
    second = await scan("northern-lights.example.org.")

    assert first.findings == second.findings


async def test_results_are_the_same_on_every_machine() -> None:
    """A changed digest means that quotes made in the demo yesterday are priced differently today."""
    results = await SimulatedScanner().scan_each(NAMES, at=AT)

    drawn = "\n".join(
        f"{name} {' '.join(finding.check_id for finding in result.findings)}"
        for name, result in zip(NAMES, results, strict=True)
    )
    assert hashlib.sha256(drawn.encode()).hexdigest()[:16] == "b83192d567813ab5"
