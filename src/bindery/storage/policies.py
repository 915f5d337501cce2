"""Binds and policies: one row for each quote whose bind was asked for."""

import uuid
from collections.abc import Sequence
from datetime import date

import asyncpg
import msgspec

from bindery.base.errors import AlreadyBound
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term, read_retroactive
from bindery.domain.policy.bind_ask import BindAsk
from bindery.domain.policy.cancellation import KeptRequest, read_request
from bindery.domain.policy.policy import Policy, RenewalType, occupied_days
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader, Tx

_COLUMNS = """
    quote_id, company_id, partner_id, product, ask_fingerprint, attested, effective, expiration,
    retroactive, policy_number, bound_on, fulfil_by, issued_on, in_force, renewal_type,
    ended_on, ended_because, returned_premium, renewal_submission_id, renewal_quote_id, renewal_settled,
    reminders_sent
"""


def _policy(row: asyncpg.Record) -> Policy:
    return Policy(
        quote_id=row["quote_id"],
        company_id=row["company_id"],
        partner_id=row["partner_id"],
        product=InsuranceProduct(row["product"]),
        ask_fingerprint=row["ask_fingerprint"],
        attested=row["attested"],
        term=Term(
            effective=row["effective"],
            expiration=row["expiration"],
            retroactive=read_retroactive(row["retroactive"]),
        ),
        policy_number=row["policy_number"],
        bound_on=row["bound_on"],
        fulfil_by=row["fulfil_by"],
        issued_on=row["issued_on"],
        in_force=row["in_force"],
        renewal_type=RenewalType(row["renewal_type"]),
        ended_on=row["ended_on"],
        ended_because=row["ended_because"],
        returned_premium=row["returned_premium"],
        renewal_submission_id=row["renewal_submission_id"],
        renewal_quote_id=row["renewal_quote_id"],
        renewal_settled=row["renewal_settled"],
        reminders_sent=row["reminders_sent"],
    )


async def find(tx: Reader, quote_id: uuid.UUID) -> Policy | None:
    """Find the bind of a quote."""
    row = await tx.connection.fetchrow(f"select {_COLUMNS} from binds where quote_id = $1", quote_id)
    return None if row is None else _policy(row)


async def get(tx: Reader, quote_id: uuid.UUID) -> Policy:
    """Read the bind of a quote for which one was asked."""
    policy = await find(tx, quote_id)
    assert policy is not None, "the bind was recorded when it was asked for"
    return policy


async def contacts_of(tx: Reader, quote_id: uuid.UUID) -> str | None:
    """Return the contacts that came with the bind, as JSON."""
    contacts: str | None = await tx.connection.fetchval(
        "select contacts from binds where quote_id = $1", quote_id
    )
    return contacts


async def receipt_of(tx: Reader, quote_id: uuid.UUID) -> bytes | None:
    """Return the answer that a bind was given, as JSON; None where nobody asked for it."""
    receipt: str | None = await tx.connection.fetchval(
        "select receipt from binds where quote_id = $1", quote_id
    )
    return None if receipt is None else receipt.encode()


async def keep_receipt(tx: Tx, quote_id: uuid.UUID, receipt: bytes) -> None:
    """Keep the answer to a bind."""
    await tx.connection.execute(
        "update binds set receipt = $2 where quote_id = $1", quote_id, receipt.decode()
    )


async def record_ask(
    tx: Tx, quote: Quote, ask: BindAsk, *, renewal_type: RenewalType = RenewalType.AUTO
) -> None:
    """Keep what was asked for."""
    await tx.connection.execute(
        """
        insert into binds (quote_id, company_id, partner_id, product, asked_at, ask_fingerprint, attested,
                           contacts, effective, expiration, retroactive, renewal_type)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """,
        quote.quote_id,
        quote.company_id,
        quote.partner_id,
        quote.product,
        tx.now,
        ask.fingerprint,
        ask.attested,
        ask.contacts,
        ask.term.effective,
        ask.term.expiration,
        str(ask.term.retroactive) if ask.term.retroactive else None,
        renewal_type,
    )


async def next_sequence(tx: Tx) -> int:
    """Draw the next number of a first policy."""
    number: int = await tx.connection.fetchval("select nextval('policy_numbers')")
    return number


async def put_in_force(
    tx: Tx, policy: Policy, *, number: str, bound_on: date, fulfil_by: date | None
) -> None:
    """Turn a bind into cover.

    Raises:
        AlreadyBound: the company has cover of the line in the period; the database says so.
    """
    try:
        await tx.connection.execute(
            """
            update binds set policy_number = $2, bound_on = $3, fulfil_by = $4, in_force = true,
                             occupies = int8range($5, $6), unfinished_since = $7
            where quote_id = $1
            """,
            policy.quote_id,
            number,
            bound_on,
            fulfil_by,
            *_occupied(policy, policy.term.expiration),
            tx.now,
        )
    except asyncpg.ExclusionViolationError:
        raise AlreadyBound from None


