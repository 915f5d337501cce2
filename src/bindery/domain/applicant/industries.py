"""Industries by NAICS 2022 code, and how hazardous they are to insure against cyber loss."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bindery.domain.applicant.appetite import Action
from bindery.domain.editions import packaged_rows

TECHNOLOGY: Final = "00"
"""TEO shows this for every applicant, and accepts it for one without a code."""

DEFAULT_HAZARD_GROUP: Final = 3
"""The group of an applicant whose industry is not known."""


@dataclass(frozen=True, slots=True)
class Industry:
    """An applicant's industry.

    `title` is None for a code that is not listed; `matched` is the code or prefix that the hazard comes from,
    None where the industry was not given or not even its sector is known.
    """

    code: str | None
    title: str | None
    hazard_group: int
    action: Action
    reason: str | None
    matched: str | None


@dataclass(frozen=True, slots=True)
class _Hazard:
    prefix: str
    group: int
    action: Action
    reason: str


# A submission looks its code up when it is read, rated and shown.
@lru_cache(maxsize=4096)
def find_industry(code: str | None) -> Industry:
    """Return the industry of a code, its hazard from the longest prefix that is known."""
    hazard = _hazard_of(code) if code else None
    if hazard is None:
        return Industry(code, None, DEFAULT_HAZARD_GROUP, Action.QUOTE, None, None)
    title = industry_titles().get(code) if code else None
    return Industry(code, title, hazard.group, hazard.action, hazard.reason, hazard.prefix)


def sector_of(code: str | None) -> str:
    """Return the NAICS sector of a code; empty for a code without one.

    Manufacturing, retail and transport have several numbers each, of which the first stands for all.
    """
    digits = (code or "")[:2]
    return _FIRST_OF_SECTOR.get(digits, digits if len(digits) == len("31") else "")


_FIRST_OF_SECTOR: Final = {"32": "31", "33": "31", "45": "44", "49": "48"}


def _hazard_of(code: str) -> _Hazard | None:
    hazards = _hazards()
    prefixes = (code[:length] for length in range(len(code), 0, -1))
    return next((hazards[prefix] for prefix in prefixes if prefix in hazards), None)


@lru_cache(maxsize=1)
def industry_titles() -> Mapping[str, str]:
    return {row["code"]: row["title"] for row in packaged_rows("industries_naics_2022.csv")}


@lru_cache(maxsize=1)
def _hazards() -> Mapping[str, _Hazard]:
    return {
        row["prefix"]: _Hazard(row["prefix"], int(row["hazard_group"]), Action(row["action"]), row["reason"])
        for row in packaged_rows("industry_hazards.csv")
    }
