"""Authenticator apps, recovery codes, and sign-ins that wait for a code."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.domain.access.two_step import ENROLL_WITHIN, SECOND_STEP_WITHIN
from bindery.domain.access.users import User
from bindery.storage.database import Reader, Tx, columns_of, of_table


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStep:
    """A user's authenticator app; without `confirmed_at` it is still being set up."""

    user_id: int
    sealed: bytes
    created_at: datetime
    confirmed_at: datetime | None
    last_step: int
    codes_left: int


async def find(tx: Reader, user_id: int) -> TwoStep | None:
    statement = """
    select user_id, sealed, created_at, confirmed_at, last_step,
           (select count(*) from recovery_codes r where r.user_id = t.user_id and r.used_at is null)
               as codes_left
    from two_step t where user_id = $1
    """
    return await tx.row(TwoStep, statement, user_id)


async def hold(tx: Tx, user_id: int) -> None:
    """Let nobody else check a code of the user until the transaction ends."""
    await tx.execute("select from two_step where user_id = $1 for update", user_id)


async def is_on(tx: Reader, user_id: int) -> bool:
    statement = "select exists (select from two_step where user_id = $1 and confirmed_at is not null)"
    return await tx.value(bool, statement, user_id)


async def begin(tx: Tx, user_id: int, sealed: bytes) -> None:
    """Keep a secret to set up an app with; one that was made just before stays, and so does one in use."""
    statement = """
    insert into two_step (user_id, sealed, created_at) values ($1, $2, $3)
    on conflict (user_id) do update set sealed = excluded.sealed, created_at = excluded.created_at
    where two_step.confirmed_at is null and two_step.created_at <= $4
    """
    await tx.execute(statement, user_id, sealed, tx.real_now, tx.real_now - ENROLL_WITHIN)


async def confirm(tx: Tx, user_id: int, *, step: int) -> None:
    await tx.update("two_step", {"user_id": user_id}, confirmed_at=tx.real_now, last_step=step)


async def take_step(tx: Tx, user_id: int, step: int) -> bool:
    """Use up the code of a step, and of all before it; False if it was used up already."""
    statement = "update two_step set last_step = $2 where user_id = $1 and last_step < $2"
    return await tx.execute(statement, user_id, step) == 1


async def take_recovery_code(tx: Tx, user_id: int, code_sha256: bytes) -> bool:
    statement = """
    update recovery_codes set used_at = $3 where user_id = $1 and code_sha256 = $2 and used_at is null
    """
    return await tx.execute(statement, user_id, code_sha256, tx.real_now) == 1


async def replace_recovery_codes(tx: Tx, user_id: int, hashes: Sequence[bytes]) -> None:
    await tx.execute("delete from recovery_codes where user_id = $1", user_id)
    statement = "insert into recovery_codes (user_id, code_sha256) select $1, unnest($2::bytea[])"
    await tx.execute(statement, user_id, list(hashes))


async def remove(tx: Tx, user_id: int) -> bool:
    """Forget an app with its recovery codes; return whether it was in use."""
    statement = "delete from two_step where user_id = $1 returning confirmed_at is not null"
    return await tx.find_value(bool, statement, user_id) or False


async def sealed_with_other_keys(tx: Reader, key_name: bytes, *, after: int, limit: int) -> list[TwoStep]:
    statement = """
    select user_id, sealed, created_at, confirmed_at, last_step, 0 as codes_left from two_step
    where substring(sealed from 1 for length($1::bytea)) <> $1 and user_id > $2 order by user_id limit $3
    """
    return await tx.rows(TwoStep, statement, key_name, after, limit)


async def replace_sealed(tx: Tx, kept: TwoStep, sealed: bytes) -> None:
    await tx.update("two_step", {"user_id": kept.user_id, "sealed": kept.sealed}, sealed=sealed)


async def begin_sign_in(tx: Tx, user_id: int, token_sha256: bytes) -> None:
    """Note that a user has given the password; what expired of everybody is removed."""
    await tx.execute("delete from half_sign_ins where expires_at < $1", tx.real_now)
    expires_at = tx.real_now + SECOND_STEP_WITHIN
    row = {"token_sha256": token_sha256, "user_id": user_id, "expires_at": expires_at}
    await tx.insert("half_sign_ins", row)


async def find_half(tx: Reader, token_sha256: bytes) -> User | None:
    statement = f"""
    select {of_table("u", columns_of(User))} from half_sign_ins h join users u using (user_id)
    where h.token_sha256 = $1 and h.expires_at > $2 and u.disabled_at is null
    """
    return await tx.row(User, statement, token_sha256, tx.real_now)


async def end_half(tx: Tx, token_sha256: bytes) -> bool:
    return await tx.execute("delete from half_sign_ins where token_sha256 = $1", token_sha256) == 1
