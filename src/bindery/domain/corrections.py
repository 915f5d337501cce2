"""What a request asked for and the quote does not carry as it was sent."""

from dataclasses import dataclass
from typing import Final

RETENTION_RAISED: Final = "retention_raised"
NO_EFFECT: Final = "no_effect"
ZIP_OUTSIDE_STATE: Final = "zip_outside_state"


@dataclass(frozen=True, slots=True)
class Correction:
    """Something that was asked for and is quoted otherwise; partner and underwriter read the same words.

    `given` is None where nothing takes its place.
    """

    field: str
    asked: int | str | None
    given: int | str | None
    text: str
    code: str = RETENTION_RAISED
