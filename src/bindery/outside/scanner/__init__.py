"""Scanners look at an applicant's domains from outside: the live one, and a simulated one for demos."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bindery.domain.scan.scan import ScanResult


class Scanner(Protocol):
    name: str
    """The scanner and the edition of its checks, as reports show it."""
    is_worth_keeping: bool
    """Whether a result is kept for a day rather than asked for again."""

    async def scan_each(self, domains: Sequence[str], *, at: datetime) -> tuple[ScanResult, ...]:
        """Scan some domains and return one result for each, in order.

        A domain that could not be scanned has the outcome `failed`: it may be tried again.
        """
        ...
