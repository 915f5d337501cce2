from collections.abc import Mapping
from dataclasses import dataclass

from bindery.domain.applicant.risk import bare_id
from bindery.domain.documents.building import printed_answer
from bindery.domain.questions import question_set
from bindery.domain.quote.answer_effects import AnswerEffect, answer_effects
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.tariff import TARIFFS, Tariff
from bindery.domain.screening.rules import applicant_of
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.desk.desk_shown import reason_words
from bindery.web.shown.words import money


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    anchor: str
    number: str
    text: str
    answer: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]
    effect: str


@dataclass(frozen=True, slots=True)
class ShownAnswers:
    """Answers that had an effect, reasons first, and the rest."""

    effective: tuple[ShownAnswer, ...]
    others: tuple[ShownAnswer, ...]


def shown_answers(stored: StoredSubmission, option: Quote) -> ShownAnswers:
    submission = stored.submission
    questions = {
        bare_id(question.id): question
        for question in question_set(submission.product, submission.question_edition)
    }
    applicant = applicant_of(submission, scan=stored.scan)
    effects = answer_effects(applicant, _tariff_of(option), option.terms)
    printed = {
        name: text for name, value in submission.answers.values.items() if (text := printed_answer(value))
    }
    known = [effect for effect in effects if effect.question in questions and effect.question in printed]
    places = {name: place for place, name in enumerate(questions)}
    idle = sorted(
        (effect for effect in known if not effect.is_any), key=lambda effect: places[effect.question]
    )
    texts = {name: (question.id, question.text) for name, question in questions.items()}
    return ShownAnswers(
        effective=tuple(_shown(effect, texts, printed) for effect in known if effect.is_any),
        others=tuple(_shown(effect, texts, printed) for effect in idle),
    )


def _tariff_of(option: Quote) -> Tariff | None:
    record = from_record(option.assessment) if option.assessment else None
    if record is None or record.worksheet is None:
        return None
    try:
        return TARIFFS.named(record.worksheet["tariff_edition"])
    except LookupError:
        return None


def _shown(
    effect: AnswerEffect, texts: Mapping[str, tuple[str, str]], printed: Mapping[str, str]
) -> ShownAnswer:
    number, text = texts[effect.question]
    sign = "+" if effect.dollars > 0 else "\N{MINUS SIGN}"
    return ShownAnswer(
        anchor=f"answer-{effect.question}",
        number=number,
        text=text,
        answer=printed[effect.question].replace("\n", ", "),
        codes=effect.reasons,
        reasons=tuple(reason_words(code) for code in effect.reasons),
        effect=f"{sign}{money(abs(effect.dollars))}" if effect.dollars else "",
    )
