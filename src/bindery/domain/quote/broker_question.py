"""What an underwriter asks the broker about a case, and what the broker answers."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.fields import LONGEST_BY_HAND
from bindery.contract.quote import QuestionStatus
from bindery.domain.text import flaws_of_lines

MOST_OPEN: Final = 10
"""How many questions of a case may be open; more of them belong into one text."""
LONGEST_ANSWER: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerQuestion:
    question_id: uuid.UUID
    submission_id: uuid.UUID
    quote_id: uuid.UUID
    partner_id: int
    text: str
    about: tuple[str, ...]
    asked_at: datetime
    asked_by: str
    answer: str = ""
    document_id: uuid.UUID | None = None
    answered_at: datetime | None = None
    answered_by: str | None = None
    withdrawn_at: datetime | None = None
    overtaken_at: datetime | None = None

    @property
    def status(self) -> QuestionStatus:
        if self.answered_at is not None:
            return QuestionStatus.ANSWERED
        if self.withdrawn_at is not None:
            return QuestionStatus.WITHDRAWN
        return QuestionStatus.OPEN if self.overtaken_at is None else QuestionStatus.OVERTAKEN

    @property
    def is_open(self) -> bool:
        return self.status is QuestionStatus.OPEN

    @property
    def takes_answer(self) -> bool:
        """Whether the broker may answer: what comes after the case was decided is kept too."""
        return self.status in {QuestionStatus.OPEN, QuestionStatus.OVERTAKEN}


def check_question(text: str, *, earlier: Iterable[BrokerQuestion]) -> None:
    if not text.strip():
        raise InvalidRequest.at("question", "required", "is required: say what the broker is to answer")
    if problems := [*flaws_of_lines(text, "question", longest=LONGEST_BY_HAND)]:
        raise InvalidRequest.because(problems)
    still_open = [question for question in earlier if question.is_open]
    if any(question.text == text for question in still_open):
        raise InvalidRequest.at("question", "already_asked", "was asked already, and waits for its answer")
    if len(still_open) >= MOST_OPEN:
        flaw = f"cannot be asked: {MOST_OPEN} wait for an answer already"
        raise InvalidRequest.because([Problem("question", "too_many", flaw)])


def check_answer(text: str, *, has_file: bool) -> None:
    if not text.strip() and not has_file:
        raise InvalidRequest.at("answer", "required", "must be a text or a file")
    if problems := [*flaws_of_lines(text, "answer", longest=LONGEST_ANSWER)]:
        raise InvalidRequest.because(problems)
