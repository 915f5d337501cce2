"""What is said of statuses and steps."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE
from bindery.web.shown.history import SENTENCES
from bindery.web.shown.words import STATUS_WORDS, Times


def test_every_status_has_its_word_and_every_step_its_sentence() -> None:
    assert set(STATUS_WORDS) == set(QuoteStatus)
    assert set(SENTENCES) == {CREATE, *Trigger}
    for say in SENTENCES.values():
        assert say({"closed": "1"})


@pytest.mark.parametrize(
    ("zone", "named"), [("America/New_York", "EST/EDT"), ("UTC", "UTC"), ("America/Phoenix", "MST")]
)
def test_a_page_names_the_zone_of_all_its_moments(zone: str, named: str) -> None:
    summer = Times(ZoneInfo(zone), datetime(2026, 7, 20, 12, tzinfo=UTC))
    winter = Times(ZoneInfo(zone), datetime(2026, 11, 20, 12, tzinfo=UTC))

    assert summer.zone_name == winter.zone_name == named
    assert summer.zone_at(winter.now) == named.partition("/")[0]
