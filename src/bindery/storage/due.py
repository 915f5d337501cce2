"""What the timetable looks for: what is due by a day, and the next day on which anything will be.

Each question is answered from a partial index, so it costs by what is due, not by what exists.
"""

import uuid
from datetime import date, timedelta

from bindery.storage.database import Tx


async def binders_to_lapse(tx: Tx, today: date, *, limit: int) -> list[uuid.UUID]:
    """Find conditional binders whose last day to fulfil them is past."""
    return await _ids(
        tx,
        "select quote_id from binds where in_force and issued_on is null and fulfil_by < $1 "
        "order by fulfil_by limit $2",
        today,
        limit,
    )


async def next_lapse(tx: Tx) -> date | None:
    """Give the next day on which a binder lapses."""
    return await _day(
        tx, "select min(fulfil_by) from binds where in_force and issued_on is null", timedelta(days=1)
    )


async def policies_to_end(tx: Tx, today: date, *, limit: int) -> list[uuid.UUID]:
    """Find policies whose term is over; one that is to renew by itself and has not been submitted waits for that."""
    return await _ids(
        tx,
        """
        select quote_id from binds
        where in_force and issued_on is not null and expiration <= $1
          and (renewal_type = 'manual' or renewal_submission_id is not null)
        order by expiration limit $2
        """,
        today,
        limit,
    )


async def next_end(tx: Tx) -> date | None:
    """Give the next day on which a policy ends."""
    return await _day(
        tx, "select min(expiration) from binds where in_force and issued_on is not null", timedelta()
    )


async def policies_to_renew(tx: Tx, day: date, *, limit: int) -> list[uuid.UUID]:
    """Find policies that renew by themselves, end by that day, and have no renewal yet."""
    return await _ids(
        tx,
        """
        select quote_id from binds
        where in_force and issued_on is not null and renewal_type = 'auto' and renewal_submission_id is null
          and expiration <= $1
        order by expiration limit $2
        """,
        day,
        limit,
    )


async def next_renewal(tx: Tx, before: timedelta) -> date | None:
    """Give the next day on which a renewal is submitted, that long before the policy ends."""
    return await _day(
        tx,
        """
        select min(expiration) from binds
        where in_force and issued_on is not null and renewal_type = 'auto' and renewal_submission_id is null
        """,
        -before,
    )


async def renewals_to_settle(tx: Tx, today: date, *, limit: int) -> list[uuid.UUID]:
    """Find policies at their end whose renewal was offered and not settled."""
    return await _ids(
        tx,
        """
        select quote_id from binds
        where renewal_quote_id is not null and not renewal_settled and expiration <= $1
        order by expiration limit $2
        """,
        today,
        limit,
    )


async def next_settlement(tx: Tx) -> date | None:
    """Give the next day on which a renewal offer is settled."""
    return await _day(
        tx,
        "select min(expiration) from binds where renewal_quote_id is not null and not renewal_settled",
        timedelta(),
    )


async def renewals_to_remind_of(tx: Tx, day: date, *, already_sent: int, limit: int) -> list[uuid.UUID]:
    """Find policies that end by that day with an open offer and no more than so many reminders sent."""
    return await _ids(
        tx,
        """
        select quote_id from binds
        where renewal_quote_id is not null and not renewal_settled and expiration <= $1 and reminders_sent <= $3
        order by expiration limit $2
        """,
        day,
        limit,
        already_sent,
    )


async def next_reminder(tx: Tx, before: timedelta, *, already_sent: int) -> date | None:
    """Give the next day on which a reminder is due, that long before the policy ends."""
    found: date | None = await tx.connection.fetchval(
        """
        select min(expiration) from binds
        where renewal_quote_id is not null and not renewal_settled and reminders_sent <= $1
        """,
        already_sent,
    )
    return None if found is None else found - before


async def next_expiry(tx: Tx) -> date | None:
    """Give the next day on which an open quote is past its date."""
    return await _day(
        tx,
        "select min(expires_on) from quotes where status in ('published', 'offer_email')",
        timedelta(days=1),
    )


async def oldest_referral(tx: Tx, zone: str) -> date | None:
    """Give the day of the oldest undecided referral, in the given zone."""
    return await _day(
        tx,
        "select (min(referred_at) at time zone $1)::date from quotes where status = 'quote_referred'",
        timedelta(),
        zone,
    )


async def _ids(tx: Tx, query: str, *arguments: object) -> list[uuid.UUID]:
    return [row["quote_id"] for row in await tx.connection.fetch(query, *arguments)]


async def _day(tx: Tx, query: str, later: timedelta, *arguments: object) -> date | None:
    found: date | None = await tx.connection.fetchval(query, *arguments)
    return None if found is None else found + later
