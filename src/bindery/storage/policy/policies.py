"""Binds and policies: one row for each quote whose bind was asked for."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import asyncpg
import msgspec

from bindery.base.errors import AlreadyBound
from bindery.contract.changes import AdditionalInsured
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import Term, read_retroactive
from bindery.domain.policy.bind_ask import BindAsk
from bindery.domain.policy.ending import KeptRequest, read_request
from bindery.domain.policy.nonrenewal import KeptRuling, read_ruling
from bindery.domain.policy.policy import Policy, RenewalRuling, RenewalType, occupied_days
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader, Tx
from bindery.storage.policy import rescans

_COLUMNS = """
    quote_id, company_id, partner_id, product, ask_fingerprint, attested, effective, expiration,
    retroactive, policy_number, bound_on, fulfil_by, issued_on, in_force, renewal_type,
    ended_on, ended_because, returned_premium, renewal_submission_id, renewal_quote_id, renewal_settled,
    reminders_sent, received_on, cancellation_open, lapse_reminders, renewal_ruling
"""


def _policy(row: asyncpg.Record) -> Policy:
    columns = dict(row)
    term = Term(
        effective=columns.pop("effective"),
        expiration=columns.pop("expiration"),
        retroactive=read_retroactive(columns.pop("retroactive")),
    )
    product, renewal_type = InsuranceProduct(row["product"]), RenewalType(row["renewal_type"])
    ruling = RenewalRuling(row["renewal_ruling"]) if row["renewal_ruling"] else None
    read = {"term": term, "product": product, "renewal_type": renewal_type, "renewal_ruling": ruling}
    return Policy(**columns | read)


async def find(tx: Reader, quote_id: uuid.UUID) -> Policy | None:
    row = await tx.connection.fetchrow(f"select {_COLUMNS} from binds where quote_id = $1", quote_id)
    return None if row is None else _policy(row)


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Policy]:
    statement = f"select {_COLUMNS} from binds where quote_id = any($1)"
    return {row["quote_id"]: _policy(row) for row in await tx.connection.fetch(statement, list(quote_ids))}


async def get(tx: Reader, quote_id: uuid.UUID) -> Policy:
    policy = await find(tx, quote_id)
    assert policy is not None, "the bind was recorded when it was asked for"
    return policy


async def additional_insured(tx: Reader, quote_id: uuid.UUID) -> tuple[str, ...]:
    """Return who else is insured, as papers name them."""
    kept = await tx.find_value(str, "select additional_insured from binds where quote_id = $1", quote_id)
    others = msgspec.json.decode(kept or "[]", type=tuple[AdditionalInsured, ...])
    return tuple(f"{other.name}, {other.interest}" if other.interest else other.name for other in others)


async def contacts_of(tx: Reader, quote_id: uuid.UUID) -> str | None:
    return await tx.find_value(str, "select contacts from binds where quote_id = $1", quote_id)


async def receipt_of(tx: Reader, quote_id: uuid.UUID) -> bytes | None:
    receipt = await tx.find_value(str, "select receipt from binds where quote_id = $1", quote_id)
    return None if receipt is None else receipt.encode()


async def keep_receipt(tx: Tx, quote_id: uuid.UUID, receipt: bytes) -> None:
    await _change(tx, quote_id, receipt=receipt.decode())


async def record_ask(
    tx: Tx, quote: Quote, ask: BindAsk, *, renewal_type: RenewalType = RenewalType.AUTO
) -> None:
    await tx.insert(
        "binds",
        {
            "quote_id": quote.quote_id,
            "company_id": quote.company_id,
            "partner_id": quote.partner_id,
            "product": quote.product,
            "asked_at": tx.now,
            "ask_fingerprint": ask.fingerprint,
            "attested": ask.attested,
            "contacts": ask.contacts,
            "effective": ask.term.effective,
            "expiration": ask.term.expiration,
            "retroactive": str(ask.term.retroactive) if ask.term.retroactive else None,
            "renewal_type": renewal_type,
        },
    )


async def forget_ask(tx: Tx, quote_id: uuid.UUID) -> None:
    """Remove a bind that was asked for and never came into force."""
    await tx.execute("delete from binds where quote_id = $1 and policy_number is null", quote_id)


async def next_sequence(tx: Tx) -> int:
    return await tx.value(int, "select nextval('policy_numbers')")


async def put_in_force(
    tx: Tx, policy: Policy, *, number: str, bound_on: date, fulfil_by: date | None
) -> None:
    """Turn a bind into cover.

    Raises:
        AlreadyBound: the company has cover of the line in the period; the database says so.
    """
    await _occupy(
        tx,
        replace(policy, bound_on=bound_on),
        policy_number=number,
        bound_on=bound_on,
        fulfil_by=fulfil_by,
        in_force=True,
        unfinished_since=tx.now,
    )


async def covered_by(tx: Reader, quote: Quote, term: Term) -> Policy | None:
    statement = f"""
    select {_COLUMNS} from binds where occupies && int8range($1, $2) and quote_id <> $3
    order by effective limit 1
    """
    days = occupied_days(quote.company_id, quote.product, term.effective, term.expiration)
    row = await tx.connection.fetchrow(statement, *days, quote.quote_id)
    return None if row is None else _policy(row)


async def issue(tx: Tx, quote_id: uuid.UUID, *, issued_on: date) -> None:
    await _change(tx, quote_id, issued_on=issued_on, unfinished_since=tx.now)


async def mark_finished(tx: Tx, policy: Policy) -> None:
    """Note that everybody has what a bind owes them, unless it has become more since `policy` was read."""
    statement = """
    update binds set unfinished_since = null
    where quote_id = $1 and (issued_on is not null) = $2 and unfinished_since is not null
    """
    await tx.execute(statement, policy.quote_id, policy.is_issued)


async def record_receipt(tx: Tx, quote_id: uuid.UUID, *, received_on: date | None, fulfil_by: date) -> None:
    await _change(tx, quote_id, received_on=received_on, fulfil_by=fulfil_by)


async def open_cancellation(tx: Reader, quote_id: uuid.UUID) -> KeptRequest | None:
    statement = "select cancellation_request from binds where quote_id = $1 and cancellation_open"
    kept = await tx.find_value(str, statement, quote_id)
    return None if kept is None else read_request(kept)


async def canceled_ahead(tx: Reader, company_ids: Sequence[int]) -> dict[int, date]:
    """Return for companies the last day from which a policy is canceled that is still in force until then."""
    statement = """
    select b.company_id, max(b.ended_on) as ended_on from binds b join quotes q using (quote_id)
    where b.company_id = any($1::int[]) and q.status = $2 and b.ended_on > greatest($3::date, b.effective)
    group by b.company_id
    """
    rows = await tx.connection.fetch(statement, list(company_ids), QuoteStatus.POLICY_CANCELED, tx.today)
    return {row["company_id"]: row["ended_on"] for row in rows}


async def request_cancellation(tx: Tx, quote_id: uuid.UUID, request: KeptRequest) -> None:
    kept = msgspec.json.encode(request).decode()
    await _change(tx, quote_id, cancellation_request=kept, cancellation_answer=None, cancellation_open=True)


async def decline_cancellation(tx: Tx, quote_id: uuid.UUID, answer: str) -> None:
    await _change(tx, quote_id, cancellation_answer=answer, cancellation_open=False)


async def end(
    tx: Tx,
    policy: Policy,
    *,
    on: date,
    because: str,
    returned_premium: int | None = None,
    keeps_days: bool = True,
) -> None:
    """End a policy; its days until then stay occupied unless it never counted."""
    await _change(
        tx,
        policy.quote_id,
        in_force=False,
        ended_on=on,
        ended_because=because,
        returned_premium=returned_premium,
        cancellation_open=False,
        occupies=_days(policy, max(on, policy.term.effective)) if keeps_days else None,
    )


async def reinstate(tx: Tx, policy: Policy) -> None:
    """Put a canceled policy back in force.

    Raises:
        AlreadyBound: the company has other cover by now.
    """
    await _occupy(tx, policy, in_force=True, ended_on=None, ended_because=None, returned_premium=None)


async def change_insured(
    tx: Tx,
    quote_id: uuid.UUID,
    *,
    contacts: Mapping[str, Any] | None,
    additional_insured: Sequence[AdditionalInsured] | None,
) -> None:
    """Replace contacts and additional insureds; None leaves them."""
    given = {"contacts": contacts, "additional_insured": additional_insured}
    kept = {name: msgspec.json.encode(value).decode() for name, value in given.items() if value is not None}
    if kept:
        await _change(tx, quote_id, **kept)


async def set_renewal_type(tx: Tx, quote_ids: Sequence[uuid.UUID], renewal_type: RenewalType) -> None:
    statement = "update binds set renewal_type = $2 where quote_id = any($1)"
    await tx.execute(statement, list(quote_ids), renewal_type)


async def record_renewal(
    tx: Tx,
    quote_id: uuid.UUID,
    *,
    submission_id: uuid.UUID | None = None,
    renewal_quote_id: uuid.UUID | None = None,
    settled: bool | None = None,
    reminders_sent: int | None = None,
) -> None:
    noted = {
        "renewal_submission_id": submission_id,
        "renewal_quote_id": renewal_quote_id,
        "renewal_settled": settled,
        "reminders_sent": reminders_sent,
    }
    await _change(tx, quote_id, **{name: value for name, value in noted.items() if value is not None})


async def rule_on_renewal(
    tx: Tx, quote_id: uuid.UUID, ruling: RenewalRuling | None, kept: KeptRuling | None
) -> None:
    """Keep what was decided on a renewal; one that is not made is settled: the timetable passes it over."""
    settled = {"renewal_settled": True} if ruling is RenewalRuling.NOT_RENEWED else {}
    ruled = None if kept is None else msgspec.json.encode(kept).decode()
    await _change(tx, quote_id, renewal_ruling=ruling, renewal_ruled=ruled, **settled)


async def ruling_of(tx: Reader, quote_id: uuid.UUID) -> KeptRuling | None:
    kept = await tx.find_value(str, "select renewal_ruled from binds where quote_id = $1", quote_id)
    return None if kept is None else read_ruling(kept)


async def record_lapse_reminders(tx: Tx, quote_id: uuid.UUID, sent: int) -> None:
    await _change(tx, quote_id, lapse_reminders=sent)


async def forget_renewal(tx: Tx, quote_id: uuid.UUID) -> None:
    """Clear the withdrawn renewal of a policy, so that it can renew if it is reinstated."""
    await _change(
        tx,
        quote_id,
        renewal_submission_id=None,
        renewal_quote_id=None,
        renewal_settled=False,
        reminders_sent=0,
    )


async def _occupy(tx: Tx, policy: Policy, **changes: object) -> None:
    try:
        await _change(tx, policy.quote_id, occupies=_days(policy, policy.term.expiration), **changes)
    except asyncpg.ExclusionViolationError:
        raise AlreadyBound from None
    await rescans.watch(tx, policy)


async def _change(tx: Tx, quote_id: uuid.UUID, **changes: object) -> None:
    await tx.update("binds", {"quote_id": quote_id}, **changes)


def _days(policy: Policy, end: date) -> "asyncpg.Range[int]":
    return asyncpg.Range(*occupied_days(policy.company_id, policy.product, policy.term.effective, end))
