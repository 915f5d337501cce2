"""What is on a broker's page of a day, in which order, and when the first of it is due."""

import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.today import (
    MOST_COUNTED,
    AnsweredCase,
    CaseKind,
    DeskAnswer,
    EndingQuotes,
    EndingTerm,
    Owed,
    Task,
    TaskKind,
    Urgency,
    answered_since,
    last_working_day,
    today_of,
    urgency_of,
)
from support.tables import each_row

TODAY = date(2026, 11, 17)
AT = datetime(2026, 11, 16, 20, tzinfo=UTC)
NEW_YORK = ZoneInfo("America/New_York")

_COMMON = {
    "company_id": 100000001,
    "name": "Harborlight Bakery LLC",
    "product": InsuranceProduct.CYB,
    "lowest": 900,
    "highest": 1800,
}


def in_days(days: int) -> date:
    return TODAY + timedelta(days=days)


def binder(days: int) -> Owed:
    return Owed(
        **_COMMON,  # type: ignore[arg-type] # what all rows have
        quote_id=uuid.uuid4(),
        due=in_days(days),
        status=QuoteStatus.POLICY_ACTIVE,
        binder="CYB-26-0000075-2-00",
        missing=("A signed and dated application",),
        is_asked_again=False,
        asked_at=AT,
        question_id=None,
    )


def papers(days: int | None = None, *, asked_at: datetime = AT) -> Owed:
    due = None if days is None else in_days(days)
    return replace(binder(0), quote_id=uuid.uuid4(), binder=None, due=due, asked_at=asked_at)


def quotes(days: int) -> EndingQuotes:
    return EndingQuotes(**_COMMON, quote_id=uuid.uuid4(), due=in_days(days), options=3)  # type: ignore[arg-type]


def term(
    days: int,
    state: RenewalState = RenewalState.OFFERED,
    *,
    stopped_by: RenewalStop | None = None,
    is_owed: bool = False,
) -> EndingTerm:
    return EndingTerm(
        **_COMMON,  # type: ignore[arg-type]
        quote_id=uuid.uuid4(),
        due=in_days(days),
        state=state,
        stopped_by=stopped_by,
        is_owed=is_owed,
        renewed_by=uuid.uuid4(),
        expiring=1000,
        offered=1027,
    )


