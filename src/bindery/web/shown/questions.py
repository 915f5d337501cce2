"""Questions of underwriters to the broker, as both sides see them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bindery.contract.quote import QuestionStatus
from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.storage.quote.quote_view import QuoteRecord, UploadedFile
from bindery.web.shown.words import Moment, Times

_STATES: Final = {
    QuestionStatus.OPEN: "Waits for the broker",
    QuestionStatus.ANSWERED: "Answered",
    QuestionStatus.OVERTAKEN: "The case was decided without an answer",
    QuestionStatus.WITHDRAWN: "Withdrawn",
}


@dataclass(frozen=True, slots=True)
class ShownFile:
    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBrokerQuestion:
    question_id: str
    text: str
    about: str
    state: str
    asked: Moment
    asked_by: str
    is_open: bool
    takes_answer: bool
    answer: str
    answered: Moment | None
    answered_by: str
    file: ShownFile | None


def shown_questions(seen: Iterable[QuoteRecord], times: Times) -> tuple[ShownBrokerQuestion, ...]:
    """Return the questions of the submissions that these options are of, each once, the newest first."""
    records = list(seen)
    files = {file.document_id: (record, file) for record in records for file in record.files}
    asked = {question.question_id: question for record in records for question in record.questions}
    newest = sorted(asked.values(), key=lambda question: question.asked_at, reverse=True)
    return tuple(_shown(question, files, times) for question in newest)


def _shown(
    question: BrokerQuestion, files: dict[str, tuple[QuoteRecord, UploadedFile]], times: Times
) -> ShownBrokerQuestion:
    found = files.get(str(question.document_id))
    answered = question.answered_at
    return ShownBrokerQuestion(
        question_id=str(question.question_id),
        text=question.text,
        about=", ".join(code.replace("_", " ") for code in question.about),
        state=_STATES[question.status],
        asked=times.at(question.asked_at),
        asked_by=question.asked_by,
        is_open=question.is_open,
        takes_answer=question.takes_answer,
        answer=question.answer,
        answered=times.at(answered) if answered is not None else None,
        answered_by=question.answered_by or "",
        file=ShownFile(found[1].name, f"/quote/{found[0].quote.quote_id}/upload/{question.document_id}")
        if found
        else None,
    )
