"""The questions of a draft as its page shows them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from msgspec import Struct

from bindery.contract.questions import QuestionType
from bindery.documents.application import NUMBERS_OF_DOLLARS
from bindery.domain.applicant.risk import bare_id
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.fields import QUESTION, SEEN, Fields
from bindery.domain.drafts.news import facts_seen, new_questions
from bindery.domain.questions.layout import (
    ANY_TEXT,
    TRUTHS,
    AskedQuestion,
    FollowUps,
    Section,
    lay_out,
    part_of,
)
from bindery.domain.questions.question import QuestionText

LETTERS: Final = "abc"
"""What the stylesheet knows to open below a question, one for each group of follow-ups."""
ANYWHERE: Final = "z"
"""What answers to several questions open, wherever they stand."""
YES_OR_NO: Final = dict(zip(TRUTHS, ("Yes", "No"), strict=True))
FIRST_FEW: Final = 6
LONG_LIST: Final = 10
LONGEST_BESIDE: Final = 12
MOST_BESIDE: Final = 3
NEW_EDITION: Final = "New since this draft was begun"


class AskedAs(StrEnum):
    """How a question is put: `BESIDE` is one control for two or three short answers."""

    BESIDE = "beside"
    ONE = "one"
    MANY = "many"
    NUMBER = "number"
    MONEY = "money"
    DATE = "date"
    TEXT = "text"


class ShownChoice(Struct, frozen=True):
    value: str
    text: str
    is_chosen: bool
    is_alone: bool = False
    opens: str = ""


class ShownFollowUps(Struct, frozen=True):
    key: str
    asked: tuple["ShownQuestion", ...]


class ShownQuestion(Struct, frozen=True, kw_only=True):
    """`more` are the choices of a long list that are folded; `news` says why the question is new."""

    id: str
    name: str
    text: str
    help: str
    asked_as: AskedAs
    choices: tuple[ShownChoice, ...]
    more: tuple[ShownChoice, ...]
    value: str
    opens: str
    news: str
    follow_ups: tuple[ShownFollowUps, ...]

    def __iter__(self) -> Iterator["ShownQuestion"]:
        """Yield the question and everything under it."""
        yield self
        for group in self.follow_ups:
            for below in group.asked:
                yield from below


class Progress(Struct, frozen=True):
    answered: int
    required: int

    @property
    def text(self) -> str:
        return f"{self.answered} of {self.required}"

    @property
    def percent(self) -> int:
        return 100 * self.answered // self.required if self.required else 100

    @property
    def is_done(self) -> bool:
        return self.answered == self.required


class ShownSection(Struct, frozen=True):
    anchor: str
    title: str
    progress: Progress
    asked: tuple[ShownQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownQuestions:
    """`seen` is what the form sends of the facts that its questions were chosen by."""

    sections: tuple[ShownSection, ...]
    progress: Progress
    seen: str
    news: int

    @property
    def names(self) -> tuple[str, ...]:
        """Return the fields of the page; a question that is not on it keeps its answer."""
        shown = (asked for section in self.sections for question in section.asked for asked in question)
        return (*(question.name for question in shown), SEEN)


@dataclass(slots=True)
class _Openers:
    """The letters that answers open, by question and answer, and the letter of each group.

    `page` are the bare ids of the questions that are on the page: only their answers open anything there.
    """

    page: frozenset[str]
    by_question: dict[str, dict[str, str]] = field(default_factory=dict)
    by_group: dict[int, str] = field(default_factory=dict)
    anywhere: FollowUps | None = None

    def take_in(self, asked: AskedQuestion) -> None:
        letters = iter(LETTERS)
        for group in asked.follow_ups:
            if group.opened_by.keys() == {asked.question.bare_id}:
                key = next(letters, "")
            elif group.opened_by and self.anywhere is None and group.opened_by.keys() <= self.page:
                self.anywhere, key = group, ANYWHERE
            else:
                key = ""
            self.by_group[id(group)] = key
            if key:
                for name, values in group.opened_by.items():
                    letters_by_answer = self.by_question.setdefault(name, {})
                    for value in values:
                        letters_by_answer[value] = f"{letters_by_answer.get(value, '')} {key}".lstrip()
            for below in group.asked:
                self.take_in(below)

    def of(self, question: QuestionText) -> Mapping[str, str]:
        return self.by_question.get(question.bare_id, {})


def _openers_of(sections: Iterable[Section]) -> _Openers:
    openers = _Openers(frozenset(question.bare_id for section in sections for question in section))
    for section in sections:
        for asked in section.asked:
            openers.take_in(asked)
    return openers


def progress_of(applicant: DraftApplicant, questions: Iterable[QuestionText]) -> Progress:
    required = [question.bare_id for question in questions if question.bare_id in applicant.required]
    return Progress(sum(name in applicant.answers.values for name in required), len(required))


def shown_progress(applicant: DraftApplicant) -> tuple[tuple[ShownSection, ...], Progress]:
    """Return how far the sections are, without their questions."""
    sections = lay_out(applicant.questions, applicant.circumstances)
    shown = tuple(
        ShownSection(_anchor(section.title), section.title, progress_of(applicant, section))
        for section in sections
    )
    return shown, progress_of(applicant, applicant.questions)


def shown_questions(
    applicant: DraftApplicant, fields: Fields, *, of_new_edition: frozenset[str]
) -> ShownQuestions:
    sections = lay_out(applicant.questions, applicant.circumstances)
    openers = _openers_of(sections)
    seen = "".join(fields.get(SEEN, ()))
    by_facts = new_questions(applicant, seen)
    news = {
        **{name: f"{why}." for name, why in by_facts.items()},
        **{
            question.bare_id: f"{NEW_EDITION}."
            for question in applicant.questions
            if question.id in of_new_edition
        },
    }
    page = _Page(applicant, fields, openers, news)
    waits = any(name not in applicant.answers.values for name in by_facts.keys() & applicant.required)
    return ShownQuestions(
        sections=tuple(page.section(section) for section in sections),
        progress=progress_of(applicant, applicant.questions),
        # What is new stays marked until it is answered.
        seen=seen if waits else facts_seen(applicant),
        news=len((news.keys() & applicant.required) - applicant.answers.values.keys()),
    )


def shown_part(applicant: DraftApplicant, fields: Fields, asked: Iterable[str]) -> tuple[ShownSection, ...]:
    """Return the questions `asked`, by printed id, with what their answers bring up."""
    wanted = frozenset(map(bare_id, asked))
    sections = part_of(lay_out(applicant.questions, applicant.circumstances), wanted)
    page = _Page(applicant, fields, _openers_of(sections), {})
    return tuple(page.section(section) for section in sections)


@dataclass(frozen=True, slots=True)
class _Page:
    applicant: DraftApplicant
    fields: Fields
    openers: _Openers
    news: Mapping[str, str]

    def section(self, section: Section) -> ShownSection:
        return ShownSection(
            _anchor(section.title),
            section.title,
            progress_of(self.applicant, section),
            tuple(self._question(asked) for asked in section.asked),
        )

    def _question(self, asked: AskedQuestion) -> ShownQuestion:
        question = asked.question
        typed = self.fields.get(QUESTION + question.id, ())
        choices = _in_order(tuple(self._choices(question, typed)))
        is_long = len(choices) > LONG_LIST
        first = max(FIRST_FEW, sum(choice.is_chosen for choice in choices)) if is_long else len(choices)
        return ShownQuestion(
            id=question.id,
            name=QUESTION + question.id,
            text=question.text,
            help=question.help or "",
            asked_as=_asked_as(question),
            choices=choices[:first],
            more=choices[first:],
            value="\n".join(typed),
            opens=self.openers.of(question).get(ANY_TEXT, ""),
            news=self.news.get(question.bare_id, ""),
            follow_ups=tuple(self._follow_ups(asked)),
        )

    def _follow_ups(self, asked: AskedQuestion) -> Iterator[ShownFollowUps]:
        for group in asked.follow_ups:
            key = self.openers.by_group[id(group)]
            # What the stylesheet cannot open is shown once the saved answers ask for it.
            if key or any(below.question.bare_id in self.applicant.required for below in group.asked):
                yield ShownFollowUps(key, tuple(self._question(below) for below in group.asked))

    def _choices(self, question: QuestionText, typed: tuple[str, ...]) -> Iterator[ShownChoice]:
        is_yes_or_no = question.type is QuestionType.BOOLEAN
        offered: Mapping[str, object] = YES_OR_NO if is_yes_or_no else question.places
        alone, opens = question.exclusive_options, self.openers.of(question)
        for value in offered:
            text = YES_OR_NO[value] if is_yes_or_no else value
            yield ShownChoice(value, text, value in typed, value in alone, opens.get(value, ""))
        if offered:
            # An answer of an earlier edition stays until somebody takes it away.
            for value in typed:
                if value not in offered:
                    yield ShownChoice(value, f"{value} (not offered any more)", is_chosen=True)


def _in_order(choices: tuple[ShownChoice, ...]) -> tuple[ShownChoice, ...]:
    """Put what is chosen first in a list that folds, and what stands alone next."""
    if len(choices) <= LONG_LIST:
        return choices
    return tuple(sorted(choices, key=lambda choice: (not choice.is_chosen, not choice.is_alone)))


_ASKED_AS: Final[Mapping[QuestionType, AskedAs]] = {
    QuestionType.BOOLEAN: AskedAs.BESIDE,
    QuestionType.SINGLE_SELECT: AskedAs.ONE,
    QuestionType.MULTI_SELECT: AskedAs.MANY,
    QuestionType.NUMERIC: AskedAs.NUMBER,
    QuestionType.AMOUNT: AskedAs.MONEY,
    QuestionType.DATE: AskedAs.DATE,
    QuestionType.FREE_TEXT: AskedAs.TEXT,
}


def _asked_as(question: QuestionText) -> AskedAs:
    if question.id in NUMBERS_OF_DOLLARS:
        return AskedAs.MONEY
    texts = [len(option.text) for option in question.options]
    is_short = 0 < len(texts) <= MOST_BESIDE and max(texts) <= LONGEST_BESIDE
    if is_short and question.type is QuestionType.SINGLE_SELECT:
        return AskedAs.BESIDE
    return _ASKED_AS[question.type]


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())
