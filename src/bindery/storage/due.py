"""What the timetable looks for: what is due by a day, and the earliest day on which anything will be.

Each question is answered from a partial index, so it costs by what is due, not by what exists.
"""

import uuid
from dataclasses import dataclass
from datetime import date, datetime

from bindery.storage.database import Reader
from bindery.storage.queue import no_live_job

_TO_RENEW = (
    "in_force and issued_on is not null and renewal_type = 'auto' and renewal_submission_id is null "
    "and not renewal_settled"
)
_OFFERED = "renewal_quote_id is not null and not renewal_settled"

_EARLIEST = f"""
select
    (select min(expiration) from binds where {_TO_RENEW}) as end_to_renew,
    (select min(expiration) from binds where {_OFFERED}) as end_with_offer,
    (select min(expiration) from binds where {_OFFERED} and reminders_sent <= 0) as end_to_remind_of,
    (select min(expiration) from binds where {_OFFERED} and reminders_sent <= 1) as end_to_remind_of_again,
    (select min(expiration) from binds where in_force and issued_on is not null) as end_of_term,
    (select min(fulfil_by) from binds where in_force and issued_on is null) as fulfil_by,
    (select min(expires_on) from quotes where status in ('published', 'offer_email')) as expires_on,
    (select min(referred_at) from quotes where status = 'quote_referred') as referred_at
"""


@dataclass(frozen=True, slots=True)
class Earliest:
    """The first of each date that something waits for."""

    end_to_renew: date | None
    end_with_offer: date | None
    end_to_remind_of: date | None
    end_to_remind_of_again: date | None
    end_of_term: date | None
    fulfil_by: date | None
    expires_on: date | None
    referred_at: datetime | None


async def earliest(tx: Reader) -> Earliest:
    """Look in one round trip for the first of everything that is waited for."""
    row = await tx.connection.fetchrow(_EARLIEST)
    assert row is not None, "a query without a table has one row"
    return Earliest(*row)


async def binders_to_lapse(tx: Reader, today: date, *, limit: int) -> list[uuid.UUID]:
    """Find conditional binders whose last day to fulfil them is past."""
    return await _ids(
        tx,
        "select quote_id from binds where in_force and issued_on is null and fulfil_by < $1 "
        "order by fulfil_by limit $2",
        today,
        limit,
    )


async def policies_to_end(tx: Reader, today: date, *, limit: int) -> list[uuid.UUID]:
    """Find policies whose term is over; one that renews by itself waits until it has been submitted."""
    return await _ids(
        tx,
        """
        select quote_id from binds
        where in_force and issued_on is not null and expiration <= $1
          and (renewal_type = 'manual' or renewal_submission_id is not null or renewal_settled)
        order by expiration limit $2
        """,
        today,
        limit,
    )


async def policies_to_renew(tx: Reader, day: date, *, limit: int) -> list[uuid.UUID]:
    """Find policies that renew by themselves, end by that day, and have no renewal yet."""
    return await _ids(
        tx,
        f"select quote_id from binds where {_TO_RENEW} and expiration <= $1 order by expiration limit $2",
        day,
        limit,
    )


async def renewals_to_settle(tx: Reader, today: date, *, limit: int) -> list[uuid.UUID]:
    """Find policies at their end whose renewal was offered and not settled."""
    return await _ids(
        tx,
        f"select quote_id from binds where {_OFFERED} and expiration <= $1 order by expiration limit $2",
        today,
        limit,
    )


async def renewals_to_remind_of(tx: Reader, day: date, *, already_sent: int, limit: int) -> list[uuid.UUID]:
    """Find policies that end by that day with an open offer and no more than so many reminders sent."""
    return await _ids(
        tx,
        f"""
        select quote_id from binds where {_OFFERED} and expiration <= $1 and reminders_sent <= $3
        order by expiration limit $2
        """,
        day,
        limit,
        already_sent,
    )


async def binds_unfinished(
    tx: Reader, *, issued: bool, before: datetime, without: str, limit: int
) -> list[uuid.UUID]:
    """Find binds, or issuances, that have owed papers or an event since then and have no job."""
    return await _ids(
        tx,
        f"""
        select quote_id from binds b
        where unfinished_since < $1 and (issued_on is not null) = $3 and {no_live_job("$4", "b.quote_id")}
        order by unfinished_since limit $2
        """,
        before,
        limit,
        issued,
        without,
    )


async def _ids(tx: Reader, query: str, *arguments: object) -> list[uuid.UUID]:
    return [row["quote_id"] for row in await tx.connection.fetch(query, *arguments)]
