import re
from dataclasses import dataclass, replace
from datetime import date
from importlib.resources import files
from typing import Any

import pytest

from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.documents.forms import FORMS, form_text
from bindery.domain.documents.recommendations import ADVICE
from bindery.domain.editions import Dated, Editions
from bindery.domain.questions.question import QUESTIONS
from bindery.domain.rating.tariff import TARIFFS

KINDS: dict[str, Editions[Any]] = {
    "tariffs": TARIFFS,
    "questions": QUESTIONS,
    "coverages": COVERAGES,
    "forms": FORMS,
    "advice": ADVICE,
}


@dataclass(frozen=True)
class Numbers:
    edition: str
    effective_from: date


FIRST = Numbers("2026.1", date(2026, 1, 1))
SECOND = Numbers("2027.1", date(2027, 3, 1))
THIRD = Numbers("2027.2", date(2027, 9, 15))


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2026, 1, 1), FIRST),
        (date(2027, 2, 28), FIRST),
        (date(2027, 3, 1), SECOND),
        (date(2027, 9, 14), SECOND),
        (date(2027, 9, 15), THIRD),
        (date(2999, 1, 1), THIRD),
    ],
)
def test_an_edition_goes_live_on_its_first_day(day: date, expected: Numbers) -> None:
    editions = Editions("tariff", lambda: (THIRD, FIRST, SECOND))

    assert editions.in_force(day) is expected


def test_before_the_first_edition_none_is_in_force() -> None:
    with pytest.raises(LookupError, match="No tariff is in force on 2025-12-31"):
        Editions("tariff", lambda: (FIRST,)).in_force(date(2025, 12, 31))


def test_what_was_made_with_an_edition_finds_it_again() -> None:
    editions = Editions("tariff", lambda: (SECOND, FIRST))

    assert editions.named("2026.1") is FIRST
    with pytest.raises(LookupError, match=re.escape("no tariff edition '2026.9'")):
        editions.named("2026.9")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_goes_live_by_its_date(kind: str) -> None:
    packaged = KINDS[kind]
    newest: Dated = packaged.all[-1]
    coming: Any = replace(newest, edition="2999.1", effective_from=date(2999, 1, 1))  # type: ignore[type-var]
    editions = Editions(kind, lambda: (*packaged.all, coming))

    assert editions.in_force(date(2998, 12, 31)) is newest
    assert editions.in_force(date(2999, 1, 1)) is coming


@pytest.mark.parametrize("kind", KINDS)
def test_the_packaged_editions_are_those_of_the_folder(kind: str) -> None:
    names = {entry.name.rpartition(".")[0] for entry in files("bindery").joinpath("data", kind).iterdir()}
    editions = KINDS[kind]

    assert {edition.edition for edition in editions.all} == names
    assert len({edition.effective_from for edition in editions.all}) == len(names)
    assert editions.in_force(date(2026, 1, 1)).edition == "2026.1"
    with pytest.raises(LookupError):
        editions.in_force(date(2025, 12, 31))


def test_an_edition_without_a_text_of_its_own_has_that_of_the_edition_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (first,) = FORMS.all
    later = replace(first, edition="2999.1", effective_from=date(2999, 1, 1))
    monkeypatch.setitem(vars(FORMS), "all", (first, later))

    assert form_text("notices/{}.csv", "2999.1") == form_text("notices/{}.csv", "2026.1")
    with pytest.raises(LookupError, match=r"The forms of 2999\.1 have no"):
        form_text("notices/{}.nothing", "2999.1")
