"""Letters by which an insured makes another broker its broker of record."""

import uuid
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from bindery.base.errors import Problem
from bindery.domain.quote.clearance import WINDOW, Conflict, Key
from bindery.domain.text import flaws_of_lines

HOLDS_FOR: Final = WINDOW
"""How long an accepted letter lifts a block: as long as what it lifts."""
LONGEST_REASON: Final = 1_000


class LetterDecision(StrEnum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REPLACED = "replaced"
    """The sender uploaded another one before anybody had decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLetter:
    """A letter with its file, stored under that hash; `keys` are what its draft shares with others."""

    letter_id: uuid.UUID
    partner_id: int
    draft_id: uuid.UUID
    insured: str
    key_kinds: tuple[str, ...]
    key_values: tuple[str, ...]
    name: str
    content_type: str
    size: int
    sha256: str
    uploaded_at: datetime
    uploaded_by: str
    decision: LetterDecision | None = None
    reason: str = ""
    decided_at: datetime | None = None
    decided_by: str | None = None

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(zip(self.key_kinds, self.key_values, strict=True))


def lifted(conflict: Conflict, keys: Collection[Key], accepted: Collection[Key]) -> Conflict:
    """Leave out the kinds of a conflict for all whose keys a letter was accepted."""
    named = {kind for kind, value in keys if (kind, value) in accepted}
    still = {kind for kind, value in keys if (kind, value) not in accepted}
    return Conflict(conflict.kinds - (named - still), is_own=conflict.is_own)


def problems_of_decision(decision: LetterDecision, reason: str) -> Iterator[Problem]:
    if decision is LetterDecision.REJECTED and not reason.strip():
        yield Problem("reason", "required", "is required: the broker reads it")
    yield from flaws_of_lines(reason, "reason", longest=LONGEST_REASON)
