from datetime import UTC, datetime


class Clock:
    """The one place that reads the time.

    Tokens and signatures follow it. Dates, deadlines and retries follow business time, which the demo may
    move: that is read from the database, as `now` and `today` of whoever reads there.
    """

    @staticmethod
    def real_now() -> datetime:
        """Return the real time, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one reader of the clock
