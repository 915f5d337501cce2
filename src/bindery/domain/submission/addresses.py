"""One spelling for one place, so that a broker-of-record check sees through how an address is written."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from bindery.contract.quotes import Address

_BETWEEN_WORDS = re.compile(r"[\W_]+")

# The Postal Service's abbreviations of the words that are written either way most often.
_SHORT_FORMS: Final[Mapping[str, str]] = {
    "alley": "aly",
    "apartment": "apt",
    "av": "ave",
    "avenue": "ave",
    "boulevard": "blvd",
    "building": "bldg",
    "circle": "cir",
    "court": "ct",
    "drive": "dr",
    "east": "e",
    "expressway": "expy",
    "floor": "fl",
    "freeway": "fwy",
    "highway": "hwy",
    "lane": "ln",
    "north": "n",
    "northeast": "ne",
    "northwest": "nw",
    "parkway": "pkwy",
    "place": "pl",
    "plaza": "plz",
    "road": "rd",
    "room": "rm",
    "route": "rte",
    "south": "s",
    "southeast": "se",
    "southwest": "sw",
    "square": "sq",
    "street": "st",
    "suite": "ste",
    "terrace": "ter",
    "trail": "trl",
    "turnpike": "tpke",
    "west": "w",
}


def address_key(address: Address, state: str) -> str:
    """Return one spelling for one place.

    Case, accents, punctuation, postal abbreviations, the split into two street lines and the ZIP's last four
    digits do not count; a suite does.
    """
    street2 = address.street2 if isinstance(address.street2, str) else ""
    pieces = (f"{address.street} {street2}", address.city, state, address.zip.strip()[:5])
    return "|".join(map(_plain, pieces))


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return " ".join(_SHORT_FORMS.get(word, word) for word in _BETWEEN_WORDS.split(bare) if word)
