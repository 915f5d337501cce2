"""Today in words: each sentence of a row, of a list, and of the head."""

import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.changes import ChangeStatus
from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.quote import SIGNED_APPLICATION
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.today import (
    MOST_COUNTED,
    AnsweredCase,
    CaseKind,
    EndingQuotes,
    EndingTerm,
    Owed,
    Task,
    TaskKind,
    today_of,
)
from bindery.storage.lists.today import RailPart, RailRow
from bindery.web.shown.words import Times
from bindery.web.today.task_shown import ShownTask, premiums, shown_task
from bindery.web.today.today_shown import shown_list, shown_today, shown_waiting
from support.tables import each_row

NOW = datetime(2026, 11, 17, 17, tzinfo=UTC)
TIMES = Times(ZoneInfo("America/New_York"), NOW)
QUOTE, OFFER, COMPANY = uuid.UUID(int=7), uuid.UUID(int=8), 100000001
COMMON: dict[str, Any] = {
    "company_id": COMPANY,
    "quote_id": QUOTE,
    "name": "Harborlight Bakery LLC",
    "product": InsuranceProduct.CYB,
    "lowest": 954,
    "highest": 1812,
}
ONE_RENEWAL = "1 renewal needs nothing from you."


def on(days: int) -> date:
    return TIMES.today + timedelta(days=days)


BINDER = Owed(
    **COMMON,
    due=on(12),
    status=QuoteStatus.POLICY_ACTIVE,
    binder="CYB-26-0000075-2-00",
    missing=(SIGNED_APPLICATION,),
    is_asked_again=False,
    asked_at=NOW - timedelta(days=5),
    question_id=None,
)
PAPERS = replace(
    BINDER, binder=None, due=None, missing=("A diagram",), status=QuoteStatus.QUOTE_BIND_REQUESTED
)
QUOTES = EndingQuotes(**COMMON, due=on(14), options=2)
TERM = EndingTerm(
    **COMMON,
    due=on(17),
    state=RenewalState.OFFERED,
    stopped_by=None,
    is_owed=False,
    renewed_by=OFFER,
    expiring=1000,
    offered=1027,
)
APPROVED = AnsweredCase(
    **COMMON,
    due=on(52),
    case=CaseKind.REFERRAL,
    submission_id=uuid.UUID(int=2),
    answered_at=NOW - timedelta(days=1),
    open_options=3,
    approved=3,
    declined=0,
    on_other_terms=False,
    is_bound=False,
    is_issued=False,
    is_canceled=False,
    is_accepted=False,
    is_brokers_bind=False,
)
BIND = replace(APPROVED, case=CaseKind.BIND, approved=0, open_options=0, due=None, is_bound=True)
PAPER = replace(BIND, case=CaseKind.PAPER, is_accepted=True)
CANCELLATION = replace(BIND, case=CaseKind.CANCELLATION)
CHANGE = replace(BIND, case=CaseKind.CHANGE)
DECLINED = replace(APPROVED, approved=0, declined=1, due=None)


def row(task: Task) -> ShownTask:
    return shown_task(task, TIMES)