async def covered_by(tx: Reader, quote: Quote, term: Term) -> str | None:
    """Return the number of a policy of the line that the company has in the period by another quote."""
    first, last = occupied_days(quote.company_id, quote.product, term.effective, term.expiration)
    number: str | None = await tx.connection.fetchval(
        """
        select policy_number from binds where occupies && int8range($1, $2) and quote_id <> $3
        order by effective limit 1
        """,
        first,
        last,
        quote.quote_id,
    )
    return number


async def issue(tx: Tx, quote_id: uuid.UUID, *, issued_on: date) -> None:
    """Turn a bind into the policy."""
    await tx.connection.execute(
        "update binds set issued_on = $2, unfinished_since = $3 where quote_id = $1",
        quote_id,
        issued_on,
        tx.now,
    )


async def mark_finished(tx: Tx, policy: Policy) -> None:
    """Note that everybody has what a bind owes them, unless it has become more since `policy` was read."""
    await tx.connection.execute(
        """
        update binds set unfinished_since = null
        where quote_id = $1 and (issued_on is not null) = $2 and unfinished_since is not null
        """,
        policy.quote_id,
        policy.is_issued,
    )


async def open_cancellation(tx: Reader, quote_id: uuid.UUID) -> KeptRequest | None:
    """Return the request to cancel a policy that waits for a decision."""
    kept: str | None = await tx.connection.fetchval(
        "select cancellation_request from binds where quote_id = $1 and cancellation_open", quote_id
    )
    return None if kept is None else read_request(kept)


async def request_cancellation(tx: Tx, quote_id: uuid.UUID, request: KeptRequest) -> None:
    """Keep a request to cancel a policy; one that was there before is gone."""
    await tx.connection.execute(
        """
        update binds set cancellation_request = $2, cancellation_answer = null, cancellation_open = true
        where quote_id = $1
        """,
        quote_id,
        msgspec.json.encode(request).decode(),
    )


async def decline_cancellation(tx: Tx, quote_id: uuid.UUID, answer: str) -> None:
    """Keep why a policy is not canceled."""
    await tx.connection.execute(
        "update binds set cancellation_answer = $2, cancellation_open = false where quote_id = $1",
        quote_id,
        answer,
    )


async def end(
    tx: Tx,
    policy: Policy,
    *,
    on: date,
    because: str,
    returned_premium: int | None = None,
    keeps_days: bool = True,
) -> None:
    """Take a policy out of force; its days until then stay occupied unless it never counted."""
    first, last = _occupied(policy, on)
    await tx.connection.execute(
        """
        update binds set in_force = false, ended_on = $2, ended_because = $3, returned_premium = $4,
                         cancellation_open = false,
                         occupies = case when $5 then int8range($6::bigint, greatest($6, $7::bigint)) end
        where quote_id = $1
        """,
        policy.quote_id,
        on,
        because,
        returned_premium,
        keeps_days,
        first,
        last,
    )


async def reinstate(tx: Tx, policy: Policy) -> None:
    """Put a canceled policy back in force.

    Raises:
        AlreadyBound: the company has other cover by now.
    """
    try:
        await tx.connection.execute(
            """
            update binds set in_force = true, ended_on = null, ended_because = null, returned_premium = null,
                             occupies = int8range($2, $3)
            where quote_id = $1
            """,
            policy.quote_id,
            *_occupied(policy, policy.term.expiration),
        )
    except asyncpg.ExclusionViolationError:
        raise AlreadyBound from None


async def set_renewal_type(tx: Tx, quote_ids: Sequence[uuid.UUID], renewal_type: RenewalType) -> None:
    """Whether policies renew by themselves."""
    await tx.connection.execute(
        "update binds set renewal_type = $2 where quote_id = any($1)", list(quote_ids), renewal_type
    )


async def record_renewal(
    tx: Tx,
    quote_id: uuid.UUID,
    *,
    submission_id: uuid.UUID | None = None,
    renewal_quote_id: uuid.UUID | None = None,
    settled: bool | None = None,
    reminders_sent: int | None = None,
) -> None:
    """Note how far the renewal of a policy has come."""
    await tx.connection.execute(
        """
        update binds set
            renewal_submission_id = coalesce($2, renewal_submission_id),
            renewal_quote_id = coalesce($3, renewal_quote_id),
            renewal_settled = coalesce($4, renewal_settled),
            reminders_sent = coalesce($5, reminders_sent)
        where quote_id = $1
        """,
        quote_id,
        submission_id,
        renewal_quote_id,
        settled,
        reminders_sent,
    )


async def forget_renewal(tx: Tx, quote_id: uuid.UUID) -> None:
    """Let a policy whose renewal was withdrawn be renewed anew, should it come back into force."""
    await tx.connection.execute(
        """
        update binds set renewal_submission_id = null, renewal_quote_id = null, renewal_settled = false,
                         reminders_sent = 0
        where quote_id = $1
        """,
        quote_id,
    )


def _occupied(policy: Policy, end: date) -> tuple[int, int]:
    return occupied_days(policy.company_id, policy.product, policy.term.effective, end)
