"""Passwords that were tried and not found right, counted by account and by address."""

from dataclasses import dataclass
from datetime import datetime

from bindery.domain.access.users import (
    ADDRESS_KNOWN_FOR,
    FAILURES_COUNT_FOR,
    MOST_FAILURES_OF_AN_ACCOUNT,
    MOST_FAILURES_OF_AN_ADDRESS,
)
from bindery.storage.database import Tx


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    email: str
    address: str
    at: datetime

    @property
    def keys(self) -> list[str]:
        return [f"account {self.email}", f"address {self.address}"]


_HOLD = """
select pg_advisory_xact_lock(n)
from (select hashtextextended(key, 0) as n from unnest($1::text[]) as key order by n) as held
"""

_SPEND = """
with recent as (
    select count(*) filter (where key = ($1::text[])[1]) as of_account,
           count(*) filter (where key = ($1::text[])[2]) as of_address
    from sign_in_failures where key = any($1::text[]) and at > $3
), known as (
    select exists (select from known_addresses k join users u using (user_id)
                   where u.email = $4 and k.address = $5 and k.seen_at > $6) as is_known
), spent as (
    insert into sign_in_failures (key, at)
    select unnest($1::text[]), $2 from recent, known
    where of_address < $8 and (of_account < $7 or is_known)
    returning key
)
select exists (select from spent)
"""


async def spend(tx: Tx, attempt: SignInAttempt) -> bool:
    """Count an attempt before its password is looked at; False where there were too many already.

    An address from which the account was opened before is held to the limit of addresses alone: nobody who
    merely knows an e-mail address can lock its owner out.
    """
    # First and by itself: a statement counts what was there when it began, not when its lock was free.
    await tx.execute(_HOLD, attempt.keys)
    return await tx.value(
        bool,
        _SPEND,
        attempt.keys,
        attempt.at,
        attempt.at - FAILURES_COUNT_FOR,
        attempt.email,
        attempt.address,
        attempt.at - ADDRESS_KNOWN_FOR,
        MOST_FAILURES_OF_AN_ACCOUNT,
        MOST_FAILURES_OF_AN_ADDRESS,
    )


async def give_back(tx: Tx, attempt: SignInAttempt, *, user_id: int) -> None:
    """Take back an attempt whose password was right, and remember its address."""
    await tx.execute("delete from sign_in_failures where key = any($1) and at = $2", attempt.keys, attempt.at)
    statement = "delete from known_addresses where user_id = $1 and seen_at <= $2"
    await tx.execute(statement, user_id, attempt.at - ADDRESS_KNOWN_FOR)
    await tx.insert(
        "known_addresses",
        {"user_id": user_id, "address": attempt.address, "seen_at": attempt.at},
        otherwise="on conflict (user_id, address) do update set seen_at = excluded.seen_at",
    )


async def forget_old(tx: Tx, *, at: datetime) -> None:
    await tx.execute("delete from sign_in_failures where at < $1", at - FAILURES_COUNT_FOR)
