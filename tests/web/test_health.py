"""The overview says what needs a look, and only that."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bindery.base.errors import Problem
from bindery.contract.webhooks import DeliveryStatus
from bindery.storage.access.partners import TokenRecord
from bindery.storage.operations.overview import Attention
from bindery.web.ops.health_shown import HealthState, health, lede
from bindery.web.ops.states_shown import (
    Lede,
    ShownState,
    delivery_state,
    jobs_standing,
    mail_state,
    marked,
    partner_standing,
    token_state,
    webhooks_standing,
)
from bindery.web.shown.words import StatusDot, Times

NOW = datetime(2026, 11, 17, 15, 30, tzinfo=UTC)
TIMES = Times(ZoneInfo("America/New_York"), NOW)
WELL = {
    "open_cases": 3,
    "late_cases": 0,
    "failed_jobs": 0,
    "oldest_job": None,
    "webhooks": 2,
    "failing_webhooks": 0,
    "unsent_mails": 0,
    "recent_unsent_mails": 0,
    "refused_mails": 0,
    "marked_binders": 0,
    "highest_mark": None,
    "sends_mail": True,
}
SEEN = timedelta(seconds=4)


def states(
    *, silent_for: timedelta | None = SEEN, ms: int = 7, is_demo: bool = False, **found: Any
) -> dict[str, HealthState]:
    shown = health(
        Attention(**{**WELL, **found}),
        worker_silent_for=silent_for,
        answered_in_ms=ms,
        times=TIMES,
        is_demo=is_demo,
    )
    return {state.name: state for state in shown}


def test_where_nothing_needs_a_look_everything_runs() -> None:
    shown = states()

    assert lede(list(shown.values())) == Lede("Everything runs.")
    assert [(state.name, state.dot, state.figure, state.note) for state in shown.values()] == [
        ("Worker", "open", "4 s ago", "last seen"),
        ("Database", "open", "7 ms", "answer time"),
        ("Jobs", "open", "none wait", "0 failed"),
        ("Webhooks", "open", "0 failing", "of 2 endpoints"),
        ("Mail", "open", "all sent", "nothing waits"),
        ("Desk", "open", "3 open", "none late"),
    ]


def test_failed_jobs_are_the_figure_and_what_waits_stands_below() -> None:
    minute = NOW - timedelta(minutes=1)

    failed, waiting = states(failed_jobs=3, oldest_job=minute)["Jobs"], states(oldest_job=minute)["Jobs"]

    assert (failed.figure, failed.note) == ("3 failed", "the oldest waits 1 minute")
    assert (waiting.figure, waiting.note) == ("1 minute", "the oldest waits, 0 failed")


def test_the_sentence_names_each_thing_that_needs_a_look() -> None:
    shown = states(unsent_mails=101, recent_unsent_mails=101, sends_mail=False, late_cases=4, is_demo=True)

    assert lede(list(shown.values())) == Lede(
        "Two things need a look:",
        "more than 100 mails are not sent (no worker has a mail server) and 4 cases on the desk are late.",
    )
    assert (shown["Mail"].dot, shown["Mail"].figure) == ("warn", "100+")
    assert (shown["Desk"].dot, shown["Desk"].note) == ("warn", "4 late")


def test_binders_are_named_only_once_one_has_reached_a_mark() -> None:
    one = states(marked_binders=1, highest_mark=75)["Binders"]
    more = states(marked_binders=2, highest_mark=90)["Binders"]

    assert (one.dot, one.figure, one.note) == ("warn", "75 % used", "of its premium limit")
    assert one.need == "1 binder has reached 75 % of its premium limit"
    assert (more.figure, more.note) == ("2 marked", "up to 90 % of their limits")
    assert more.need == "2 binders have reached up to 90 % of their premium limits"


@pytest.mark.parametrize(
    ("found", "name", "dot", "need"),
    [
        ({"silent_for": None}, "Worker", "bad", "no worker is running"),
        (
            {"silent_for": timedelta(minutes=3)},
            "Worker",
            "bad",
            "no worker has been seen for 3 minutes",
        ),
        ({"silent_for": timedelta(seconds=60)}, "Worker", "open", ""),
        ({"ms": 500}, "Database", "open", ""),
        ({"ms": 501}, "Database", "bad", "the database is slow, it answered in 501 ms"),
        ({"failed_jobs": 1}, "Jobs", "bad", "1 job failed"),
        ({"oldest_job": NOW - timedelta(minutes=5)}, "Jobs", "open", ""),
        ({"oldest_job": NOW - timedelta(minutes=6)}, "Jobs", "warn", "a job has waited for 6 minutes"),
        (
            {"failed_jobs": 101, "oldest_job": NOW - timedelta(hours=3)},
            "Jobs",
            "bad",
            "more than 100 jobs failed and a job has waited for 3 hours",
        ),
        ({"failing_webhooks": 1}, "Webhooks", "bad", "1 webhook is failing"),
        ({"failing_webhooks": 2}, "Webhooks", "bad", "2 webhooks are failing"),
        # What is on its way, or has not been sent for more than a week, is counted and needs no look.
        ({"unsent_mails": 8, "recent_unsent_mails": 8}, "Mail", "open", ""),
        ({"unsent_mails": 8, "sends_mail": False}, "Mail", "open", ""),
        (
            {"unsent_mails": 8, "recent_unsent_mails": 8, "refused_mails": 1},
            "Mail",
            "bad",
            "1 mail could not be sent",
        ),
        (
            {"unsent_mails": 8, "recent_unsent_mails": 1, "sends_mail": False},
            "Mail",
            "bad",
            "1 mail is not sent (no worker has a mail server)",
        ),
        ({"late_cases": 1}, "Desk", "warn", "1 case on the desk is late"),
    ],
)
def test_each_state_says_what_is_wrong_with_it(found: dict[str, Any], name: str, dot: str, need: str) -> None:
    shown = states(**found)

    assert (shown[name].dot, shown[name].need) == (dot, need)
    assert lede(list(shown.values())).strong == ("One thing needs a look:" if need else "Everything runs.")


@pytest.mark.parametrize(
    ("revoked", "left", "state"),
    [
        (True, timedelta(days=300), ShownState(StatusDot.OVER, "revoked")),
        (False, timedelta(days=-1), ShownState(StatusDot.OVER, "expired")),
        (False, timedelta(days=12, hours=1), ShownState(StatusDot.WARN, "expires in 12 days")),
        (False, timedelta(days=30), ShownState(StatusDot.BOUND, "in force")),
    ],
)
def test_a_token_about_to_expire_says_so(revoked: bool, left: timedelta, state: ShownState) -> None:
    token = TokenRecord(
        token_id="abcd",
        partner_name="Quill",
        environment="demo",
        issued_at=NOW,
        expires_at=NOW + left,
        revoked_at=NOW if revoked else None,
    )

    assert token_state(token, TIMES) == state


def test_a_delivery_to_a_disabled_webhook_is_held() -> None:
    pending, failed = DeliveryStatus.PENDING, DeliveryStatus.FAILED

    assert delivery_state(pending, is_waiting=True, is_sent_to=True) == ShownState(StatusDot.WAIT, "pending")
    assert delivery_state(pending, is_waiting=True, is_sent_to=False) == ShownState(StatusDot.OVER, "held")
    assert delivery_state(failed, is_waiting=False, is_sent_to=True) == ShownState(StatusDot.BAD, "failed")
    assert delivery_state(DeliveryStatus.DELIVERED, is_waiting=False, is_sent_to=False).dot == "open"


def test_a_mail_is_sent_or_says_why_not() -> None:
    said = [
        mail_state(is_sent=True, is_failed=False, was_tried=True),
        mail_state(is_sent=False, is_failed=True, was_tried=True),
        mail_state(is_sent=False, is_failed=False, was_tried=True),
        mail_state(is_sent=False, is_failed=False, was_tried=False),
    ]

    assert [state.text for state in said] == ["sent", "failed", "tried, not sent", "not sent yet"]


def test_a_partner_without_tokens_or_brokers_says_what_to_add() -> None:
    in_force, over = ShownState(StatusDot.BOUND, "in force"), ShownState(StatusDot.OVER, "revoked")
    failing = ShownState(StatusDot.BAD, "failing for 2 minutes")

    assert partner_standing([over], 0, []) == Lede(
        "A submission needs a broker: add one. No token is in force: issue one."
    )
    assert partner_standing([in_force, over], 2, [failing]) == Lede(
        "1 webhook needs a look.", "1 token in force, 2 brokers and 1 webhook."
    )
    assert webhooks_standing([failing, failing]).strong == "2 endpoints need a look."
    assert webhooks_standing([ShownState(StatusDot.OPEN, "active")]).strong == ""
    assert webhooks_standing([]) == Lede()
    assert jobs_standing(1, 1) == Lede("1 job failed.", "1 job waits.")
    assert jobs_standing(0, 0) == Lede("Nothing has failed.", "No job waits.")


def test_a_field_that_is_right_has_no_sentence() -> None:
    wrong = marked([Problem("name", "taken", "is taken")])

    assert (wrong["name"], wrong["contact"]) == ("is taken", "")
