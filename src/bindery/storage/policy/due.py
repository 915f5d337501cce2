"""Queries of the timetable: rows due by a day, and the earliest day on which anything will be.

Each question is answered from a partial index, so it costs by what is due, not by what exists. What is due is
decided in `domain/`, by the job under its lock; `tests/storage/test_due.py` compares the two.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from bindery.storage.database import Reader
from bindery.storage.jobs.queue import no_live_job


@dataclass(frozen=True, slots=True)
class Waiting:
    """Rows of a table that wait for the day in a column; `condition` implies that of the index.

    Some are not taken on their day, but once they are `ripe` as well.
    """

    table: str
    column: str
    condition: str
    ripe: str = "true"


_OFFERED: Final = "renewal_quote_id is not null and not renewal_settled"

BINDERS_TO_FULFIL: Final = Waiting(
    "binds",
    "fulfil_by",
    # What came in time stays until somebody has looked.
    "in_force and issued_on is null and (received_on is null or received_on > fulfil_by)",
)
TERMS_TO_END: Final = Waiting(
    "binds",
    "expiration",
    "in_force and issued_on is not null",
    # A policy that renews automatically waits until its renewal has been submitted.
    ripe="(renewal_type = 'manual' or renewal_submission_id is not null or renewal_settled)",
)
POLICIES_TO_RENEW: Final = Waiting(
    "binds",
    "expiration",
    "in_force and issued_on is not null and renewal_type = 'auto' and renewal_submission_id is null "
    "and not renewal_settled",
)
RENEWALS_OFFERED: Final = Waiting("binds", "expiration", _OFFERED)
RENEWALS_TO_REMIND_OF: Final = tuple(
    Waiting("binds", "expiration", f"{_OFFERED} and reminders_sent <= {already_sent}")
    for already_sent in (0, 1)
)
BINDERS_TO_REMIND_OF: Final = tuple(
    Waiting("binds", "fulfil_by", f"in_force and issued_on is null and lapse_reminders = {already_sent}")
    for already_sent in (0, 1, 2)
)
QUOTES_TO_REMIND_OF: Final = tuple(
    Waiting("quotes", "expires_on", f"status = 'published' and reminders_sent = {already_sent}")
    for already_sent in (0, 1)
)
POLICIES_TO_RESCAN: Final = Waiting(
    "watched_policies",
    "due_on",
    "true",
    # One that failed for good waits for a person, and must not keep the others from their turn.
    ripe="not exists (select from pgq.pgqueuer f where f.status = 'failed' "
    "and f.dedupe_key = 'rescan_policy:' || watched_policies.quote_id)",
)
OPEN_QUOTES: Final = Waiting("quotes", "expires_on", "status in ('published', 'offer_email')")
REFERRALS: Final = Waiting("quotes", "referred_at", "status = 'quote_referred'")


async def find(tx: Reader, waiting: Waiting, before: date, *, limit: int) -> list[uuid.UUID]:
    statement = f"""
    select quote_id from {waiting.table}
    where {waiting.condition} and {waiting.ripe} and {waiting.column} < $1
    order by {waiting.column} limit $2
    """
    return await tx.column(uuid.UUID, statement, before, limit)


def earliest_statement(waiting: Mapping[str, Waiting]) -> str:
    firsts = (
        f"(select min({what.column}) from {what.table} where {what.condition}) as {name}"
        for name, what in waiting.items()
    )
    return f"select {', '.join(firsts)}"


async def earliest(tx: Reader, waiting: Mapping[str, Waiting]) -> dict[str, date | datetime]:
    """Find the first day of each in one round trip; names without any are left out."""
    (row,) = await tx.connection.fetch(earliest_statement(waiting))
    return {name: day for name, day in row.items() if day is not None}


async def binds_unfinished(
    tx: Reader, *, issued: bool, before: datetime, without: str, limit: int
) -> list[uuid.UUID]:
    """Find binds, or issuances, that have owed documents or an event since then and have no job."""
    statement = f"""
    select quote_id from binds b
    where unfinished_since < $1 and (issued_on is not null) = $3 and {no_live_job("$4", "b.quote_id")}
    order by unfinished_since limit $2
    """
    return await tx.column(uuid.UUID, statement, before, limit, issued, without)
