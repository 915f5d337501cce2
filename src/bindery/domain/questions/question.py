from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

import msgspec

from bindery.base.nearest import letters_of
from bindery.contract.questions import QuestionType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.industries import Action
from bindery.domain.applicant.risk import Answers, bare_id
from bindery.domain.editions import Editions, packaged
from bindery.domain.questions.conditions import Condition, OptionsOfKind, read_condition

CHOICES: Final = frozenset({QuestionType.SINGLE_SELECT, QuestionType.MULTI_SELECT})

MAX_TEXT_LENGTH: Final = 4_000
MAX_OPTION_LENGTH: Final = 200
MAX_NUMBER: Final = 10**12


LONGEST_LIST: Final = 320


class ProductKind(StrEnum):
    """The kind of a VPN product: on the premises, software on a server, a cloud service, or unknown."""

    APPLIANCE = "appliance"
    SOFTWARE = "software"
    CLOUD = "cloud"
    UNKNOWN = "unknown"


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One option of a choice, and its meaning for screening and other questions.

    `exclusive` options stand alone when chosen. The tariff has the factor of an option, by its text.
    """

    text: str
    exclusive: bool = False
    action: Action = Action.QUOTE
    kind: ProductKind | None = None


@dataclass(frozen=True, kw_only=True)
class QuestionText:
    """One question; `section` is the heading that it belongs under."""

    id: str
    section: str
    type: QuestionType
    text: str
    required_when: Condition
    help: str | None = None
    options: tuple[Option, ...] = ()
    minimum: int | None = None

    # Reading answers is on the hot path of intake, so what follows from the above is worked out once.

    @cached_property
    def bare_id(self) -> str:
        return bare_id(self.id)

    @cached_property
    def places(self) -> Mapping[str, int]:
        return {option.text: place for place, option in enumerate(self.options)}

    @cached_property
    def exclusive_options(self) -> tuple[str, ...]:
        return tuple(option.text for option in self.options if option.exclusive)

    @cached_property
    def listed_options(self) -> str:
        """Return the options as a message lists them, cut to a readable length."""
        listed: list[str] = []
        room = LONGEST_LIST
        for number, option in enumerate(self.options):
            room -= len(option.text)
            if room < 0:
                return f"{', '.join(listed)} and {len(self.options) - number} more"
            listed.append(f"`{option.text}`")
        return ", ".join(listed)

    def option_of_letters(self, text: str) -> str | None:
        """Return the option with the same letters and digits, whatever else the text has."""
        return self._by_letters.get(letters_of(text))

    @cached_property
    def _by_letters(self) -> Mapping[str, str]:
        return {letters_of(option.text): option.text for option in self.options}

    def option(self, text: str) -> Option:
        return self.options[self.places[text]]


@dataclass(frozen=True, eq=False)
class QuestionSet:
    """The questions of a product, in the order in which their conditions are evaluated.

    Compared by identity, so that what follows from a set can be cached under it.
    """

    edition: str
    product: InsuranceProduct
    questions: tuple[QuestionText, ...]

    def __iter__(self) -> Iterator[QuestionText]:
        return iter(self.questions)

    @cached_property
    def by_spelling(self) -> Mapping[str, QuestionText]:
        """Return the questions by each spelling of their id: `Q2134`, `q2134` and `2134`."""
        return {
            spelling: question
            for question in self.questions
            for spelling in (question.bare_id, f"Q{question.bare_id}", f"q{question.bare_id}")
        }

    def find(self, question_id: str) -> QuestionText | None:
        return self.by_spelling.get(question_id)

    def chosen_options(self, answers: Answers, *question_ids: str) -> tuple[Option, ...]:
        return tuple(
            question.option(text)
            for question in map(self.find, question_ids)
            if question is not None
            for text in answers.chosen(question.id)
        )


@dataclass(frozen=True, slots=True)
class QuestionEdition:
    edition: str
    effective_from: date
    sets: Mapping[InsuranceProduct, QuestionSet]


class _QuestionData(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    id: str
    section: str
    type: QuestionType
    text: str
    required_when: dict[str, Any]  # a tree of no fixed shape; `read_condition` takes it apart
    help: str | None = None
    options: tuple[Option, ...] = ()
    minimum: int | None = None


class _SetData(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    questions: tuple[_QuestionData, ...]
    after: InsuranceProduct | None = None


class _EditionData(msgspec.Struct):
    edition: str
    effective_from: date
    sets: dict[InsuranceProduct, _SetData]


def question_set(product: InsuranceProduct, edition: str) -> QuestionSet:
    return QUESTIONS.named(edition).sets[product]


def read_edition(data: bytes) -> QuestionEdition:
    read = msgspec.json.decode(data, type=_EditionData)
    options_of_kind = _options_of_kind(question for rows in read.sets.values() for question in rows.questions)
    own = {
        product: tuple(_question(row, options_of_kind) for row in rows.questions)
        for product, rows in read.sets.items()
    }
    sets = {
        product: QuestionSet(
            edition=read.edition,
            product=product,
            questions=(own[rows.after] if rows.after else ()) + own[product],
        )
        for product, rows in read.sets.items()
    }
    return QuestionEdition(edition=read.edition, effective_from=read.effective_from, sets=sets)


QUESTIONS: Final = Editions("question set", lambda: map(read_edition, packaged("questions")))


def _question(row: _QuestionData, options_of_kind: OptionsOfKind) -> QuestionText:
    condition = read_condition(row.required_when, options_of_kind)
    return QuestionText(**msgspec.structs.asdict(row) | {"required_when": condition})


def _options_of_kind(questions: Iterable[_QuestionData]) -> OptionsOfKind:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for question in questions:
        for option in question.options:
            if option.kind is not None:
                key = (bare_id(question.id), option.kind.value)
                found[key] = (*found.get(key, ()), option.text)
    return found
