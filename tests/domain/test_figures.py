"""Figures of days: percentiles out of counts, and which days are counted when."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindery.domain.figures import (
    READY_WITHIN_MS,
    Figures,
    bounds_of,
    days_not_kept,
    days_to_figure,
    ready_within_ms,
    total,
)

NEW_YORK = ZoneInfo("America/New_York")
EMPTY = (0,) * (len(READY_WITHIN_MS) + 1)


def readiness(**counts: int) -> tuple[int, ...]:
    """Counts by their upper bound, as `up_to_200=3`."""
    found = list(EMPTY)
    for name, count in counts.items():
        found[READY_WITHIN_MS.index(int(name.removeprefix("up_to_")))] = count
    return tuple(found)


def test_without_options_there_is_no_time() -> None:
    assert ready_within_ms(EMPTY, 0.5) is None


def test_a_percentile_lies_in_the_count_that_reaches_it() -> None:
    counts = readiness(up_to_200=50, up_to_1000=49, up_to_60000=1)

    assert ready_within_ms(counts, 0.5) == 200
    assert 750 < (ready_within_ms(counts, 0.9) or 0) <= 1_000
    assert 45_000 < (ready_within_ms(counts, 1.0) or 0) <= 60_000


def test_what_took_longer_than_the_last_bound_is_said_to_have_taken_that() -> None:
    assert ready_within_ms((*EMPTY[:-1], 5), 0.9) == READY_WITHIN_MS[-1]


@given(st.lists(st.integers(0, 3_600_000 - 1), min_size=1, max_size=200), st.sampled_from([0.1, 0.5, 0.9]))
def test_a_percentile_is_within_the_bounds_of_the_true_one(times: list[int], share: float) -> None:
    counts = list(EMPTY)
    for took_ms in times:
        counts[sum(bound <= took_ms for bound in READY_WITHIN_MS)] += 1

    found = ready_within_ms(counts, share)

    ordered = sorted(times)
    true = next(took_ms for place, took_ms in enumerate(ordered, 1) if place >= share * len(ordered))
    bounds = (0, *READY_WITHIN_MS)
    low = max(bound for bound in bounds if bound <= true)
    high = min(bound for bound in bounds if bound > true)
    assert found is not None
    assert low <= found <= high


def test_figures_of_days_add_up() -> None:
    monday = Figures(submitted=3, premium=100, readiness=readiness(up_to_200=3), reasons={"red_flags": 2})
    tuesday = Figures(
        submitted=2, bound=1, readiness=readiness(up_to_50=1), reasons={"red_flags": 1, "limit": 1}
    )

    both = total([monday, tuesday])

    assert (both.submitted, both.bound, both.premium) == (5, 1, 100)
    assert both.readiness == readiness(up_to_50=1, up_to_200=3)
    assert both.reasons == {"red_flags": 3, "limit": 1}
    assert total([]) == Figures()


def test_a_day_begins_and_ends_at_midnight_in_the_business_zone() -> None:
    start, end = bounds_of(date(2026, 11, 1), NEW_YORK)

    assert start.astimezone(UTC) == datetime(2026, 11, 1, 4, tzinfo=UTC)
    # Summer time ends on that day, which has 25 hours.
    assert end.astimezone(UTC) == datetime(2026, 11, 2, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hour", "newest"),
    # Midnight in New York is five in the morning in UTC; a day is settled an hour later.
    [(5, date(2026, 11, 8)), (6, date(2026, 11, 9))],
)
def test_a_day_is_counted_an_hour_after_it_ended(hour: int, newest: date) -> None:
    now = datetime(2026, 11, 10, hour, 0, tzinfo=UTC)

    assert days_to_figure(date(2026, 11, 7), (), now=now, zone=NEW_YORK)[0] == newest


def test_what_an_outage_left_out_is_counted_later_the_newest_first() -> None:
    now = datetime(2026, 11, 10, 12, tzinfo=UTC)

    found = days_to_figure(date(2026, 11, 4), {date(2026, 11, 6)}, now=now, zone=NEW_YORK)

    assert found == [date(2026, 11, day) for day in (9, 8, 7, 5, 4)]
    assert days_to_figure(None, (), now=now, zone=NEW_YORK) == []
    assert days_to_figure(date(2026, 11, 10), (), now=now, zone=NEW_YORK) == []


@pytest.mark.parametrize(
    ("first", "days"),
    [
        (None, []),
        (date(2027, 3, 4), [date(2027, 3, 4)]),
        (date(2027, 3, 2), [date(2027, 3, 2), date(2027, 3, 4)]),
        (date(2026, 1, 1), [date(2027, 3, 1), date(2027, 3, 2), date(2027, 3, 4)]),
    ],
)
def test_days_that_are_shown_and_not_kept_are_counted_live(first: date | None, days: list[date]) -> None:
    done = {date(2027, 3, 3)}

    assert days_not_kept(date(2027, 3, 1), first, done, today=date(2027, 3, 4)) == days
