"""Changes of policies during their term, from the request until they are issued or not."""

import uuid
from dataclasses import dataclass

import asyncpg
import msgspec

from bindery.contract.changes import ChangeStatus, PolicyChangeAsk
from bindery.domain.policy.changing import PricedChange
from bindery.domain.policy.kept_change import KeptChange
from bindery.storage.database import Reader, Tx, read_row

OPEN = (ChangeStatus.QUOTED, ChangeStatus.REFERRED)
_COLUMNS = """
    change_id, quote_id, status, effective, asked, priced, valid_until, requested_at, requested_by,
    settled_at, settled_by, answer, endorsement
"""
_read_ask = msgspec.json.Decoder(PolicyChangeAsk).decode
_read_priced = msgspec.json.Decoder(PricedChange).decode


def _from_row(row: asyncpg.Record) -> KeptChange:
    read = {"asked": _read_ask(row["asked"]), "priced": _read_priced(row["priced"])}
    return KeptChange(**{**row, **read, "status": ChangeStatus(row["status"])})


async def find(tx: Reader, quote_id: uuid.UUID, change_id: uuid.UUID) -> KeptChange | None:
    statement = f"select {_COLUMNS} from policy_changes where quote_id = $1 and change_id = $2"
    row = await tx.connection.fetchrow(statement, quote_id, change_id)
    return None if row is None else _from_row(row)


async def of_policy(tx: Reader, quote_id: uuid.UUID) -> list[KeptChange]:
    """Return the changes of a policy, the newest first."""
    statement = f"""
    select {_COLUMNS} from policy_changes where quote_id = $1 order by requested_at desc, change_id desc
    """
    return [_from_row(row) for row in await tx.connection.fetch(statement, quote_id)]


async def newest(tx: Reader, quote_id: uuid.UUID) -> KeptChange | None:
    return (await newest_of(tx, [quote_id])).get(quote_id)


async def newest_of(tx: Reader, quote_ids: list[uuid.UUID]) -> dict[uuid.UUID, KeptChange]:
    """Return the newest change of each policy that has one."""
    statement = f"""
    select newest.* from unnest($1::uuid[]) policy(quote_id), lateral (
        select {_COLUMNS} from policy_changes c
        where c.quote_id = policy.quote_id order by requested_at desc, change_id desc limit 1) newest
    """
    rows = await tx.connection.fetch(statement, quote_ids)
    return {row["quote_id"]: _from_row(row) for row in rows}


async def find_open(tx: Reader, quote_id: uuid.UUID) -> KeptChange | None:
    statement = f"select {_COLUMNS} from policy_changes where quote_id = $1 and status = any($2)"
    row = await tx.connection.fetchrow(statement, quote_id, list(OPEN))
    return None if row is None else _from_row(row)


async def add(
    tx: Tx,
    quote_id: uuid.UUID,
    change_id: uuid.UUID,
    asked: PolicyChangeAsk,
    priced: PricedChange,
    *,
    by: str,
) -> None:
    await tx.insert(
        "policy_changes",
        {
            "change_id": change_id,
            "quote_id": quote_id,
            "status": ChangeStatus.QUOTED,
            "effective": priced.effective,
            "asked": msgspec.json.encode(asked).decode(),
            "priced": msgspec.json.encode(priced).decode(),
            "reasons": [referral.code for referral in priced.referrals],
            "valid_until": priced.valid_until,
            "requested_at": tx.now,
            "requested_by": by,
        },
    )


async def expire(tx: Tx, quote_id: uuid.UUID) -> None:
    """Mark the change of a locked policy that nobody has accepted in time."""
    statement = """
    update policy_changes set status = 'expired', settled_at = $2
    where quote_id = $1 and status = 'quoted' and valid_until < $3
    """
    await tx.execute(statement, quote_id, tx.now, tx.today)


async def refer(tx: Tx, change_id: uuid.UUID, priced: PricedChange) -> None:
    await tx.update(
        "policy_changes",
        {"change_id": change_id},
        status=ChangeStatus.REFERRED,
        priced=msgspec.json.encode(priced).decode(),
        reasons=[referral.code for referral in priced.referrals],
    )


async def count_issued(tx: Reader, quote_id: uuid.UUID) -> int:
    statement = "select count(*) from policy_changes where quote_id = $1 and status = 'issued'"
    return await tx.value(int, statement, quote_id)


async def settle(
    tx: Tx, change_id: uuid.UUID, status: ChangeStatus, *, by: str, answer: str | None = None
) -> None:
    await tx.update(
        "policy_changes",
        {"change_id": change_id},
        status=status,
        settled_at=tx.now,
        settled_by=by,
        answer=answer,
    )


async def issue(
    tx: Tx, change_id: uuid.UUID, *, by: str, answer: str | None, endorsement: int, journal_entry: int
) -> None:
    await tx.update(
        "policy_changes",
        {"change_id": change_id},
        status=ChangeStatus.ISSUED,
        settled_at=tx.now,
        settled_by=by,
        answer=answer,
        endorsement=endorsement,
        journal_entry=journal_entry,
    )


async def withdraw_open(tx: Tx, quote_id: uuid.UUID, *, by: str) -> None:
    """Take back the open change of a policy that ends."""
    statement = """
    update policy_changes set status = 'withdrawn', settled_at = $2, settled_by = $3
    where quote_id = $1 and status = any($4)
    """
    await tx.execute(statement, quote_id, tx.now, by, list(OPEN))


@dataclass(frozen=True, slots=True, kw_only=True)
class BindNow:
    """What a bind keeps of its insured beside the submission, both as JSON."""

    contacts: str | None
    additional_insured: str | None


async def bind_now(tx: Reader, quote_id: uuid.UUID) -> BindNow:
    row = await tx.connection.fetchrow(
        "select contacts, additional_insured from binds where quote_id = $1", quote_id
    )
    assert row is not None, "a policy has a bind"
    return read_row(BindNow, row)
