"""What the pages of all steps show of a draft: where one is, what is saved, and what others typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from bindery.contract.quotes import MAX_OPTIONS
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.drafts.draft import Draft, DraftStep
from bindery.domain.drafts.fields import OPTIONS, questions_of
from bindery.web.draft.carried import shortened
from bindery.web.draft.field_words import name_in_words, values_in_words
from bindery.web.draft.questions_shown import Progress, progress_of
from bindery.web.shown.words import Moment, Times, counted, listed, product_name

if TYPE_CHECKING:
    from bindery.web.draft.step import OpenDraft
    from bindery.web.frame.visit import Visit

TITLES: Final[Mapping[DraftStep, tuple[str, str]]] = {
    DraftStep.COMPANY: ("Company", "Who is insured"),
    DraftStep.QUESTIONS: ("Questions", "What is asked"),
    DraftStep.OPTIONS: ("Options", "Limits and retentions"),
    DraftStep.REVIEW: ("Review", "Check and send"),
}


MOST_NEWS: Final = 5


@dataclass(frozen=True, slots=True)
class StepLink:
    address: str
    name: str
    number: int
    title: str
    hint: str
    is_here: bool
    is_done: bool
    is_wrong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedLine:
    """What `draft/_saved.html` says and carries; `saved_by` is empty for the reader.

    `conflict` is what another typed in the same fields meanwhile, `news` what in others.
    """

    marks: str
    saved: Moment | None
    saved_by: str
    conflict: str
    news: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFrame(SavedLine):
    """What `draft/step.html` shows; `others` has what another typed into a field, and who."""

    draft_id: str
    name: str
    title: str
    product: InsuranceProduct
    links: tuple[StepLink, ...]
    back: str
    onward: str
    copies: int | None
    others: Mapping[str, tuple[str, str]]

    @property
    def product_name(self) -> str:
        return product_name(self.product)


def saved_line(
    visit: Visit,
    draft: Draft,
    step: DraftStep,
    *,
    now: datetime,
    marks: str,
    is_kept: bool = True,
    conflicts: tuple[str, ...] = (),
    news: tuple[str, ...] = (),
) -> SavedLine:
    return SavedLine(
        marks=marks,
        saved=_saved(visit.times(now), draft.changed_at) if is_kept else None,
        saved_by="" if draft.changed_by == visit.user.name else draft.changed_by,
        conflict=_conflict(draft, conflicts, visit.times(now).today),
        news=news_in_words(draft, news, visit.times(now).today),
        address=f"/draft/{draft.draft_id}/{step}",
    )


def shown_step(visit: Visit, opened: OpenDraft, step: DraftStep, *, marks: str) -> StepFrame:
    draft = opened.draft
    place = f"/draft/{draft.draft_id}"
    line = saved_line(visit, draft, step, now=opened.now, marks=marks, is_kept=opened.is_kept)
    return StepFrame(
        marks=line.marks,
        saved=line.saved,
        saved_by=line.saved_by,
        conflict=line.conflict,
        news=line.news,
        draft_id=str(draft.draft_id),
        name=step,
        title=draft.name or "New quote",
        product=draft.product,
        links=_links(opened, step),
        address=line.address,
        back=f"{place}/{step.before}",
        onward=TITLES[step.after][0],
        copies=opened.copies,
        others={
            name: (values_in_words(name, other.values) or "nothing", name_of(other.by))
            for name, other in draft.others.items()
        },
    )


def _saved(times: Times, at: datetime) -> Moment:
    """Return when it was saved, of today the time alone."""
    moment = times.at(at)
    is_today = at.astimezone(times.zone).date() == times.today
    return times.named(moment.text.rpartition(", ")[2], at) if is_today else moment


def _conflict(draft: Draft, names: tuple[str, ...], today: date) -> str:
    others = draft.others
    said = [
        f"{name_of(others[name].by)} has “{values_in_words(name, others[name].values) or 'nothing'}” "
        f"as {_called(draft, name, today)}"
        for name in names
        if name in others
    ]
    return f"{listed(said)} at the same time. Yours is kept." if said else ""


def news_in_words(draft: Draft, names: Sequence[str], today: date) -> str:
    """Return what only others changed, in fields that somebody has on a page and did not touch."""
    said = []
    for name in names[:MOST_NEWS]:
        what = _called(draft, name, today)
        now = shortened(values_in_words(name, draft.fields.get(name, ())))
        changed = f"changed {what} to {now}" if now else f"emptied {what}"
        said.append(f"{name_of(draft.typists.get(name, ''))} {changed}")
    if (left := len(names) - MOST_NEWS) > 0:
        said.append(f"{counted(left, 'more field')} changed")
    return f"{listed(said)} while you were typing." if said else ""


def _called(draft: Draft, name: str, today: date) -> str:
    return name_in_words(name, questions_of(draft.fields, today))


def _links(opened: OpenDraft, here: DraftStep) -> tuple[StepLink, ...]:
    wrong = dict.fromkeys(DraftStep, 0)
    for problem in opened.problems:
        wrong[problem.step] += 1
    is_review = here is DraftStep.REVIEW
    steps = list(DraftStep)
    hints = _hints(opened, here, wrong)
    return tuple(
        StepLink(
            address=f"/draft/{opened.draft.draft_id}/{step}",
            name=step,
            number=number,
            title=title,
            hint=hints[step] or hint,
            is_here=step is here,
            is_done=not wrong[step] and step is not DraftStep.REVIEW and number <= steps.index(here),
            is_wrong=is_review and wrong[step] > 0,
        )
        for number, (step, (title, hint)) in enumerate(TITLES.items(), start=1)
    )


def _hints(opened: OpenDraft, here: DraftStep, wrong: Mapping[DraftStep, int]) -> dict[DraftStep, str]:
    """Return how far each step is; on the review, what is to be fixed in it."""
    progress = progress_of(opened.applicant, opened.applicant.questions)
    hints = {
        DraftStep.COMPANY: "" if here is DraftStep.COMPANY else opened.draft.name,
        DraftStep.QUESTIONS: questions_hint(progress),
        DraftStep.OPTIONS: options_hint(len(opened.fields.get(OPTIONS, ()))),
        DraftStep.REVIEW: "",
    }
    if here is DraftStep.REVIEW and (count := sum(wrong.values())):
        hints[here] = f"{counted(count, 'thing')} to fix"
        for step in wrong:
            # A question without an answer is one that is left to answer.
            if wrong[step] and not (step is DraftStep.QUESTIONS and not progress.is_done):
                hints[step] = f"{wrong[step]} to fix"
    return hints


def questions_hint(progress: Progress) -> str:
    return progress.text if progress.answered else f"{progress.required} to answer"


def options_hint(count: int) -> str:
    return f"{count} of {MAX_OPTIONS}" if count else TITLES[DraftStep.OPTIONS][1]


def name_of(typist: str) -> str:
    return typist.partition(" <")[0] or "Somebody"
