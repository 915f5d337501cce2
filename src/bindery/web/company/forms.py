"""What is wrong with a form of a company's pages, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from bindery.base.errors import BinderyError, InvalidRequest
from bindery.web.shown.words import american, refusal_in_words

LONGEST_WORDS: Final = 1000


@dataclass(frozen=True, slots=True)
class FormProblem:
    """`field` is the id of the field that it is about; empty for the whole form."""

    field: str
    label: str
    text: str


def problems_of(fault: BinderyError, labels: Mapping[str, str]) -> tuple[FormProblem, ...]:
    if isinstance(fault, InvalidRequest) and fault.problems:
        return tuple(
            FormProblem(
                problem.path if problem.path in labels else "",
                labels.get(problem.path, problem.path),
                f"{american(problem.message).removesuffix('.')}.",
            )
            for problem in fault.problems
        )
    return (FormProblem("", "", american(refusal_in_words(fault))),)


def status_of(fault: BinderyError) -> int:
    return HTTPStatus.UNPROCESSABLE_ENTITY if isinstance(fault, InvalidRequest) else HTTPStatus.CONFLICT
