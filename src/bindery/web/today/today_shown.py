"""Today in words: the sentence at the top, the lists with their rows, and the lists at the side."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from bindery.contract.vocabulary import DEFAULT_PRODUCT, InsuranceProduct
from bindery.domain.drafts.client_answers import answered_fields
from bindery.domain.today import (
    MOST_COUNTED,
    AnsweredDraft,
    Deadline,
    Task,
    TaskKind,
    TaskList,
    Today,
    last_working_day,
)
from bindery.storage.lists.today import RailRow
from bindery.storage.submission.drafts import DraftLine
from bindery.web.shown.words import Moment, Times, counted, day_of_year, listed, product_name
from bindery.web.today.task_shown import ShownTask, premiums, shown_task

ROWS: Final = 4
"""How many rows of a list the page has; the others are a link away."""
WAITING_ROWS: Final = 5

_NOTES: Final[Mapping[TaskKind, str]] = {
    TaskKind.BINDER: "Without the missing papers a binder counts as never in force",
    TaskKind.QUESTION: "A case waits for your answer",
    TaskKind.ANSWER: "An underwriter decided, or the client answered; the next step is yours",
    TaskKind.PAPER: "An underwriter waits for them",
    TaskKind.QUOTE: "Open options that end within 14 days",
    TaskKind.RENEWAL: "They renew by themselves unless the row says otherwise",
}
_NOUNS: Final[Mapping[TaskKind, str]] = {
    TaskKind.BINDER: "binder",
    TaskKind.QUESTION: "question",
    TaskKind.ANSWER: "quote",
    TaskKind.PAPER: "paper",
    TaskKind.QUOTE: "quote",
    TaskKind.RENEWAL: "renewal",
}
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownList:
    anchor: str
    title: str
    count: str
    note: str
    tasks: tuple[ShownTask, ...]
    more: str
    address: str
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownToday:
    day: str
    zone: str
    strong: str
    sentence: str
    lists: tuple[ShownList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCase:
    address: str
    name: str
    due: Moment
    is_late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCases:
    count: str
    rows: tuple[WaitingCase, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class RecentCompany:
    address: str
    name: str
    premium: str


@dataclass(frozen=True, slots=True)
class ShownDraft:
    address: str
    name: str
    says: str


def shown_today(today: Today, times: Times) -> ShownToday:
    strong, sentence = _sentence(today, times.today)
    return ShownToday(
        day=f"{_WEEKDAYS[times.today.weekday()]}, {_MONTHS[times.today.month - 1]} {times.today.day}",
        zone=times.zone_at(times.now),
        strong=strong,
        sentence=sentence,
        lists=tuple(shown_list(found.kind, found, times, rows=ROWS) for found in today.lists),
    )


def shown_list(
    kind: TaskKind, found: TaskList | None, times: Times, *, rows: int = MOST_COUNTED
) -> ShownList:
    """Show a list with its first rows; None where nothing is in it."""
    tasks = found.tasks if found is not None else ()
    is_cut = found is not None and found.is_cut
    left = len(tasks) - rows
    return ShownList(
        anchor=f"list-{kind}",
        title=_title(kind, times.today),
        count=_capped(len(tasks), is_cut=is_cut),
        note=_NOTES[kind],
        tasks=tuple(shown_task(task, times) for task in tasks[:rows]),
        more=f"{_capped(left, is_cut=is_cut)} more" if left > 0 else "",
        address=f"/today?list={kind}",
        is_cut=is_cut,
    )


def shown_waiting(rows: Sequence[RailRow], times: Times, *, is_all: bool = False) -> WaitingCases:
    is_cut = len(rows) > MOST_COUNTED
    # A company may wait for two answers, of which the first is shown.
    first: dict[int, RailRow] = {}
    for row in rows[:MOST_COUNTED]:
        first.setdefault(row.company_id, row)
    shown = tuple(first.values())[: None if is_all else WAITING_ROWS]
    return WaitingCases(
        count=_capped(len(first), is_cut=is_cut),
        rows=tuple(_waiting(row, times) for row in shown),
        is_cut=is_cut,
    )


def shown_recent(rows: Sequence[RailRow]) -> tuple[RecentCompany, ...]:
    return tuple(
        RecentCompany(f"/company/{row.company_id}", row.name, premiums(row.lowest, row.highest))
        for row in rows
    )


def answered_drafts(rows: Sequence[DraftLine]) -> list[AnsweredDraft]:
    """Return the drafts whose client has answered as rows of the page, each once."""
    newest: dict[UUID, AnsweredDraft] = {}
    for row in rows:
        if row.is_news and row.answered_at is not None:
            task = AnsweredDraft(
                company_id=None,
                quote_id=row.draft_id,
                name=row.name or "No name yet",
                product=InsuranceProduct(row.product or DEFAULT_PRODUCT),
                lowest=None,
                highest=None,
                due=None,
                client=row.client or "",
                answers=len(answered_fields(row.answers)),
                answered_at=row.answered_at,
                is_settled=row.is_settled,
            )
            newest.setdefault(row.draft_id, task)
    return list(newest.values())


def shown_drafts(rows: Sequence[DraftLine], times: Times) -> tuple[ShownDraft, ...]:
    return tuple(
        ShownDraft(
            f"/draft/{row.draft_id}",
            row.name or "No name yet",
            f"{product_name(row.product or DEFAULT_PRODUCT)} · {_how_far(row, times)}",
        )
        for row in rows
    )


def _how_far(row: DraftLine, times: Times) -> str:
    if row.client is None:
        return f"saved {times.at(row.changed_at).text}"
    if row.answered_at is None:
        return f"{row.client} was asked"
    return f"{row.client} answered {times.at(row.answered_at).text}"


def _title(kind: TaskKind, today: date) -> str:
    match kind:
        case TaskKind.BINDER:
            return "Binders that lapse"
        case TaskKind.QUESTION:
            return "Underwriters ask"
        case TaskKind.ANSWER:
            since = last_working_day(today)
            is_yesterday = today - since == timedelta(days=1)
            return f"Answered since {'yesterday' if is_yesterday else _WEEKDAYS[since.weekday()]}"
        case TaskKind.PAPER:
            return "Papers you owe"
        case TaskKind.QUOTE:
            return "Quotes about to expire"
        case TaskKind.RENEWAL:
            return "Renewals in 60 days"


def _sentence(today: Today, day: date) -> tuple[str, str]:
    """Return what needs the broker, and when the first of it is due."""
    if not today.needed:
        return "Nothing needs you.", _following(today.following, day)
    things = _capped(today.needed, is_cut=today.is_cut)
    strong = "1 thing needs you." if things == "1" else f"{things} things need you."
    first = (
        f"The first deadline is {_on(today.first.day, day)}: {_named(today.first)}." if today.first else ""
    )
    return strong, f"{first} {_by_themselves(today.by_themselves)}".strip()


def _following(following: Deadline | None, day: date) -> str:
    if following is None:
        return "No date is near."
    what = _named(following)
    if not any(task.needs_broker for task in following.tasks):
        is_one = len(following.tasks) == 1
        what += " that needs nothing from you" if is_one else " that need nothing from you"
    return f"The next date is {_on(following.day, day)}: {what}."


def _by_themselves(count: int) -> str:
    if not count:
        return ""
    return f"{counted(count, 'renewal')} {'needs' if count == 1 else 'need'} nothing from you."


def _on(due: date, today: date) -> str:
    return "today" if due == today else day_of_year(due)


def _named(deadline: Deadline) -> str:
    # A submission may be in two lists: its quotes are named once.
    nouns = Counter(noun for noun, _ in dict.fromkeys(map(_noun_of, deadline.tasks)))
    return listed([f"a {noun}" if count == 1 else counted(count, noun) for noun, count in nouns.items()])


def _noun_of(task: Task) -> tuple[str, str]:
    return _NOUNS[task.kind], str(task.quote_id)


def _capped(count: int, *, is_cut: bool) -> str:
    return f"{count}+" if is_cut else str(count)


def _waiting(row: RailRow, times: Times) -> WaitingCase:
    assert row.due_at is not None, "every case has a time to answer by"
    is_late = row.due_at < times.now
    due = times.until(row.due_at) if is_late else _by(row.due_at, times)
    return WaitingCase(address=f"/company/{row.company_id}", name=row.name, due=due, is_late=is_late)


def _by(when: datetime, times: Times) -> Moment:
    at = times.at(when)
    is_today = when.astimezone(times.zone).date() == times.today
    return Moment(f"by {at.text.rpartition(', ')[2] if is_today else at.text}", at.full, at.iso)
