from datetime import UTC, datetime, timedelta


class Clock:
    """The one place that reads the time.

    `now` is business time: dates, deadlines and retries follow it, and the demo may move it.
    `real_now` is what the wall says: tokens, sessions and logs follow that.
    """

    def __init__(self, offset: timedelta = timedelta()) -> None:
        self.offset = offset

    def now(self) -> datetime:
        """Return the business time, in UTC."""
        return self.real_now() + self.offset

    @staticmethod
    def real_now() -> datetime:
        """Return the real time, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one reader of the clock
