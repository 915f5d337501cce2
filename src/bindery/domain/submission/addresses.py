"""One spelling for one place, so that a broker-of-record check sees through how an address is written."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from bindery.contract.quotes import Address
from bindery.domain.editions import packaged_rows

_BETWEEN_WORDS = re.compile(r"[\W_]+")


def address_key(address: Address, state: str) -> str:
    """Return one spelling for one place.

    Case, accents, punctuation, postal abbreviations, the split into two street lines and the ZIP's last four
    digits do not count; a suite does.
    """
    street2 = address.street2 if isinstance(address.street2, str) else ""
    pieces = (f"{address.street} {street2}", address.city, state, address.zip.strip()[:5])
    return "|".join(map(_plain, pieces))


def _plain(text: str) -> str:
    bare = text.casefold()
    if not bare.isascii():
        decomposed = unicodedata.normalize("NFKD", bare)
        bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    short_forms = _short_forms()
    return " ".join(short_forms.get(word, word) for word in _BETWEEN_WORDS.split(bare) if word)


@lru_cache(maxsize=1)
def _short_forms() -> Mapping[str, str]:
    """Return the Postal Service's abbreviations of the words that are written either way most often."""
    return {row["word"]: row["short"] for row in packaged_rows("street_words.csv")}
