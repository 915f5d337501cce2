"""What a broker has to do today: which rows there are, in which order, and when the first of them is due."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from bindery.contract.changes import ChangeStatus
from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.business_rules import A_DAY, SATURDAY

QUOTES_WITHIN: Final = timedelta(days=14)
RENEWALS_WITHIN: Final = timedelta(days=60)
SOON: Final = timedelta(days=14)
URGENT: Final = timedelta(days=3)
MOST_COUNTED: Final = 100
"""Counts stop here: nobody acts otherwise on 4,213 than on «100+»."""


class TaskKind(StrEnum):
    """The lists of the page, in their order."""

    BINDER = "binders"
    QUESTION = "questions"
    ANSWER = "answers"
    PAPER = "papers"
    QUOTE = "quotes"
    RENEWAL = "renewals"


class Urgency(StrEnum):
    LATER = "later"
    SOON = "soon"
    URGENT = "urgent"


def urgency_of(due: date | None, *, today: date) -> Urgency:
    if due is None or due - today > SOON:
        return Urgency.LATER
    return Urgency.SOON if due - today > URGENT else Urgency.URGENT


def last_working_day(today: date) -> date:
    """Return the working day before this one; Saturdays and Sundays are none."""
    day = today - A_DAY
    while day.weekday() >= SATURDAY:
        day -= A_DAY
    return day


def answered_since(today: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(last_working_day(today), time.min, zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A row of Today; without `due` it has no last day. The premiums are those of its options."""

    company_id: int | None
    quote_id: UUID
    name: str
    product: InsuranceProduct
    lowest: int | None
    highest: int | None
    due: date | None

    @property
    @abstractmethod
    def kind(self) -> TaskKind: ...

    def is_on(self, today: date) -> bool:  # noqa: ARG002 - of those that have a time of their own
        """Whether it is on the page of this day; otherwise it comes later, or never."""
        return True

    @property
    def needs_broker(self) -> bool:
        """Whether something is left undone unless the broker does it."""
        return True

    @property
    def begun(self) -> datetime | None:
        """When somebody else did their part: rows without a last day are listed by it."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed(Task):
    """What is owed and did not come: files for a binder or for an underwriter, answers.

    `missing` are the texts of the contingencies, or of the question with that id.
    """

    status: QuoteStatus
    binder: str | None
    missing: tuple[str, ...]
    is_asked_again: bool
    asked_at: datetime
    question_id: UUID | None

    @property
    def kind(self) -> TaskKind:
        if self.question_id is not None:
            return TaskKind.QUESTION
        return TaskKind.PAPER if self.binder is None else TaskKind.BINDER

    @property
    def begun(self) -> datetime | None:
        return self.asked_at


class CaseKind(StrEnum):
    REFERRAL = "referral"
    BIND = "bind"
    PAPER = "paper"
    CANCELLATION = "cancellation"
    CHANGE = "change"
    SIGNED = "signed"
    SENT_BACK = "declined"
    CLIENT = "answered"
    """The last three are links to a client, by how they ended."""


class DeskAnswer(StrEnum):
    APPROVED = "approved"
    DECLINED = "declined"
    BOUND = "bound"
    BIND_DECLINED = "bind_declined"
    ACCEPTED = "accepted"
    CANCELED = "canceled"
    KEPT = "kept"
    CHANGED = "changed"
    CHANGE_DECLINED = "change_declined"
    SIGNED = "signed"
    SENT_BACK = "sent_back"
    CLIENT_ANSWERED = "client_answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCase(Task):
    """A case that left the desk, or a link that the client answered, with what its options are now.

    A case may have left without an answer: the quotes were withdrawn, or went stale, or the broker bound one.
    """

    case: CaseKind
    submission_id: UUID
    answered_at: datetime
    open_options: int
    approved: int
    declined: int
    on_other_terms: bool
    is_bound: bool
    is_issued: bool
    is_canceled: bool
    is_accepted: bool
    """Whether an underwriter closed a contingency with this step."""
    is_brokers_bind: bool
    """Whether it was the broker's own bind that took the case off the desk."""
    change: ChangeStatus | None = None
    """What became with this step of a change of the policy."""

    @property
    def kind(self) -> TaskKind:
        return TaskKind.ANSWER

    def is_on(self, today: date) -> bool:  # noqa: ARG002 - as of every row
        return self.answer is not None

    @property
    def answer(self) -> DeskAnswer | None:
        """Return what an underwriter or the client answered; None where nobody did, or nothing came of it."""
        held = (
            (CaseKind.REFERRAL, self.approved, DeskAnswer.APPROVED),
            (CaseKind.REFERRAL, self.declined, DeskAnswer.DECLINED),
            (CaseKind.BIND, self.is_bound, DeskAnswer.BOUND),
            (CaseKind.BIND, self.declined, DeskAnswer.BIND_DECLINED),
            (CaseKind.PAPER, self.is_accepted, DeskAnswer.ACCEPTED),
            (CaseKind.CANCELLATION, self.is_canceled, DeskAnswer.CANCELED),
            (CaseKind.CANCELLATION, self.is_bound, DeskAnswer.KEPT),
            (CaseKind.CHANGE, self.change is ChangeStatus.ISSUED, DeskAnswer.CHANGED),
            (CaseKind.CHANGE, self.change is ChangeStatus.DECLINED, DeskAnswer.CHANGE_DECLINED),
            (CaseKind.SIGNED, True, DeskAnswer.SIGNED),
            (CaseKind.SENT_BACK, True, DeskAnswer.SENT_BACK),
            (CaseKind.CLIENT, True, DeskAnswer.CLIENT_ANSWERED),
        )
        if self.is_brokers_bind:
            return None
        return next((answer for case, holds, answer in held if case is self.case and holds), None)

    @property
    def begun(self) -> datetime | None:
        return self.answered_at


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredDraft(Task):
    """A draft whose client has answered, under its own id: it has no company and no options yet.

    `is_settled`: all answers are in the draft; otherwise the broker has to choose between two.
    """

    client: str
    answers: int
    answered_at: datetime
    is_settled: bool

    @property
    def kind(self) -> TaskKind:
        return TaskKind.ANSWER

    @property
    def begun(self) -> datetime | None:
        return self.answered_at


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingQuotes(Task):
    """The open options of a submission, of which `due` is the last day."""

    due: date
    options: int

    @property
    def kind(self) -> TaskKind:
        return TaskKind.QUOTE

    def is_on(self, today: date) -> bool:
        return self.due - today <= QUOTES_WITHIN


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingTerm(Task):
    """A policy that ends on `due`; `offered` is the premium of the offer to renew it."""

    due: date
    state: RenewalState
    stopped_by: RenewalStop | None
    is_owed: bool
    renewed_by: UUID | None
    expiring: int
    offered: int | None

    @property
    def kind(self) -> TaskKind:
        return TaskKind.RENEWAL

    def is_on(self, today: date) -> bool:
        return self.state is not RenewalState.BOUND and self.due - today <= RENEWALS_WITHIN

    @property
    def needs_broker(self) -> bool:
        """Whether it ends unless the broker does something: not while it renews by itself or is referred."""
        if self.state in {RenewalState.BOUND, RenewalState.REFERRED} or self.stopped_by is RenewalStop.HELD:
            return False
        return self.state is RenewalState.ENDS or self.stopped_by is not None or self.is_owed


