import re
from calendar import month_name, monthrange
from datetime import MINYEAR, UTC, datetime
from typing import Final

_DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


class Clock:
    """The one place that reads the time.

    Tokens and signatures follow it. Dates, deadlines and retries follow business time, which the demo may
    move: that is read from the database, as `now` and `today` of a transaction.
    """

    @staticmethod
    def real_now() -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - the one reader of the clock


def in_utc(moment: datetime) -> datetime | None:
    """Return a moment with a zone in UTC; None where UTC has no year for it, so that nothing can keep it."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return None


def read_moment(text: str) -> datetime | None:
    """Read a moment with its zone; None where it cannot be read, has no zone, or does not exist in UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return in_utc(found) if found.tzinfo is not None else None


def flaw_of_day(text: str) -> str:
    """Explain why a text is no date: it is written otherwise, or the calendar has no such day."""
    found = _DAY.fullmatch(text)
    if found is None:
        return "must be a date, yyyy-mm-dd"
    year, month, day = map(int, found.groups())
    if year < MINYEAR:
        return "must be a date of the calendar: there is no year 0"
    if not 1 <= month < len(month_name):
        return f"must be a date of the calendar: there is no month {month}"
    if not 1 <= day <= monthrange(year, month)[1]:
        return f"must be a date of the calendar: there is no {month_name[month]} {day} in {year}"
    return "must be a date, yyyy-mm-dd"
