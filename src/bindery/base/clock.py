from datetime import UTC, datetime


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
