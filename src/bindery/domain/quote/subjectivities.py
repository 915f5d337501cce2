"""What an offer can be made subject to, from a list: texts with blanks, suggested by reasons."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import msgspec

from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.editions import Editions, packaged
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.text import flaws_of_lines

DAYS: Final = "days"
MOST_DAYS: Final = 365
LONGEST_BLANK: Final = 300
_BLANK: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjectivity:
    """One of the list; `days` fills its blank of that name unless somebody writes another number."""

    code: str
    text: str
    type: ContingencyType
    days: int | None
    suggested_by: tuple[str, ...]

    @property
    def blanks(self) -> tuple[str, ...]:
        return tuple(_BLANK.findall(self.text))

    def usual(self, blank: str) -> str:
        return str(self.days) if blank == DAYS and self.days is not None else ""

    def filled(self, given: Mapping[str, str]) -> str:
        return _BLANK.sub(lambda blank: given[blank[1]], self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectivityEdition:
    edition: str
    effective_from: date
    subjectivities: tuple[Subjectivity, ...]

    def ordered(self, reasons: Collection[str]) -> tuple[tuple[Subjectivity, ...], tuple[Subjectivity, ...]]:
        """Return those that the reasons of a referral suggest, and the others."""
        suggested = tuple(each for each in self.subjectivities if set(each.suggested_by) & set(reasons))
        return suggested, tuple(each for each in self.subjectivities if each not in suggested)


def _read_edition(text: bytes) -> SubjectivityEdition:
    return msgspec.json.decode(text, type=SubjectivityEdition)


SUBJECTIVITIES: Final = Editions("subjectivities", lambda: map(_read_edition, packaged("subjectivities")))


def chosen_subjectivities(
    edition: SubjectivityEdition, codes: Sequence[str], blanks: Mapping[tuple[str, str], str]
) -> tuple[DraftContingency, ...]:
    """Return what was chosen from the list, with its blanks filled in.

    Raises:
        InvalidRequest: with everything that is unknown or left blank.
    """
    known = {each.code: each for each in edition.subjectivities}
    problems = [
        Problem(f"subjectivities.{code}", "not_an_option", "is not one of the list")
        for code in codes
        if code not in known
    ]
    found = []
    for each in (known[code] for code in dict.fromkeys(codes) if code in known):
        given = {name: blanks.get((each.code, name), "").strip() or each.usual(name) for name in each.blanks}
        flaws = [*_flaws(each, given)]
        problems += flaws
        if not flaws:
            found.append(DraftContingency(ContingencyKind.UNDERWRITER, each.type, each.filled(given)))
    if problems:
        raise InvalidRequest.because(problems)
    return tuple(found)


def _flaws(each: Subjectivity, given: Mapping[str, str]) -> Iterable[Problem]:
    for name, text in given.items():
        path = f"subjectivities.{each.code}.{name}"
        if not text:
            yield Problem(path, "required", "has to be filled in")
        elif name == DAYS and not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_DAYS):
            yield Problem(path, "out_of_range", f"must be from 1 to {MOST_DAYS} days")
        else:
            yield from flaws_of_lines(text, path, longest=LONGEST_BLANK)
