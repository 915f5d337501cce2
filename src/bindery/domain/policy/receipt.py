"""Files that came in for contingencies: what came in time keeps a conditional binder from lapsing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from bindery.contract.documents import UploadFinding
from bindery.domain.policy.contingencies import Contingency

TIME_TO_ANSWER: Final = timedelta(days=10)
"""How long there is at least for what an underwriter asks for after the bind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedFile:
    contingency: str
    received: datetime
    finding: UploadFinding
    asked_again_at: datetime | None = None


def first_files(files: Iterable[ReceivedFile]) -> dict[str, datetime]:
    """Return when the first file came in for each contingency.

    A damaged one does not count: nobody could look at it. Nor does one that came before an underwriter asked
    for it again.
    """
    first: dict[str, datetime] = {}
    for file in sorted(files, key=lambda file: file.received):
        is_answer = file.asked_again_at is None or file.asked_again_at < file.received
        if is_answer and file.finding is not UploadFinding.DAMAGED:
            first.setdefault(file.contingency, file.received)
    return first


def all_received_on(owed: Iterable[Contingency], first: Mapping[str, date]) -> date | None:
    """Return the day on which the last owed file came in; None while one is missing, or nothing is owed."""
    days = [first.get(contingency.contingency_id) for contingency in owed if contingency.is_open]
    known = [day for day in days if day is not None]
    return max(known) if known and len(known) == len(days) else None


def last_day_for_more(fulfil_by: date, today: date) -> date:
    """Return a binder's last day once an underwriter asks for something more, or again."""
    return max(fulfil_by, today + TIME_TO_ANSWER)
