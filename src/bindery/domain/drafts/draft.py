"""A quote that is being entered by hand: whatever was typed so far, right or wrong."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from bindery.base.errors import NotFound, Problem
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.drafts.fields import OPTIONS, QUESTION, Fields, product_of, typed
from bindery.domain.drafts.merging import TypedByOther
from bindery.domain.questions.question import QUESTIONS
from bindery.domain.questions.values import AnswerProblem

KEPT_FOR: Final = timedelta(days=30)
"""How long a draft is kept after the last change."""
NO_DRAFT: Final = "There is no such draft: it was deleted, or not changed for 30 days."


class DraftStep(StrEnum):
    COMPANY = "company"
    QUESTIONS = "questions"
    OPTIONS = "options"
    REVIEW = "review"

    @property
    def before(self) -> "DraftStep":
        steps = list(DraftStep)
        return steps[max(steps.index(self) - 1, 0)]

    @property
    def after(self) -> "DraftStep":
        steps = list(DraftStep)
        return steps[min(steps.index(self) + 1, len(steps) - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`typists` has who typed what is in a field; `others` what another typed there at the same time.

    `company_id` is that of the submission that it was sent as; `has_links`: its client was asked something.
    """

    draft_id: uuid.UUID
    partner_id: int
    version: int
    fields: Fields
    typists: Mapping[str, str]
    others: Mapping[str, TypedByOther]
    question_edition: str
    created_by: str
    changed_by: str
    created_at: datetime
    changed_at: datetime
    sent_as: uuid.UUID | None
    company_id: int | None
    has_links: bool = False

    def typed(self, name: str) -> str:
        return typed(self.fields, name)

    @property
    def product(self) -> InsuranceProduct:
        return product_of(self.fields)

    @property
    def name(self) -> str:
        return self.typed("client.name")

    def new_questions(self, today: date) -> frozenset[str]:
        """Return the questions that came, or were worded anew, since the draft was begun, by printed id."""
        now = QUESTIONS.in_force(today)
        if now.edition == self.question_edition:
            return frozenset()
        before = {
            question.id: question for question in QUESTIONS.named(self.question_edition).sets[self.product]
        }
        return frozenset(
            question.id
            for question in now.sets[self.product]
            if question.id not in before
            or (before[question.id].text, before[question.id].places) != (question.text, question.places)
        )


class DraftGone(NotFound):
    def __init__(self) -> None:
        super().__init__(NO_DRAFT)


_IN_QUESTIONS: Final = re.compile(r"questions\[(\d+)\]")


def field_of(problem: Problem, body: Mapping[str, Any]) -> str:
    """Return the field that a problem of the draft's body is about; empty if it is about none."""
    if problem.path == "questions" and problem.code == AnswerProblem.MISSING_ANSWER:
        return QUESTION + problem.message.partition(" ")[0]
    if found := _IN_QUESTIONS.match(problem.path):
        return QUESTION + str(body["questions"][int(found[1])]["id"])
    return problem.path.partition("[")[0]


def step_of(name: str) -> DraftStep:
    if name.startswith(QUESTION) or name == "questions":
        return DraftStep.QUESTIONS
    return DraftStep.OPTIONS if name == OPTIONS else DraftStep.COMPANY
