"""What the service's check says is wrong, at its boundaries."""

from datetime import UTC, datetime, timedelta

from bindery.domain.service_check import (
    Report,
    Verdict,
    differing,
    fine,
    judge_disk,
    judge_skew,
    judge_version,
    wrong,
)
from support.tables import each_row


@each_row(
    ("number", "verdict", "found"),
    [
        (139_999, "wrong", "13.9999"),
        (140_000, "ok", "14.0"),
        (180_001, "ok", "18.1"),
        (90_624, "wrong", "9.624"),
    ],
)
def test_postgresql_14_is_the_oldest(number: int, verdict: str, found: str) -> None:
    line = judge_version(number)

    assert (line.verdict, line.found) == (verdict, found)
    assert bool(line.to_do) == (verdict == "wrong")


@each_row(
    ("seconds", "verdict", "found"),
    [
        (0, "ok", "0.0 s from the database's"),
        (2, "ok", "2.0 s from the database's"),
        (2.001, "wrong", "2 s ahead of the database's"),
        (-2, "ok", "2.0 s from the database's"),
        (-90, "wrong", "90 s behind the database's"),
    ],
)
def test_clocks_may_differ_by_two_seconds(seconds: float, verdict: str, found: str) -> None:
    line = judge_skew(timedelta(seconds=seconds))

    assert (line.verdict, line.found) == (verdict, found)


@each_row(
    ("free", "whole", "verdict"),
    [
        (10_000_000_000, 100_000_000_000, "ok"),
        (9_999_999_999, 100_000_000_000, "wrong"),
        (1_000_000_000, 5_000_000_000, "ok"),
        (999_999_999, 5_000_000_000, "wrong"),
    ],
)
def test_a_tenth_of_the_disk_and_a_gigabyte_are_to_be_free(free: int, whole: int, verdict: str) -> None:
    assert judge_disk(free, whole, "/var/lib/bindery").verdict == verdict


def _report(host: str, **keys: str) -> Report:
    return Report(host=host, at=datetime(2026, 11, 18, tzinfo=UTC), lines=(fine("Mail", "yes"),), keys=keys)


def test_processes_that_do_not_share_a_key_are_named() -> None:
    own = _report("web1", key="a", files="b")

    found = differing(own, [_report("work1", key="a", files="b"), _report("work2", key="x", files="b")])

    assert [(line.name, line.verdict, line.found) for line in found] == [
        ("key", Verdict.WRONG, "another one on work2 than here")
    ]
    # One of an older version has no such key.
    assert differing(own, [_report("work1", key="a")]) == ()


def test_a_report_is_fine_while_nothing_is_wrong() -> None:
    own = _report("web1")

    assert own.is_fine
    worse = Report(host="web1", at=own.at, lines=(wrong("Mail", "no", "Set it."),), keys={})
    assert not worse.is_fine
