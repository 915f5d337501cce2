"""The fifty states and the District of Columbia, and which ZIP codes belong to which."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from bindery.domain.editions import packaged_rows

_SPELLINGS_OF_DC = ("d.c.", "washington dc", "washington d.c.", "washington, dc", "washington, d.c.")
_ZIP_SHAPE = re.compile(r"[0-9]{5}(-[0-9]{4})?")
_ZIP_DIGITS = 5
_ZIP_AREA_DIGITS = 3


@lru_cache(maxsize=1)
def state_names() -> Mapping[str, str]:
    return MappingProxyType({row["abbreviation"]: row["name"] for row in packaged_rows("us_states.csv")})


def find_state(text: str) -> str | None:
    return _states_by_spelling().get(text.strip().casefold())


def is_zip(text: str) -> bool:
    return _ZIP_SHAPE.fullmatch(text) is not None


def state_of_zip(zip_code: str) -> str | None:
    """Return the state of a ZIP code in two letters, or None if no mail is delivered under it.

    Territories and the military have codes of their own here (`PR`, `AE`); they are not states, and
    `find_state` does not know them.
    """
    if not is_zip(zip_code):
        return None
    places = _states_by_zip_prefix()
    # A few offices are across the border from the state that the rest of their three digits belongs to.
    return places.get(zip_code[:_ZIP_DIGITS]) or places.get(zip_code[:_ZIP_AREA_DIGITS])


@lru_cache(maxsize=1)
def _states_by_spelling() -> Mapping[str, str]:
    by_letters = {letters.casefold(): letters for letters in state_names()}
    by_name = {name.casefold(): letters for letters, name in state_names().items()}
    return by_letters | by_name | dict.fromkeys(_SPELLINGS_OF_DC, "DC")


@lru_cache(maxsize=1)
def _states_by_zip_prefix() -> Mapping[str, str]:
    return {row["prefix"]: row["state"] for row in packaged_rows("zip_prefixes.csv")}
