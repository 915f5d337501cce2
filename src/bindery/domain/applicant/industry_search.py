"""Finding an industry by words or by its code."""

import re
from functools import lru_cache

from bindery.domain.applicant.industries import Industry, find_industry, industry_titles

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
