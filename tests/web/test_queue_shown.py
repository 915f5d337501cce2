"""The rows of the queue as they are shown: when each is due, why it is there, and which comes next."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.desk.desk import DeskCounts, DeskItem
from bindery.storage.desk.desk_filter import DeskKind, DeskOrder
from bindery.web.desk.desk_shown import (
    Group,
    ShownItem,
    grouped,
    queue_sentences,
    short_due,
    shown_items,
    views,
)
from bindery.web.shown.words import Times

NOW = datetime(2026, 11, 17, 15, 0, tzinfo=UTC)
"""Ten in the morning where the desk is."""
TIMES = Times(ZoneInfo("America/New_York"), NOW)
HOUR = timedelta(hours=1)


def item(number: int, due: timedelta = HOUR, **changed: Any) -> DeskItem:
    given: dict[str, Any] = {
        "item_id": number,
        "submission_id": uuid.UUID(int=number),
        "kind": DeskKind.REFERRAL,
        "company_id": number,
        "product": InsuranceProduct.CYB,
        "name": f"Company {number}",
        "aggregate_limit": 1_000_000,
        "at_stake": 1_500,
        "reasons": ("missing_domain",),
        "is_decline_advised": False,
        "opened_at": NOW - 3 * HOUR,
        "due_at": NOW + due,
        "taken_by": None,
        "asked_at": None,
        "taker": None,
    }
    return DeskItem(**{**given, **changed})


def rows_of(*items: DeskItem) -> tuple[ShownItem, ...]:
    return shown_items(items, TIMES, user_id=1, queue_filter="")


def groups_of(*items: DeskItem, order: DeskOrder = DeskOrder.DUE, **ends: bool) -> tuple[Group, ...]:
    return grouped(items, rows_of(*items), TIMES, order=order, **{"is_first": True, "is_last": True, **ends})


@pytest.mark.parametrize(
    ("due", "said"),
    [
        (timedelta(minutes=-1), "late 1 min"),
        (timedelta(seconds=-59), "now"),
        (timedelta(0), "now"),
        (timedelta(minutes=59), "in 59 min"),
        (HOUR, "in 1 h"),
        (47 * HOUR, "in 47 h"),
        (48 * HOUR, "in 2 days"),
        (-37 * HOUR, "late 37 h"),
    ],
)
def test_a_due_date_fits_a_narrow_column(due: timedelta, said: str) -> None:
    assert short_due(NOW + due, NOW) == said


def test_rows_stand_under_late_today_tomorrow_and_later() -> None:
    found = groups_of(
        item(1, -2 * HOUR), item(2, -HOUR), item(3, HOUR), item(4, 15 * HOUR), item(5, 72 * HOUR)
    )

    titles = ["Late · 2", "Due today · 1", "Tomorrow, Nov 18 · 1", "Later · 1"]
    assert [group.title for group in found] == titles
    assert [group.is_late for group in found] == [True, False, False, False]
    assert [row.name for row in found[0].rows] == ["Company 1", "Company 2"]


def test_a_group_that_goes_on_on_another_page_is_not_counted() -> None:
    some = item(1, -HOUR), item(2, HOUR), item(3, 15 * HOUR)

    first = groups_of(*some, is_last=False)
    middle = groups_of(*some, is_first=False, is_last=False)

    assert [group.title for group in first] == ["Late · 1", "Due today · 1", "Tomorrow, Nov 18"]
    assert [group.title for group in middle] == ["Late", "Due today · 1", "Tomorrow, Nov 18"]


def test_another_order_has_no_heads_and_an_empty_queue_no_groups() -> None:
    (group,) = groups_of(item(1, -HOUR), item(2), order=DeskOrder.STAKE)

    assert (group.title, len(group.rows)) == ("", 2)
    assert groups_of() == groups_of(order=DeskOrder.STAKE) == ()


def test_severe_reasons_come_first_and_what_does_not_fit_is_counted() -> None:
    many = ("missing_domain", "past_cyber_event", "red_flags", "scan_failed")
    (row,) = rows_of(item(1, reasons=many, is_decline_advised=True, at_stake=0))

    assert row.severe == ("decline advised", "severe: red flags")
    assert row.reasons == "missing domain, 2 more"
    assert row.why.endswith("missing domain, past cyber event, scan failed")
    assert (row.stake, row.is_priced) == ("not priced", False)


def test_the_sentence_counts_and_names_the_next_free_case() -> None:
    counts = DeskCounts(waiting=27, mine=1, late=4, binds=0, papers=0)
    case = uuid.UUID(int=9)
    items = [
        item(1, taken_by=2, submission_id=case),
        item(2, submission_id=case, kind=DeskKind.PAPER),
        item(3, -32 * HOUR, kind=DeskKind.BIND),
    ]

    assert queue_sentences(counts, items, TIMES) == (
        "27 wait, 4 are late.",
        "Next free case: Company 3, a bind, late 32 h.",
    )
    assert (
        queue_sentences(counts, [item(4)], TIMES)[1] == "Next free case: Company 4, a referral, due in 1 h."
    )
    assert queue_sentences(counts, items[:2], TIMES)[1] == ""
    one = DeskCounts(waiting=1, mine=0, late=1, binds=0, papers=0)
    assert queue_sentences(one, [], TIMES) == ("1 waits, 1 is late.", "")
    assert queue_sentences(DeskCounts(0, 0, 0, 0, 0), [], TIMES) == ("", "")


def test_what_is_late_is_red_among_the_views() -> None:
    found = views(DeskCounts(waiting=101, mine=0, late=4, binds=0, papers=0), "mine")

    assert [link.count for link in found] == ["100+", "0", "4", "0", "0", "0"]
    assert [link.text for link in found if link.is_late] == ["Late"]
    assert [link.text for link in found if link.is_here] == ["Mine"]
    assert not any(link.is_late for link in views(DeskCounts(0, 0, 0, 0, 0), "all"))


def test_what_waits_for_its_broker_is_nobodys_next_case_and_says_since_when() -> None:
    asked = item(1, asked_at=NOW - 2 * HOUR)
    (row,) = rows_of(asked)
    counts = DeskCounts(waiting=1, mine=0, late=0, binds=0, papers=0, asked=1)

    assert (row.due.text, row.is_late) == ("asked 2 h ago", False)
    assert rows_of(item(1, -HOUR, asked_at=NOW))[0].is_late is False
    assert queue_sentences(counts, [asked], TIMES) == ("1 waits. 1 waits for its broker.", "")
    two = replace(counts, waiting=0, asked=2)
    assert queue_sentences(two, [asked], TIMES) == ("2 wait for their brokers.", "")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("begins:2026-11-12", "begins 5 days back"),
        ("begins:2026-11-16", "begins 1 day back"),
        ("begins:2026-11-17", ""),
        ("prior_acts:2023-01-01", "prior acts from 2023"),
        ("prior_acts:full_prior_acts", "full prior acts"),
        ("pre_bind_open", "pre-bind open"),
        ("file:signature", "signed application came in"),
        ("file:underwriter", "file came in"),
        ("cancel_from:2027-03-01", "to be canceled as of Mar 1"),
    ],
)
def test_binds_papers_and_cancellations_say_why_they_are_in_the_queue(code: str, said: str) -> None:
    (row,) = rows_of(item(1, reasons=(code,), kind=DeskKind.BIND))

    assert row.why == said
