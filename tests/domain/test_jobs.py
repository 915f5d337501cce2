"""When a job that did not succeed is tried again, and in which lane it waits."""

from datetime import timedelta

import pytest

from bindery.domain.jobs import (
    IN_LANES_OF_PARTNERS,
    MOST_TRIES,
    URGENT,
    grouped,
    is_worker_missed,
    pause_after_error,
    pause_after_outage,
)
from bindery.worker.entrypoints import KINDS


def test_pauses_after_errors_grow_until_the_last_try() -> None:
    pauses = [pause_after_error(tries) for tries in range(1, MOST_TRIES + 1)]

    assert pauses == [*(timedelta(seconds=seconds) for seconds in (1, 2, 4, 8, 16)), None]


@pytest.mark.parametrize(("times", "seconds"), [(1, 1), (2, 2), (4, 8), (5, 15), (6, 15), (1_000_000, 15)])
def test_pauses_in_an_outage_grow_to_fifteen_seconds_and_never_end(times: int, seconds: int) -> None:
    assert pause_after_outage(times) == timedelta(seconds=seconds)


def test_only_submissions_go_by_partner_and_everything_urgent_is_a_kind_of_job() -> None:
    assert {kind for kind in KINDS if kind in IN_LANES_OF_PARTNERS} == {"process_submission"}
    assert set(KINDS) >= URGENT | IN_LANES_OF_PARTNERS


def test_failures_that_differ_in_ids_and_numbers_are_one_group() -> None:
    failed = [
        ("send_mail", "KeyError: 01a1e67f-01ba-77a1-918f-c8b218365e2c", 1),
        ("send_mail", None, 2),
        ("send_mail", "KeyError: 01a1e67f-01ef-71ae-81d0-1e12ab5fdc1d", 3),
        ("finish_bind", "KeyError: 17", 4),
    ]

    assert [(group.kind, group.failure, group.count, group.sample) for group in grouped(failed)] == [
        ("send_mail", "KeyError: …", 2, 1),
        ("finish_bind", "KeyError: …", 1, 4),
        ("send_mail", "no error was kept", 1, 2),
    ]


@pytest.mark.parametrize(("seconds", "is_missed"), [(0, False), (60, False), (61, True), (None, True)])
def test_a_worker_is_missed_after_a_minute(seconds: int | None, *, is_missed: bool) -> None:
    assert is_worker_missed(None if seconds is None else timedelta(seconds=seconds)) is is_missed
