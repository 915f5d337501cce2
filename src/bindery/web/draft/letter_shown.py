"""A broker-of-record block and the letter against it, in words."""

from dataclasses import dataclass
from typing import Final

from bindery.domain.quote.clearance import Conflict
from bindery.domain.quote.record_letter import LetterDecision, RecordLetter
from bindery.web.shown.words import Times, day_of_year

BLOCKED: Final = "Another organization was submitted with the same {shared} in the last 60 days."
OWN: Final = "It is one of your own: if it is the same company, take it from the book."
FOREIGN: Final = (
    "Somebody else submitted it: no quote can be sent before an underwriter has accepted the "
    "broker-of-record letter of the insured."
)


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """Why a company cannot be quoted; `does` is what the button says that leads to the letter, if any."""

    text: str
    does: str = ""


def shown_block(conflict: Conflict, letter: RecordLetter | None, times: Times) -> ShownBlock:
    shared = " and ".join(sorted(conflict.kinds, reverse=True))
    blocked = BLOCKED.format(shared=shared)
    if conflict.is_own:
        return ShownBlock(f"{blocked} {OWN}")
    if letter is None:
        return ShownBlock(f"{blocked} {FOREIGN}", "Upload the letter")
    return ShownBlock(f"{blocked} {letter_in_words(letter, times)}", "The letter")


def letter_in_words(letter: RecordLetter, times: Times) -> str:
    """Return where a letter stands."""
    on = day_of_year(letter.uploaded_at.astimezone(times.zone).date())
    match letter.decision:
        case LetterDecision.ACCEPTED:
            # What it was for is lifted: something else is shared by now.
            return f"The letter of {on} was accepted for other domains, or another address."
        case LetterDecision.REJECTED:
            return f"The letter of {on} was not accepted: {letter.reason.strip()}"
        case _:
            return f"Your letter of {on}, {letter.name}, is with an underwriter."