@each_row(
    ("task", "says"),
    [
        (BINDER, "Binder CYB-26-0000075-2-00, missing: signed application"),
        (replace(BINDER, missing=("A", "B")), "Binder CYB-26-0000075-2-00, missing: 2 papers"),
        (PAPERS, "Cyber · the bind waits for: A diagram"),
        (replace(PAPERS, is_asked_again=True), "Cyber · asked for again: A diagram"),
        (replace(PAPERS, status=QuoteStatus.PUBLISHED), "Cyber · asked for before the bind: A diagram"),
        (replace(PAPERS, status=QuoteStatus.POLICY_ACTIVE), "Cyber · asked for: A diagram"),
        (APPROVED, "Cyber · 3 options approved"),
        (
            replace(APPROVED, approved=1, declined=2, on_other_terms=True),
            "Cyber · 1 option approved, on other terms, 2 declined",
        ),
        (DECLINED, "Cyber · declined; 3 options open"),
        (replace(DECLINED, open_options=0), "Cyber · declined"),
        (BIND, "Cyber · bind approved on condition"),
        (replace(BIND, is_issued=True), "Cyber · bind approved: the policy is issued"),
        (replace(BIND, is_bound=False, declined=1), "Cyber · bind declined"),
        (PAPER, "Cyber · papers accepted"),
        (replace(PAPER, is_issued=True), "Cyber · papers accepted: the policy is issued"),
        (replace(CANCELLATION, is_canceled=True), "Cyber · cancellation approved"),
        (CANCELLATION, "Cyber · cancellation declined: the policy stays in force"),
        (replace(CHANGE, change=ChangeStatus.ISSUED), "Cyber · change approved: the policy is changed"),
        (replace(CHANGE, change=ChangeStatus.DECLINED), "Cyber · change declined: the policy stays as it is"),
        (QUOTES, "Cyber · 2 options open"),
        (TERM, "Cyber · renews by itself on Dec 4, 2026"),
        (
            replace(TERM, stopped_by=RenewalStop.PAUSED),
            "Cyber · ends Dec 4, 2026 unless the offer is bound",
        ),
    ],
)
def test_a_row_says_in_one_sentence_what_is_the_matter(task: Task, says: str) -> None:
    assert row(task).says == says


@each_row(
    ("task", "due", "when", "tone"),
    [
        (BINDER, "12 days left", "Nov 29", "soon"),
        (replace(BINDER, due=on(18)), "18 days left", "Dec 5", ""),
        (replace(BINDER, due=on(3)), "3 days left", "Nov 20", "late"),
        (replace(BINDER, due=on(1)), "1 day left", "Nov 18", "late"),
        (replace(BINDER, due=on(0)), "Last day", "Nov 17", "late"),
        (replace(BINDER, due=on(-1)), "1 day late", "Nov 16", "late"),
        (PAPERS, "Asked Nov 12", "5 days ago", ""),
        (APPROVED, "Open to Jan 8", "52 days", ""),
        (BIND, "Answered Nov 16", "yesterday", ""),
        (replace(BIND, answered_at=NOW), "Answered Nov 17", "today", ""),
        (QUOTES, "14 days left", "Dec 1", "soon"),
        (TERM, "Ends Dec 4", "17 days", ""),
        # What runs by itself is no alarm, however near.
        (replace(TERM, due=on(2)), "Ends Nov 19", "2 days", ""),
        (replace(TERM, due=on(2), is_owed=True), "Ends Nov 19", "2 days", "late"),
    ],
)
def test_a_row_says_when_it_is_due(task: Task, due: str, when: str, tone: str) -> None:
    shown = row(task)

    assert (shown.due, shown.when, shown.tone) == (due, when, tone)


@each_row(
    ("task", "step", "leads_to"),
    [
        (BINDER, "Upload", f"/quote/{QUOTE}"),
        (PAPERS, "Upload", f"/quote/{QUOTE}"),
        (APPROVED, "Compare", f"/company/{COMPANY}"),
        (replace(APPROVED, approved=1, open_options=1), "Bind", f"/quote/{QUOTE}/bind"),
        (DECLINED, "Open", f"/company/{COMPANY}"),
        (QUOTES, "Open", f"/company/{COMPANY}"),
        (TERM, "Offer", f"/quote/{OFFER}"),
        (replace(TERM, offered=None, renewed_by=None), "Open", f"/quote/{QUOTE}"),
    ],
)
def test_a_row_has_one_step(task: Task, step: str, leads_to: str) -> None:
    assert (row(task).step, row(task).leads_to) == (step, leads_to)


