"""What a request asked for and the quote does not use as it was sent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bindery.base.errors import Problem

RETENTION_RAISED: Final = "retention_raised"
NO_EFFECT: Final = "no_effect"
UNKNOWN_FIELD: Final = "unknown_field"
ZIP_OUTSIDE_STATE: Final = "zip_outside_state"
INDUSTRY_MISSING: Final = "industry_missing"
UNKNOWN_INDUSTRY: Final = "unknown_industry"
NO_LONGER_BINDABLE: Final = "no_longer_bindable"
NOT_BINDABLE_YET: Final = "not_bindable_yet"

MEANINGS: Final[Mapping[str, str]] = {
    RETENTION_RAISED: "The retention is below the lowest allowed, which the quote carries.",
    NO_EFFECT: "It was accepted and has no effect on this product.",
    UNKNOWN_FIELD: "The request has no such field; it was ignored.",
    ZIP_OUTSIDE_STATE: "The ZIP belongs to a different state than the address.",
    INDUSTRY_MISSING: "No industry was given; the quote is rated without one.",
    UNKNOWN_INDUSTRY: "The industry is not a NAICS 2022 code; it is rated by the longest known prefix.",
    NO_LONGER_BINDABLE: "The effective date is too far back to be bound.",
    NOT_BINDABLE_YET: "The effective date is more than a year ahead; it can only be bound later.",
}

ABOUT_THE_APPLICANT: Final = frozenset({ZIP_OUTSIDE_STATE, INDUSTRY_MISSING, UNKNOWN_INDUSTRY})
"""Corrections that a renewal repeats; the others are about one request."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A difference between request and quote; `given` is None where nothing takes its place."""

    field: str
    asked: int | str | None
    given: int | str | None
    text: str
    code: str = RETENTION_RAISED


def ignored_fields(unknown: Iterable[Problem]) -> tuple[Correction, ...]:
    return tuple(Correction(field.path, None, None, field.message, UNKNOWN_FIELD) for field in unknown)
