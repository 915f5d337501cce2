"""Industries by NAICS 2022 code, and how hazardous they are to insure against cyber loss."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from bindery.domain.editions import packaged_rows


class Action(StrEnum):
    """The effect of an answer or an industry; `decline` refers as well, because only a person declines."""

    QUOTE = "quote"
    REFER = "refer"
    DECLINE = "decline"


TECHNOLOGY: Final = "00"
"""TEO shows this for every applicant, and accepts it for one without a code."""

DEFAULT_HAZARD_GROUP: Final = 3


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


_WORD = re.compile(r"[a-z0-9]+")


def search_industries(sought: str, *, most: int) -> tuple[list[Industry], bool]:
    """Return the industries of a code, its beginning or words, and whether more were found.

    Every word has to begin a word of the title. Titles that begin with the first word come first, then short
    ones, which say little else.
    """
    words = _WORD.findall(sought.casefold())
    if not words:
        return [], False
    if len(words) == 1 and words[0].isdecimal():
        found = [code for code, _ in _industries() if code.startswith(words[0])]
    else:
        ranked = sorted(
            (not title[0].startswith(words[0]), len(title), code)
            for code, title in _industries()
            if all(any(part.startswith(word) for part in title) for word in words)
        )
        found = [code for _, _, code in ranked]
    return [find_industry(code) for code in found[:most]], len(found) > most


@lru_cache(maxsize=1)
def _industries() -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((code, tuple(_WORD.findall(title.casefold()))) for code, title in industry_titles().items())
