"""Who must not be insured: parties on a sanctions list, and firms at home in an embargoed country."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

EMBARGOED_TOP_LEVELS: Final = frozenset({
    "cu",
    "ir",
    "xn--mgba3a4f16a",  # Iran, in Arabic letters
    "xn--mgba3a4fra",  # Iran, with the Arabic form of one letter
    "kp",
    "sy",
    "xn--ogbpf8fl",  # Syria, in Arabic letters
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SanctionsList:
    """Names nobody may deal with, kept in the form in which they are compared."""

    compared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> "SanctionsList":
        """Make a list from names as they are published."""
        return cls(frozenset(comparable_name(name) for name in names) - {""})

    def holds(self, name: str) -> bool:
        """Whether the name is on the list, whatever its case, accents and punctuation."""
        return comparable_name(name) in self.compared


EMPTY_LIST: Final = SanctionsList()


def comparable_name(name: str) -> str:
    """Reduce a name to its letters and digits: `Élan, S.A.` and `ELAN S A` are the same."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    spelled = (letter if letter.isalnum() else " " for letter in letters if not unicodedata.combining(letter))
    return " ".join("".join(spelled).split())


def is_embargoed_domain(domain: str) -> bool:
    """Whether a domain belongs to an embargoed country."""
    return domain.rstrip(".").rpartition(".")[2].lower() in EMBARGOED_TOP_LEVELS
