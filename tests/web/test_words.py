"""What is said of statuses and steps."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.changes import ChangeStatus, PolicyChanges
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE
from bindery.web.shown.history_sentences import SENTENCES
from bindery.web.shown.policy_changes import CHANGE_WORDS, LABELS
from bindery.web.shown.words import STATUS_WORDS, Times, seconds


def test_every_status_has_its_word_and_every_step_its_sentence() -> None:
    assert set(STATUS_WORDS) == set(QuoteStatus)
    assert set(CHANGE_WORDS) == set(ChangeStatus)
    assert set(LABELS) == set(PolicyChanges.__struct_fields__)
    assert set(SENTENCES) == {CREATE, *Trigger}
    brokers = {"broker": "bo@example.com", "broker_before": "ann@example.com"}
    for say in SENTENCES.values():
        assert say({"closed": "1", "to": ["Pier LLC"], "count": 1, "effective": "2027-03-01", **brokers})


@pytest.mark.parametrize(
    ("zone", "named"), [("America/New_York", "EST/EDT"), ("UTC", "UTC"), ("America/Phoenix", "MST")]
)
def test_a_page_names_the_zone_of_all_its_moments(zone: str, named: str) -> None:
    summer = Times(ZoneInfo(zone), datetime(2026, 7, 20, 12, tzinfo=UTC))
    winter = Times(ZoneInfo(zone), datetime(2026, 11, 20, 12, tzinfo=UTC))

    assert summer.zone_name == winter.zone_name == named
    assert summer.zone_at(winter.now) == named.partition("/")[0]


@pytest.mark.parametrize(
    ("ahead_s", "text"),
    [(61, "in 1 minute"), (5, "in less than a minute"), (0, "now"), (-59, "now"), (-60, "late by 1 minute")],
)
def test_a_moment_that_is_due_is_late_only_after_a_minute(ahead_s: int, text: str) -> None:
    times = Times(ZoneInfo("UTC"), datetime(2026, 11, 20, 12, tzinfo=UTC))

    assert times.until(times.now + timedelta(seconds=ahead_s)).text == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(4, "0.004 s"), (999, "0.999 s"), (1_000, "1.0 s"), (59_900, "59.9 s"), (60_000, "1 minute")],
)
def test_a_short_time_is_given_to_the_millisecond(milliseconds: int, text: str) -> None:
    assert seconds(timedelta(milliseconds=milliseconds)) == text
