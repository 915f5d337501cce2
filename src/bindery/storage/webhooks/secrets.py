from dataclasses import dataclass
from datetime import datetime, timedelta

from bindery.storage.database import Reader, Tx


@dataclass(frozen=True, slots=True)
class SealedSecret:
    secret_id: int
    partner_id: int
    sealed: bytes


async def hold(tx: Tx, partner_id: int) -> None:
    await tx.execute("select from partners where partner_id = $1 for no key update", partner_id)


async def has_current(tx: Reader, partner_id: int) -> bool:
    statement = "select exists (select from webhook_secrets where partner_id = $1 and retires_at is null)"
    return await tx.value(bool, statement, partner_id)


async def retire_current(tx: Tx, partner_id: int, *, after: timedelta) -> datetime | None:
    statement = """
    update webhook_secrets set retires_at = $2 where partner_id = $1 and retires_at is null
    returning retires_at
    """
    return await tx.find_value(datetime, statement, partner_id, tx.now + after)


async def forget_retired(tx: Tx, partner_id: int, *, keep: int) -> None:
    """Remove the secrets that sign no more, and all but the newest of those that do."""
    statement = """
    delete from webhook_secrets where partner_id = $1 and (retires_at <= $2 or secret_id not in (
        select secret_id from webhook_secrets where partner_id = $1 order by secret_id desc limit $3
    ))
    """
    await tx.execute(statement, partner_id, tx.now, keep)


async def add(tx: Tx, partner_id: int, sealed: bytes) -> None:
    row = {"partner_id": partner_id, "sealed": sealed, "created_at": tx.now}
    await tx.insert("webhook_secrets", row)


async def sealed_with_other_keys(
    tx: Reader, key_name: bytes, *, after: int, limit: int
) -> list[SealedSecret]:
    statement = """
    select secret_id, partner_id, sealed from webhook_secrets
    where substring(sealed from 1 for length($1::bytea)) <> $1 and secret_id > $2
    order by secret_id limit $3
    """
    return await tx.rows(SealedSecret, statement, key_name, after, limit)


async def replace_sealed(tx: Tx, kept: SealedSecret, sealed: bytes) -> None:
    unchanged = {"secret_id": kept.secret_id, "sealed": kept.sealed}
    await tx.update("webhook_secrets", unchanged, sealed=sealed)