def test_a_row_has_the_premium_of_its_options_and_the_change_of_a_renewal() -> None:
    assert (row(QUOTES).premium, row(QUOTES).change) == ("$954 \N{EN DASH} $1,812", "")
    assert row(TERM).change == "+2.7%"
    assert row(replace(TERM, offered=1000)).change == "unchanged"
    assert row(replace(TERM, offered=None)).change == ""
    assert (premiums(900, 900), premiums(None, None)) == ("$900", "")


@each_row(
    ("tasks", "says"),
    [
        ([], "Nothing needs you. No date is near."),
        ([TERM], "Nothing needs you. The next date is Dec 4: a renewal that needs nothing from you."),
        (
            [TERM, replace(TERM, quote_id=OFFER)],
            "Nothing needs you. The next date is Dec 4: 2 renewals that need nothing from you.",
        ),
        ([replace(QUOTES, due=on(30))], "Nothing needs you. The next date is Dec 17: a quote."),
        ([PAPERS], "1 thing needs you."),
        ([replace(QUOTES, due=on(0))], "1 thing needs you. The first deadline is today: a quote."),
        (
            [BINDER, replace(QUOTES, due=on(12)), TERM],
            f"2 things need you. The first deadline is Nov 29: a binder and a quote. {ONE_RENEWAL}",
        ),
        # The same quote, answered and about to end.
        (
            [replace(APPROVED, due=on(9)), replace(QUOTES, due=on(9))],
            "2 things need you. The first deadline is Nov 26: a quote.",
        ),
        (
            [replace(QUOTES, quote_id=uuid.UUID(int=number)) for number in range(MOST_COUNTED + 1)],
            "100+ things need you. The first deadline is Dec 1: 100 quotes.",
        ),
    ],
)
def test_the_head_counts_what_needs_the_broker(tasks: list[Task], says: str) -> None:
    shown = shown_today(today_of(tasks, today=TIMES.today), TIMES)

    assert f"{shown.strong} {shown.sentence}".strip() == says
    assert (shown.day, shown.zone) == ("Tuesday, November 17", "EST")


@pytest.mark.parametrize(
    ("rows", "count", "more", "shown"), [(4, "4", "", 4), (7, "7", "3 more", 4), (101, "100+", "96+ more", 4)]
)
def test_a_list_shows_four_rows_and_how_many_more(rows: int, count: str, more: str, shown: int) -> None:
    tasks = [replace(QUOTES, quote_id=uuid.UUID(int=number)) for number in range(rows)]

    (found,) = shown_today(today_of(tasks, today=TIMES.today), TIMES).lists

    assert (found.count, found.more, len(found.tasks)) == (count, more, shown)
    assert found.address == "/today?list=quotes"


def test_a_list_that_has_become_empty_is_shown_as_such() -> None:
    shown = shown_list(TaskKind.ANSWER, None, TIMES)

    assert (shown.title, shown.count, shown.tasks) == ("Answered since yesterday", "0", ())


def test_what_waits_is_late_or_due_by_an_hour_and_a_company_is_there_once() -> None:
    def waits(hours: float, company_id: int) -> RailRow:
        return RailRow(
            part=RailPart.WAITING,
            company_id=company_id,
            name="Bakery",
            lowest=None,
            highest=None,
            due_at=NOW + timedelta(hours=hours),
        )

    rows = [waits(-96, 1), waits(-1, 2), waits(4, 1), waits(4.5, 3), waits(20, 4)]
    shown = shown_waiting(rows, TIMES)

    assert shown.count == "4"
    assert [case.due.text for case in shown.rows] == [
        "late by 4 days",
        "late by 1 hour",
        "by 4:30 PM",
        "by Nov 18, 8:00 AM",
    ]
    assert [case.is_late for case in shown.rows] == [True, True, False, False]
    many = [waits(number, number) for number in range(MOST_COUNTED + 1)]
    assert (shown_waiting(many, TIMES).count, len(shown_waiting(many, TIMES).rows)) == ("100+", 5)
    assert len(shown_waiting(many, TIMES, is_all=True).rows) == MOST_COUNTED
