"""When everything owed for a binder has come in, and what that is worth."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bindery.contract.documents import UploadFinding
from bindery.contract.vocabulary import ContingencyStatus, ContingencyType
from bindery.domain.policy.binding import decide_approval, last_day
from bindery.domain.policy.contingencies import (
    Contingency,
    ContingencyKind,
    ReceivedFile,
    all_received_on,
    first_files,
    last_day_for_more,
)
from bindery.domain.policy.policy import Policy
from support.policies import a_policy

LAST_DAY = date(2026, 12, 17)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
SIGNATURE = Contingency("1", ContingencyKind.SIGNATURE, ContingencyType.POST_BIND, "A signed application")
EXPIRING = Contingency("2", ContingencyKind.EXPIRING_POLICY, ContingencyType.POST_BIND, "The old policy")


def binder(received_on: date | None) -> Policy:
    return a_policy(issued_on=None, fulfil_by=LAST_DAY, received_on=received_on)


@pytest.mark.parametrize(
    ("received", "days_past", "is_lapsed", "is_late"),
    [
        (None, 0, False, False),
        (None, 1, True, False),
        (LAST_DAY, 0, False, False),
        (LAST_DAY, 1, False, True),
        (LAST_DAY, 400, False, True),
        (LAST_DAY + timedelta(days=1), 1, True, False),
    ],
)
def test_a_binder_lapses_after_its_last_day_unless_everything_came_by_then(
    received: date | None, days_past: int, is_lapsed: bool, is_late: bool
) -> None:
    today = LAST_DAY + timedelta(days=days_past)

    assert (binder(received).is_lapsed(today), binder(received).is_late(today)) == (is_lapsed, is_late)


def test_an_issued_or_ended_policy_is_neither_late_nor_lapsed() -> None:
    after = LAST_DAY + timedelta(days=1)

    for policy in (
        replace(binder(LAST_DAY), issued_on=LAST_DAY),
        replace(binder(None), issued_on=LAST_DAY),
        replace(binder(None), in_force=False),
    ):
        assert not policy.is_late(after)
        assert not policy.is_lapsed(after)


def a_file(
    contingency: str, hours: int, finding: UploadFinding = UploadFinding.MATCHED, *, again: int | None = None
) -> ReceivedFile:
    return ReceivedFile(
        contingency=contingency,
        received=NOON + timedelta(hours=hours),
        finding=finding,
        asked_again_at=None if again is None else NOON + timedelta(hours=again),
    )


def test_the_first_file_counts_that_somebody_can_look_at() -> None:
    files = [
        a_file("1", 3),
        a_file("1", 2, UploadFinding.NOT_RECOGNIZED),
        a_file("1", 1, UploadFinding.DAMAGED),
        a_file("2", 5, UploadFinding.DAMAGED),
    ]

    assert first_files(files) == {"1": NOON + timedelta(hours=2)}


def test_what_came_before_a_file_was_asked_for_again_does_not_count() -> None:
    files = [a_file("1", 1, again=2), a_file("1", 2, again=2), a_file("1", 3, again=2), a_file("2", 1)]

    assert first_files(files) == {"1": NOON + timedelta(hours=3), "2": NOON + timedelta(hours=1)}


def test_everything_has_come_once_the_last_open_contingency_has_a_file() -> None:
    first, second = date(2026, 12, 1), date(2026, 12, 5)
    closed = replace(EXPIRING, status=ContingencyStatus.CLOSED)

    assert all_received_on([SIGNATURE, EXPIRING], {"1": second, "2": first}) == second
    assert all_received_on([SIGNATURE, EXPIRING], {"1": second}) is None
    assert all_received_on([SIGNATURE, closed], {"1": first}) == first
    assert all_received_on([closed], {}) is None


@pytest.mark.parametrize(("days_left", "moves_by"), [(11, 0), (10, 0), (9, 1), (0, 10), (-5, 15)], ids=str)
def test_there_are_at_least_ten_days_for_what_is_asked_for_after_the_bind(
    days_left: int, moves_by: int
) -> None:
    today = LAST_DAY - timedelta(days=days_left)

    assert last_day_for_more(LAST_DAY, today) == LAST_DAY + timedelta(days=moves_by)


def test_a_binder_lasts_as_long_as_its_contingencies_may_take() -> None:
    bound, effective = date(2026, 11, 17), date(2026, 12, 1)

    assert last_day([SIGNATURE], effective, bound) == LAST_DAY
    assert last_day([SIGNATURE, EXPIRING], effective, bound) == date(2026, 12, 31)
    assert last_day([EXPIRING], bound - timedelta(days=7), bound) == LAST_DAY
    approval = decide_approval([SIGNATURE, EXPIRING], attested=False, effective=effective, today=bound)
    assert approval.fulfil_by == date(2026, 12, 31)
