"""A row of Today in words: what is the matter, the premium, when it is due, and the one step to take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from bindery.contract.quote import SIGNED_APPLICATION
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.messages.mails import in_one_line
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.today import (
    AnsweredCase,
    AnsweredDraft,
    DeskAnswer,
    EndingQuotes,
    EndingTerm,
    Owed,
    Task,
    TaskKind,
    Urgency,
    urgency_of,
)
from bindery.web.shown.renewal import Outlook, change_of_premium, renewal_in_words
from bindery.web.shown.words import Times, counted, day_of_year, money, product_name

_ICONS: Final[Mapping[TaskKind, str]] = {
    TaskKind.BINDER: "pen-line",
    TaskKind.QUESTION: "info",
    TaskKind.ANSWER: "circle-check",
    TaskKind.PAPER: "upload",
    TaskKind.QUOTE: "clock",
    TaskKind.RENEWAL: "refresh-cw",
}
_BAD_NEWS: Final = frozenset(
    {
        DeskAnswer.DECLINED,
        DeskAnswer.BIND_DECLINED,
        DeskAnswer.KEPT,
        DeskAnswer.CHANGE_DECLINED,
        DeskAnswer.SENT_BACK,
    }
)
LONGEST_QUESTION: Final = 140
_TONES: Final[Mapping[Urgency, str]] = {Urgency.LATER: "", Urgency.SOON: "soon", Urgency.URGENT: "late"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTask:
    icon: str
    name: str
    address: str
    says: str
    premium: str
    change: str
    due: str
    tone: str
    when: str
    """The second line of the due date: the day, or how far off it is."""
    step: str
    leads_to: str


@dataclass(frozen=True, slots=True)
class _Step:
    text: str
    address: str


def shown_task(task: Task, times: Times) -> ShownTask:
    due, when = _due(task, times)
    step = _step(task)
    urgency = urgency_of(task.due, today=times.today) if task.needs_broker else Urgency.LATER
    return ShownTask(
        icon="info" if isinstance(task, AnsweredCase) and task.answer in _BAD_NEWS else _ICONS[task.kind],
        name=task.name,
        address=f"/draft/{task.quote_id}"
        if isinstance(task, AnsweredDraft)
        else f"/company/{task.company_id}",
        says=_says(task),
        premium=premiums(task.lowest, task.highest),
        change=change_of_premium(task.expiring, task.offered) if isinstance(task, EndingTerm) else "",
        due=due,
        tone=_TONES[urgency],
        when=when,
        step=step.text,
        leads_to=step.address,
    )


def premiums(lowest: int | None, highest: int | None) -> str:
    """Return the premium of an option, or the range of several; empty while nobody has confirmed one."""
    if lowest is None or highest is None:
        return ""
    return money(lowest) if lowest == highest else f"{money(lowest)} \N{EN DASH} {money(highest)}"


def _says(task: Task) -> str:
    match task:
        # The number of a binder begins with its product.
        case Owed(binder=str()):
            return f"Binder {task.binder}, missing: {_missing(task)}"
        case Owed(question_id=UUID()):
            what = _shortened(in_one_line(task.missing[0]))
        case Owed():
            what = _asked_for(task)
        case AnsweredCase():
            what = _answered(task)
        case AnsweredDraft():
            choose = "" if task.is_settled else ": choose which holds"
            what = f"{task.client} answered {counted(task.answers, 'question')}{choose}"
        case EndingTerm():
            what = _renews(task)
        case EndingQuotes():
            what = f"{counted(task.options, 'option')} open"
        case _:
            raise AssertionError(task)
    return f"{product_name(task.product)} · {what}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_QUESTION else f"{text[:LONGEST_QUESTION].rsplit(' ', 1)[0]} …"


def _missing(task: Owed) -> str:
    if len(task.missing) != 1:
        return counted(len(task.missing), "paper")
    (text,) = task.missing
    return "signed application" if text.startswith(SIGNED_APPLICATION) else text


def _asked_for(task: Owed) -> str:
    if task.is_asked_again:
        return f"asked for again: {_missing(task)}"
    if task.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        return f"the bind waits for: {_missing(task)}"
    before = " before the bind" if task.status in BINDABLE else ""
    return f"asked for{before}: {_missing(task)}"


def _answered(task: AnsweredCase) -> str:
    assert task.answer is not None, "only what was answered is on the page"
    issued = ": the policy is issued" if task.is_issued else ""
    return {
        DeskAnswer.APPROVED: _approved(task),
        DeskAnswer.DECLINED: _declined(task),
        DeskAnswer.BOUND: f"bind approved{issued or ' on condition'}",
        DeskAnswer.BIND_DECLINED: "bind declined",
        DeskAnswer.ACCEPTED: f"papers accepted{issued}",
        DeskAnswer.CANCELED: "cancellation approved",
        DeskAnswer.KEPT: "cancellation declined: the policy stays in force",
        DeskAnswer.CHANGED: "change approved: the policy is changed",
        DeskAnswer.CHANGE_DECLINED: "change declined: the policy stays as it is",
        DeskAnswer.SIGNED: f"the client has signed{issued}",
        DeskAnswer.SENT_BACK: "the client sent it back: something is wrong",
        DeskAnswer.CLIENT_ANSWERED: "the client has answered",
    }[task.answer]


def _approved(task: AnsweredCase) -> str:
    terms = ", on other terms" if task.on_other_terms else ""
    declined = f", {task.declined} declined" if task.declined else ""
    return f"{counted(task.approved, 'option')} approved{terms}{declined}"


def _declined(task: AnsweredCase) -> str:
    still = f"; {counted(task.open_options, 'option')} open" if task.open_options else ""
    return f"declined{still}"


def _renews(task: EndingTerm) -> str:
    words = renewal_in_words(
        Outlook(
            ends=task.due,
            state=task.state,
            stopped_by=task.stopped_by,
            in_force=True,
            is_owed=task.is_owed,
        )
    ).removesuffix(".")
    return f"{words[0].lower()}{words[1:]}"


def _due(task: Task, times: Times) -> tuple[str, str]:
    """Return when a row is due, in two lines."""
    if task.due is None:
        return _without_due(task, times)
    left = (task.due - times.today).days
    match task:
        case AnsweredCase():
            return f"Open to {day_of_year(task.due)}", _off(left)
        case EndingTerm():
            return f"Ends {day_of_year(task.due)}", _off(left)
        case _:
            return _left(left), day_of_year(task.due)


def _off(days: int) -> str:
    if days < 0:
        return "yesterday" if days == -1 else f"{-days} days ago"
    return "today" if days == 0 else counted(days, "day")


def _left(days: int) -> str:
    if days < 0:
        return f"{counted(-days, 'day')} late"
    return "Last day" if days == 0 else f"{counted(days, 'day')} left"


def _without_due(task: Task, times: Times) -> tuple[str, str]:
    assert task.begun is not None, "a row without a last day has a first"
    what = "Answered" if isinstance(task, AnsweredCase | AnsweredDraft) else "Asked"
    begun = task.begun.astimezone(times.zone).date()
    return f"{what} {day_of_year(begun)}", _off((begun - times.today).days)


def _step(task: Task) -> _Step:  # noqa: PLR0911 - one for each kind of row
    quote, company = f"/quote/{task.quote_id}", f"/company/{task.company_id}"
    match task:
        case Owed(question_id=UUID()):
            return _Step("Answer", f"/question/{task.question_id}")
        case Owed():
            return _Step("Upload", quote)
        case (
            AnsweredCase(answer=DeskAnswer.APPROVED, open_options=1)
            | AnsweredCase(answer=DeskAnswer.SIGNED, is_bound=False)
        ):
            return _Step("Bind", f"{quote}/bind")
        case AnsweredCase(answer=DeskAnswer.APPROVED):
            return _Step("Compare", company)
        case AnsweredDraft():
            return _draft_step(task)
        case EndingTerm(offered=int()):
            return _Step("Offer", f"/quote/{task.renewed_by}")
        case EndingTerm():
            return _Step("Open", quote)
        case _:
            return _Step("Open", company)


def _draft_step(task: AnsweredDraft) -> _Step:
    draft = f"/draft/{task.quote_id}"
    return _Step("Review", f"{draft}/review") if task.is_settled else _Step("Choose", f"{draft}/ask")
