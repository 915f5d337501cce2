"""Passwords and codes that were tried and not found right, and links that were asked for.

Each is counted by itself, by account and by address: somebody who forgot the password has tried it too often
already, and must still get a link.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bindery.domain.access.users import (
    ADDRESS_KNOWN_FOR,
    FAILURES_COUNT_FOR,
    MOST_FAILURES_OF_AN_ACCOUNT,
    MOST_FAILURES_OF_AN_ADDRESS,
)
from bindery.storage.database import Tx


class Tried(StrEnum):
    """What was tried, as the keys of its counts begin."""

    PASSWORD = ""
    CODE = "code "
    LINK = "link "


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    email: str
    address: str
    at: datetime
    tried: Tried = Tried.PASSWORD

    @property
    def keys(self) -> list[str]:
        return [f"{self.tried}account {self.email}", f"{self.tried}address {self.address}"]


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
    """Count an attempt before anything is looked at; False where there were too many already.

    An address from which the account was opened before is held to the limit of addresses alone: nobody who
    merely knows an email address can lock its owner out.
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


async def give_back(tx: Tx, attempt: SignInAttempt) -> None:
    """Uncount an attempt that was right."""
    await tx.execute("delete from sign_in_failures where key = any($1) and at = $2", attempt.keys, attempt.at)


async def forgive(tx: Tx, email: str) -> None:
    """Forget the wrong passwords of an account, whose password is another now."""
    await tx.execute("delete from sign_in_failures where key = $1", f"{Tried.PASSWORD}account {email}")


async def remember_address(tx: Tx, user_id: int, address: str, *, at: datetime) -> None:
    """Remember that the user proved who they are at an address: it passes the lock of the account."""
    statement = "delete from known_addresses where user_id = $1 and seen_at <= $2"
    await tx.execute(statement, user_id, at - ADDRESS_KNOWN_FOR)
    await tx.insert(
        "known_addresses",
        {"user_id": user_id, "address": address, "seen_at": at},
        otherwise="on conflict (user_id, address) do update set seen_at = excluded.seen_at",
    )


async def forget_old(tx: Tx, *, at: datetime) -> None:
    await tx.execute("delete from sign_in_failures where at < $1", at - FAILURES_COUNT_FOR)
