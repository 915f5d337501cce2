"""The referral reasons of a case: how grave each is, and where on the page its ground is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from bindery.contract.questions import QuestionType
from bindery.domain.applicant.risk import bare_id
from bindery.domain.documents.building import printed_answer
from bindery.domain.questions.conditions import conditions_on_answers
from bindery.domain.questions.question import QuestionText, question_set
from bindery.domain.quote.answer_effects import AnswerEffect, answer_effects
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.tariff import TARIFFS, Tariff
from bindery.domain.screening.case import Recommendation
from bindery.domain.screening.rules import applicant_of
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.scan_shown import ShownFinding, ShownScan
from bindery.web.desk.desk_shown import SEVERE as SEVERE_CODES
from bindery.web.desk.desk_shown import reason_words
from bindery.web.shown.option import assessment_of, options_named, shown_number
from bindery.web.shown.words import Tone, money


class ShownAnswer(Struct, frozen=True):
    anchor: str
    number: str
    text: str
    answer: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]
    effect: str


@dataclass(frozen=True, slots=True)
class ShownAnswers:
    """`explained` are the answers in the applicant's own words to what follows a question, by its anchor."""

    effective: tuple[ShownAnswer, ...]
    others: tuple[ShownAnswer, ...]
    explained: Mapping[str, tuple[ShownAnswer, ...]] = field(default_factory=dict)


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
    shown = {effect.question: _shown(effect, questions, printed) for effect in known}
    return ShownAnswers(
        effective=tuple(shown[effect.question] for effect in known if effect.is_any),
        others=tuple(shown[effect.question] for effect in idle),
        explained=_explained(questions, shown),
    )


def _explained(
    questions: Mapping[str, QuestionText], shown: Mapping[str, ShownAnswer]
) -> dict[str, tuple[ShownAnswer, ...]]:
    """Return what the applicant wrote to explain an answer: a question asked because of it, in own words."""
    found: dict[str, tuple[ShownAnswer, ...]] = {}
    for name, question in questions.items():
        if question.type not in IN_OWN_WORDS or name not in shown:
            continue
        for opener in {condition.question for condition in conditions_on_answers(question.required_when)}:
            anchor = anchor_of(opener)
            found[anchor] = (*found.get(anchor, ()), shown[name])
    return found


IN_OWN_WORDS: Final = frozenset({QuestionType.FREE_TEXT, QuestionType.NUMERIC, QuestionType.AMOUNT})


def anchor_of(question: str) -> str:
    return f"answer-{question}"


def _tariff_of(option: Quote) -> Tariff | None:
    record = assessment_of(option)
    if record is None or record.worksheet is None:
        return None
    try:
        return TARIFFS.named(record.worksheet["tariff_edition"])
    except LookupError:
        return None


def _shown(
    effect: AnswerEffect, questions: Mapping[str, QuestionText], printed: Mapping[str, str]
) -> ShownAnswer:
    question = questions[effect.question]
    sign = "+" if effect.dollars > 0 else "\N{MINUS SIGN}"
    return ShownAnswer(
        anchor=anchor_of(effect.question),
        number=question.id,
        text=question.text,
        answer=printed[effect.question].replace("\n", ", "),
        codes=effect.reasons,
        reasons=tuple(reason_words(code) for code in effect.reasons),
        effect=f"{sign}{money(abs(effect.dollars))}" if effect.dollars else "",
    )


RED_FLAGS: Final = "red_flags"
PRICING_FAILED: Final = "pricing_failed"


@dataclass(frozen=True, slots=True)
class Gravity:
    """How grave a reason is, in a word or two; the gravest has the lowest rank."""

    rank: int
    text: str
    tone: Tone


DECLINE_ADVISED: Final = Gravity(0, "decline advised", Tone.BAD)
SEVERE: Final = Gravity(1, "severe", Tone.BAD)
TO_LOOK_AT: Final = Gravity(2, "to look at", Tone.PLAIN)


@dataclass(frozen=True, slots=True)
class Ground:
    address: str
    text: str