ANSWERED = AnsweredCase(
    **_COMMON,  # type: ignore[arg-type]
    quote_id=uuid.UUID(int=1),
    due=in_days(52),
    case=CaseKind.REFERRAL,
    submission_id=uuid.UUID(int=2),
    answered_at=AT,
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


def kinds_of(*tasks: Task, on: date = TODAY) -> list[TaskKind]:
    return [found.kind for found in today_of(tasks, today=on).lists]


def test_lists_come_in_their_order_and_one_without_rows_is_left_out() -> None:
    question = replace(papers(), question_id=uuid.uuid4())
    every = [term(20), quotes(5), papers(), ANSWERED, question, binder(9)]

    assert kinds_of(*every) == list(TaskKind)
    assert kinds_of(quotes(5), binder(9)) == [TaskKind.BINDER, TaskKind.QUOTE]
    assert kinds_of() == []


def test_the_oldest_due_is_first_and_what_has_no_last_day_is_last_by_when_it_was_asked_for() -> None:
    early, late = papers(asked_at=AT - timedelta(days=3)), papers(asked_at=AT)
    dated = [papers(12), papers(2)]

    (found,) = today_of([late, dated[0], early, dated[1]], today=TODAY).lists

    assert found.tasks == (dated[1], dated[0], early, late)


@each_row(
    ("days", "urgency"),
    [
        (15, Urgency.LATER),
        (14, Urgency.SOON),
        (4, Urgency.SOON),
        (3, Urgency.URGENT),
        (0, Urgency.URGENT),
        (-1, Urgency.URGENT),
    ],
)
def test_a_day_is_soon_from_fourteen_days_on_and_urgent_from_three(days: int, urgency: Urgency) -> None:
    assert urgency_of(in_days(days), today=TODAY) is urgency


def test_what_has_no_last_day_is_not_urgent() -> None:
    assert urgency_of(None, today=TODAY) is Urgency.LATER


@each_row(("days", "is_on"), [(0, True), (14, True), (15, False)])
def test_quotes_are_listed_from_fourteen_days_before_their_last(days: int, *, is_on: bool) -> None:
    assert kinds_of(quotes(days)) == ([TaskKind.QUOTE] if is_on else [])


@each_row(("days", "is_on"), [(0, True), (60, True), (61, False)])
def test_renewals_are_listed_from_sixty_days_before_the_end(days: int, *, is_on: bool) -> None:
    assert kinds_of(term(days)) == ([TaskKind.RENEWAL] if is_on else [])


def test_a_policy_that_is_renewed_already_is_not_listed() -> None:
    assert kinds_of(term(20, RenewalState.BOUND)) == []


@each_row(
    ("renewal", "needs"),
    [
        (term(20), False),
        (term(20, RenewalState.NOT_DUE), False),
        (term(20, RenewalState.REFERRED), False),
        (term(20, RenewalState.ENDS), True),
        (term(20, is_owed=True), True),
        (term(20, stopped_by=RenewalStop.PAUSED), True),
        (term(20, RenewalState.NOT_DUE, stopped_by=RenewalStop.CANCELLATION_REQUESTED), True),
    ],
)
def test_a_renewal_needs_the_broker_where_it_ends_otherwise(renewal: EndingTerm, *, needs: bool) -> None:
    today = today_of([renewal], today=TODAY)

    assert (today.needed, today.by_themselves) == ((1, 0) if needs else (0, 1))


@each_row(
    ("day", "before"),
    [
        (date(2026, 11, 17), date(2026, 11, 16)),  # Tuesday
        (date(2026, 11, 16), date(2026, 11, 13)),  # Monday
        (date(2026, 11, 15), date(2026, 11, 13)),  # Sunday
        (date(2026, 11, 14), date(2026, 11, 13)),  # Saturday
        (date(2026, 11, 13), date(2026, 11, 12)),  # Friday
    ],
)
def test_the_last_working_day_skips_the_weekend(day: date, before: date) -> None:
    assert last_working_day(day) == before


def test_answers_count_from_midnight_of_the_business_zone() -> None:
    since = answered_since(date(2026, 11, 16), NEW_YORK)
    after_the_change = answered_since(date(2026, 3, 9), NEW_YORK)

    assert since.astimezone(UTC) == datetime(2026, 11, 13, 5, tzinfo=UTC)
    # Clocks went forward on Sunday: Friday began in winter time.
    assert after_the_change.astimezone(UTC) == datetime(2026, 3, 6, 5, tzinfo=UTC)


@each_row(
    ("case", "answer"),
    [
        (ANSWERED, DeskAnswer.APPROVED),
        (replace(ANSWERED, approved=0, declined=1), DeskAnswer.DECLINED),
        # Withdrawn, stale, or passed over: nobody answered.
        (replace(ANSWERED, approved=0), None),
        (replace(ANSWERED, case=CaseKind.BIND, approved=0, is_bound=True), DeskAnswer.BOUND),
        (replace(ANSWERED, case=CaseKind.BIND, approved=0, declined=1), DeskAnswer.BIND_DECLINED),
        (replace(ANSWERED, case=CaseKind.PAPER, is_accepted=True), DeskAnswer.ACCEPTED),
        (replace(ANSWERED, case=CaseKind.PAPER, is_accepted=True, is_brokers_bind=True), None),
        (replace(ANSWERED, case=CaseKind.PAPER), None),
        (replace(ANSWERED, case=CaseKind.CANCELLATION, is_canceled=True), DeskAnswer.CANCELED),
        (replace(ANSWERED, case=CaseKind.CANCELLATION, is_bound=True), DeskAnswer.KEPT),
    ],
)
def test_what_an_underwriter_answered(case: AnsweredCase, answer: DeskAnswer | None) -> None:
    assert case.answer is answer
    assert kinds_of(case) == ([] if answer is None else [TaskKind.ANSWER])


def test_of_two_answers_to_a_submission_the_newer_is_listed() -> None:
    bound = replace(ANSWERED, case=CaseKind.BIND, is_bound=True, answered_at=AT + timedelta(hours=2))
    other = replace(ANSWERED, submission_id=uuid.UUID(int=3), quote_id=uuid.UUID(int=4))
    nobodys = replace(bound, case=CaseKind.PAPER, answered_at=AT + timedelta(hours=3))

    (found,) = today_of([bound, ANSWERED, other, nobodys], today=TODAY).lists

    assert set(found.tasks) == {bound, other}


def test_the_first_deadline_is_that_of_what_needs_the_broker() -> None:
    lapsing, ending = binder(12), quotes(12)

    today = today_of([term(3), quotes(13), ending, lapsing, papers()], today=TODAY)

    assert (today.needed, today.by_themselves) == (4, 1)
    assert today.first is not None
    assert today.first.day == in_days(12)
    assert set(today.first.tasks) == {lapsing, ending}
    assert today.following is None


def test_where_nothing_needs_the_broker_the_next_date_is_of_all_that_is_known() -> None:
    renewal, later = term(40), quotes(30)

    alone = today_of([renewal], today=TODAY)
    both = today_of([renewal, later, term(20, RenewalState.BOUND)], today=TODAY)

    assert alone.needed == 0
    assert alone.following is not None
    assert alone.following.tasks == (renewal,)
    assert both.following is not None
    assert both.following.tasks == (later,)
    assert today_of([], today=TODAY).following is None
    # Not a deadline of anybody, and needed all the same.
    undated = today_of([papers()], today=TODAY)
    assert (undated.needed, undated.first, undated.following) == (1, None, None)


@each_row(("more", "is_cut"), [(0, False), (1, True)])
def test_counts_stop_and_say_so(more: int, *, is_cut: bool) -> None:
    today = today_of([quotes(5) for _ in range(MOST_COUNTED + more)], today=TODAY)

    assert today.lists[0].is_cut is is_cut
    assert today.is_cut is is_cut
    assert len(today.lists[0].tasks) == MOST_COUNTED
    assert today.needed == MOST_COUNTED
