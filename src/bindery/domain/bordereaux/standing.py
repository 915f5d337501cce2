"""Where the bordereau of a month stands, in words: made, sent or late."""

from datetime import date
from enum import StrEnum
from typing import NamedTuple

from bindery.domain.bordereaux.bordereau import Month


class BordereauStanding(StrEnum):
    NOTHING = "nothing"
    OPEN = "open"
    LATE = "late"
    MADE = "made"
    SENT = "sent"


class ToldStanding(NamedTuple):
    standing: BordereauStanding
    text: str


def standing_of(
    month: Month, *, due_on: date, today: date, is_made: bool, sent_on: date | None, has_lines: bool
) -> ToldStanding:
    if sent_on is not None:
        late = (sent_on - due_on).days
        return ToldStanding(BordereauStanding.SENT, f"Sent {_days(late)} late" if late > 0 else "Sent")
    late = (today - due_on).days
    if is_made:
        text = f"Made, not sent: {_days(late)} late" if late > 0 else "Made, not sent"
        return ToldStanding(BordereauStanding.LATE if late > 0 else BordereauStanding.MADE, text)
    if not month.is_over(today):
        return ToldStanding(BordereauStanding.OPEN, "The month is not over")
    if not has_lines:
        return ToldStanding(BordereauStanding.NOTHING, "Nothing was booked")
    if late > 0:
        return ToldStanding(BordereauStanding.LATE, f"Not made: {_days(late)} late")
    return ToldStanding(BordereauStanding.OPEN, "Not made")


def _days(count: int) -> str:
    return f"{count:,} day{'' if count == 1 else 's'}"