_APPLICANT: Final = Ground("#facts", "the applicant")
_ANSWERS: Final = Ground("#answers", "the answers")
_OPTIONS: Final = Ground("#options", "the options")
_DOMAINS: Final = Ground("#facts", "the domains")
GROUNDS: Final[Mapping[str, tuple[Ground, ...]]] = {
    "limit_above_authority": (_OPTIONS,),
    "retention_above_share": (_OPTIONS,),
    "limit_too_small": (_OPTIONS,),
    "no_cover_per_claim": (_OPTIONS,),
    "revenue_above_authority": (Ground("#facts", "the revenue"),),
    "broker_conflict": (Ground("#broker", "the broker"),),
    PRICING_FAILED: (Ground("#worksheet", "the worksheet"),),
    "missing_domain": (_DOMAINS,),
    "scan_failed": (_DOMAINS,),
    "nothing_collected": (_DOMAINS,),
}
"""Where the page shows the ground of a reason that is neither an answer nor in the scan."""


class ShownReason(Struct, frozen=True):
    code: str
    text: str
    gravity: Gravity
    options: str
    grounds: tuple[Ground, ...]
    explained: tuple[ShownAnswer, ...]
    findings: tuple[ShownFinding, ...]


def gravity_of(code: str, recommendation: str | None) -> Gravity:
    if recommendation == Recommendation.DECLINE:
        return DECLINE_ADVISED
    return SEVERE if code in SEVERE_CODES else TO_LOOK_AT


def shown_reasons(
    seen: Sequence[QuoteRecord], answers: ShownAnswers, scan: ShownScan | None, *, is_rated: bool
) -> tuple[ShownReason, ...]:
    """List every reason once, the gravest first, with the options that have it.

    `is_rated` is whether the tariff has a price by now for the current option.
    """
    found: dict[str, tuple[Mapping[str, str], list[str]]] = {}
    for record in seen:
        assessed = assessment_of(record.quote)
        for reason in assessed.reasons if assessed is not None else ():
            _, numbers = found.setdefault(reason["text"], (reason, []))
            numbers.append(str(shown_number(record.quote.option_number)))
    shown = [
        ShownReason(
            code=reason["code"],
            text=_said(reason["code"], text, scan, is_rated=is_rated),
            gravity=gravity_of(reason["code"], reason.get("recommendation")),
            options="" if len(numbers) == len(seen) else options_named(numbers),
            grounds=tuple(_grounds(reason["code"], answers, scan)),
            explained=_explaining(reason["code"], answers),
            findings=_red_flags(scan) if reason["code"] == RED_FLAGS and scan is not None else (),
        )
        for text, (reason, numbers) in found.items()
    ]
    return tuple(sorted(shown, key=lambda reason: reason.gravity.rank))


def _said(code: str, text: str, scan: ShownScan | None, *, is_rated: bool) -> str:
    if code == PRICING_FAILED and is_rated:
        return f"{text}. The tariff has a price now"
    # The findings follow one by one, with where they are and what each costs.
    return text.partition(":")[0] if code == RED_FLAGS and scan is not None else text


def _grounds(code: str, answers: ShownAnswers, scan: ShownScan | None) -> Iterator[Ground]:
    given = [
        Ground(f"#{effect.anchor}", effect.number) for effect in answers.effective if code in effect.codes
    ]
    if given:
        yield from given
    elif code == RED_FLAGS and scan is not None:
        return
    elif code == "low_scan_score" and scan is not None:
        yield Ground("#scan", "the scan")
    else:
        yield from GROUNDS.get(code, (_APPLICANT, _ANSWERS))


def _explaining(code: str, answers: ShownAnswers) -> tuple[ShownAnswer, ...]:
    told = (
        explained
        for effect in answers.effective
        if code in effect.codes
        for explained in answers.explained.get(effect.anchor, ())
    )
    return tuple(dict.fromkeys(told))


def _red_flags(scan: ShownScan) -> tuple[ShownFinding, ...]:
    """Return the red flags, the same flaw on several hosts once: the first is followed by the others."""
    first = {finding.title: finding for finding in reversed(scan.findings) if finding.is_red_flag}
    return tuple(reversed(first.values()))
