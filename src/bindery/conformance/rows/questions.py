"""The two question tables: type and allowed values of every question, and both names of each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bindery.conformance.expect import AtPath, same_as
from bindery.conformance.requests import (
    ANSWERS,
    CYB,
    LARGE_FIRM,
    LARGE_REVENUE,
    TEO,
    get_quote,
    submission,
    submit,
)
from bindery.conformance.row import SpecRow
from bindery.conformance.rows.making import GOOD, refused, taken
from bindery.conformance.rows.question_tables import (
    BOOLEAN,
    CYBER_QUESTIONS,
    MANY,
    NUMBER,
    ONE,
    TECHNOLOGY_QUESTIONS,
    TEXT,
    TableQuestion,
)

CYBER: Final = "Cyber question set"
TECHNOLOGY: Final = "Additional technology question set"
RECEIPT: Final = {"quote": "quotes[0].quote_identifier"}
GOOD_VALUES: Final[Mapping[str, Sequence[tuple[str, Any]]]] = {
    BOOLEAN: (("true", True), ("false", False), ("text-true", "true"), ("text-false", "false")),
    NUMBER: (("one", 1), ("many", 25_000)),
    TEXT: (("text", "Rowbyrow"),),
}
WRONG_VALUES: Final[Mapping[str, Sequence[tuple[str, Any]]]] = {
    BOOLEAN: (("word", "perhaps"), ("number", 7)),
    NUMBER: (("zero", 0), ("fraction", 2.5), ("word", "many"), ("negative", -1)),
    ONE: (("unlisted", "Perhaps"), ("list", ["Yes", "No"])),
    MANY: (("unlisted", ["Rowbyrow Unlisted"]), ("boolean", True)),
    TEXT: (("boolean", True),),
}
CONTRACT_VALUE: Final = (("number", 350_000), ("text", "350000"))


def _spoken(value: Any) -> str:  # noqa: ANN401 - an answer
    return str(value).lower() if isinstance(value, bool) else str(value)


def _answers(asked: TableQuestion, value: Any) -> dict[str, Any]:  # noqa: ANN401 - any answer
    """Return the answers with this one, under the id that the table has, and what follows from it."""
    sets = {**LARGE_FIRM} if asked.of_large_firms else {}
    chosen = value[0] if isinstance(value, list) and value else value
    answers = {
        **sets,
        **asked.given,
        asked.id: value,
        **asked.follows.get(_spoken(chosen), {}),
        asked.id: value,
    }
    # The technology table has four cyber questions again, by numbers: one question is answered once.
    return answers | {f"Q{name}": None for name in answers if f"Q{name}" in ANSWERS[CYB]}


def _change(asked: TableQuestion, product: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - any answer
    put = {"client.revenue": LARGE_REVENUE} if asked.of_large_firms else {}
    return {"product": product, "put": put, "answers": _answers(asked, value)}


def _rows_of(asked: TableQuestion, product: str, section: str) -> Iterator[SpecRow]:
    sentence = f"{asked.id}, {asked.kind}: {asked.words}"
    area = f"questions.{asked.id}"
    if asked.options:
        values = [(option, [option] if asked.kind == MANY else option) for option in asked.options]
        good = [(f"option-{number}", value) for number, (_, value) in enumerate(values, 1)]
    else:
        good = [*(CONTRACT_VALUE if asked.id == "2207" else GOOD_VALUES[asked.kind])]
    for word, value in good:
        said = f"{sentence}; {_spoken(value[0] if isinstance(value, list) else value)}"
        yield taken(f"{area}.{word}", section, said, **_change(asked, product, value))
    for word, value in WRONG_VALUES[asked.kind]:
        scene = "a larger firm's request taken" if asked.of_large_firms else ""
        yield refused(f"{area}.{word}", section, sentence, scene=scene, **_change(asked, product, value))


def _both_names(asked: TableQuestion, product: str, section: str, scene: str) -> SpecRow:
    other = asked.id.removeprefix("Q") if asked.id.startswith("Q") else f"Q{asked.id}"
    answers = dict(ANSWERS[product])
    renamed = {asked.id: None, other: answers[asked.id]}
    return SpecRow(
        f"questions.{asked.id}.both-names",
        section,
        f"Ids appear with or without a leading Q: {asked.id} and {other} give the same answer.",
        (GOOD, AtPath("premium", same_as("premium", "the premium under the other name"))),
        scene=scene,
        steps=(submit(submission(product, answers=renamed), keep=RECEIPT), get_quote()),
    )


def _missing(product: str) -> Iterator[SpecRow]:
    for name in ANSWERS[product]:
        if product == CYB:
            yield refused(
                f"questions.{name}.missing",
                CYBER,
                f"{name} is required and not answered.",
                decision=True,
                answers={name: None},
            )
        elif name in ANSWERS[CYB]:
            yield refused(
                f"questions.teo.{name}.missing",
                TECHNOLOGY,
                "The cyber question set must be answered in addition to the TEO questions.",
                product=TEO,
                answers={name: None},
            )


def _whole_request() -> Iterator[SpecRow]:
    section = "Question"
    yield refused(
        "questions.unknown",
        section,
        "An unknown question is refused.",
        decision=True,
        answers={"Q9999": True},
    )
    yield refused(
        "questions.missing", "Create-quote request body", "questions: required.", drop=("questions",)
    )
    yield refused("client.missing", "Create-quote request body", "client: required.", drop=("client",))
    yield refused("policy.missing", "Create-quote request body", "policy: required.", drop=("policy",))
    yield taken(
        "questions.twice.same",
        section,
        "A question answered under both names with one value is one answer.",
        decision=True,
        product=TEO,
        answers={"2146": False},
    )
    yield refused(
        "questions.twice.different",
        section,
        "Two different answers to one question are refused.",
        decision=True,
        product=TEO,
        answers={"2146": True, "2124": "A theft"},
    )


def _rows() -> Iterator[SpecRow]:
    for asked in CYBER_QUESTIONS:
        yield from _rows_of(asked, CYB, CYBER)
        if asked.id in ANSWERS[CYB]:
            yield _both_names(asked, CYB, CYBER, "a published CYB quote")
    for asked in TECHNOLOGY_QUESTIONS:
        yield from _rows_of(asked, TEO, TECHNOLOGY)
        if asked.id in ANSWERS[TEO]:
            yield _both_names(asked, TEO, TECHNOLOGY, "a published TEO quote")
    yield from _missing(CYB)
    yield from _missing(TEO)
    yield from _whole_request()


ROWS: Final = tuple(_rows())
