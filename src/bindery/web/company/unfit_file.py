"""Why a file that was sent with a page's form cannot be taken."""

from collections.abc import Iterable
from typing import Final

from bindery.base.errors import BinderyError, InvalidRequest, Problem
from bindery.domain.documents.file_types import LARGEST_PAPER
from bindery.http.errors import TooLarge

CHOOSE_A_FILE: Final = Problem("file", "required", "Choose a file")


def problems_of_file(fault: BinderyError) -> tuple[Problem, ...]:
    if isinstance(fault, InvalidRequest):
        if any(_is_missing(problem) for problem in fault.problems):
            return (CHOOSE_A_FILE,)
        return tuple(fault.problems) or (Problem("", fault.code, fault.message),)
    if isinstance(fault, TooLarge):
        megabytes = LARGEST_PAPER // 2**20
        flaw = f"is too large: the limit is {megabytes} MB, and it was not kept"
        return (Problem("file", fault.code, flaw),)
    return (Problem("file", fault.code, "must be a PDF, PNG, JPEG, TIFF or DOCX by its content"),)


def in_sentences(problems: Iterable[Problem]) -> tuple[str, ...]:
    return tuple(map(_sentence, problems))


def _is_missing(problem: Problem) -> bool:
    return (problem.path, problem.code) == (CHOOSE_A_FILE.path, CHOOSE_A_FILE.code)


def _sentence(problem: Problem) -> str:
    if problem == CHOOSE_A_FILE:
        return f"{problem.message}."
    return f"The {problem.path} {problem.message}." if problem.path else problem.message