@dataclass(frozen=True, slots=True)
class TaskList:
    """A list of the page, the oldest due first; `is_cut` where there are more than are counted."""

    kind: TaskKind
    tasks: tuple[Task, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Deadline:
    day: date
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Today:
    """The page of a day.

    `first` is the first deadline of what needs the broker. Where nothing does, `following` is the next day
    on which anything is due, of what runs by itself and of what comes later.
    """

    lists: tuple[TaskList, ...]
    needed: int
    by_themselves: int
    is_cut: bool
    first: Deadline | None
    following: Deadline | None


def today_of(tasks: Iterable[Task], *, today: date) -> Today:
    """Decide what is on the page; lists without rows are left out."""
    known = _newest_answers(tasks)
    shown = sorted((task for task in known if task.is_on(today)), key=_place)
    lists = tuple(
        TaskList(kind, rows[:MOST_COUNTED], len(rows) > MOST_COUNTED)
        for kind, rows in ((kind, tuple(group)) for kind, group in groupby(shown, attrgetter("kind")))
    )
    listed = [task for found in lists for task in found.tasks]
    needed = [task for task in listed if task.needs_broker]
    return Today(
        lists=lists,
        needed=len(needed),
        by_themselves=len(listed) - len(needed),
        is_cut=any(found.is_cut for found in lists),
        first=_first_deadline(needed),
        following=None if needed else _first_deadline(known),
    )


_ORDER: Final = tuple(TaskKind)
_DUE: Final = attrgetter("due")


def _place(task: Task) -> tuple[int, date, float, str]:
    begun = task.begun.timestamp() if task.begun is not None else 0.0
    return _ORDER.index(task.kind), task.due or date.max, begun, str(task.quote_id)


def _newest_answers(tasks: Iterable[Task]) -> list[Task]:
    """Leave out what the same submission was answered before: the options are shown as they are now."""
    kept: list[Task] = []
    newest: dict[UUID, AnsweredCase] = {}
    for task in tasks:
        if not isinstance(task, AnsweredCase):
            kept.append(task)
        elif task.answer is not None:
            before = newest.get(task.submission_id)
            if before is None or before.answered_at < task.answered_at:
                newest[task.submission_id] = task
    return [*kept, *newest.values()]


def _first_deadline(tasks: Iterable[Task]) -> Deadline | None:
    dated = sorted((task for task in tasks if task.due is not None and not _is_settled(task)), key=_DUE)
    day, group = next(groupby(dated, _DUE), (None, ()))
    return None if day is None else Deadline(day, tuple(group))


def _is_settled(task: Task) -> bool:
    return isinstance(task, EndingTerm) and task.state is RenewalState.BOUND
