"""What this process found when it last checked the service: the overview shows it without checking again."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from bindery.domain.service_check import Report


class LastCheck:
    def __init__(self) -> None:
        self._report: Report | None = None
        self._checking = asyncio.Lock()

    async def find(
        self, check: Callable[[], Awaitable[Report]], *, now: datetime, fresh_for: timedelta
    ) -> Report:
        """Return the last report, or a new one where that is older; who asks meanwhile waits for the same."""
        async with self._checking:
            if self._report is None or now - self._report.at >= fresh_for:
                self._report = await check()
            return self._report
