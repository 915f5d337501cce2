from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.domain.access.users import IDLE_AT_MOST, SIGNED_IN_AT_MOST, Role, User
from bindery.storage.access import password_links
from bindery.storage.database import Connection, Reader, Tx, columns_of, of_table, read_row
from bindery.storage.list_pages import Cursor, ListPage, page_of_list

_COLUMNS = columns_of(User)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A user in one browser; the next page shows `banner`."""

    user: User
    token_sha256: bytes
    confirmed_at: datetime
    banner: str | None
    worker_silent_for: timedelta | None
    """Read for operators only."""
    was_just_here: bool = False
    """Whether `seen_at` was updated within the last minute."""


@dataclass(frozen=True, slots=True)
class SignIn:
    token_sha256: bytes
    created_at: datetime
    seen_at: datetime
    address: str
    browser: str


@dataclass(frozen=True, slots=True)
class UserRecord:
    user_id: int
    email: str
    name: str
    role: str
    partner_name: str | None
    created_at: datetime
    disabled_at: datetime | None
    seen_at: datetime | None
    two_step_since: datetime | None
    has_password: bool
    invited_until: datetime | None
    """Until when the newest invitation works, or did."""


async def add(
    tx: Tx, *, email: str, name: str, role: Role, partner_id: int | None, password_hash: str | None
) -> User | None:
    statement = f"""
    insert into users (email, name, role, partner_id, password_hash, created_at)
    values (lower($1), $2, $3, $4, $5, $6) on conflict (email) do nothing returning {_COLUMNS}
    """
    return await tx.row(User, statement, email, name, role, partner_id, password_hash, tx.now)


async def find_by_email(tx: Reader, email: str) -> tuple[User, str | None] | None:
    statement = f"select {_COLUMNS}, password_hash from users where email = lower($1) and disabled_at is null"
    row = await tx.connection.fetchrow(statement, email)
    return None if row is None else (read_row(User, row), row["password_hash"])


async def find(tx: Reader, user_id: int) -> User | None:
    """Find a user, disabled ones included."""
    return await tx.row(User, f"select {_COLUMNS} from users where user_id = $1", user_id)


async def name_of(tx: Reader, user_id: int, *, role: Role) -> str | None:
    statement = "select name from users where user_id = $1 and role = $2 and disabled_at is null"
    return await tx.find_value(str, statement, user_id, role)


async def names_by_email(tx: Reader, emails: Collection[str], *, role: Role) -> dict[str, str]:
    """Return names by address, disabled users included; a user without a name is shown by the address."""
    statement = "select email, name from users where email = any($1) and role = $2"
    rows = await tx.connection.fetch(statement, list(emails), role)
    return {row["email"]: row["name"] or row["email"] for row in rows}


async def names_of_actors(tx: Reader, actors: Collection[str]) -> dict[str, str]:
    """Return the names of those actors of a journal who are users."""
    rows = await tx.connection.fetch("select email, name from users where email = any($1)", list(actors))
    return {row["email"]: row["name"] or row["email"] for row in rows}


async def named(tx: Reader, role: Role) -> list[tuple[int, str]]:
    rows = await tx.connection.fetch(
        "select user_id, name from users where role = $1 and disabled_at is null order by name, user_id", role
    )
    return [(row["user_id"], row["name"]) for row in rows]


_RECORDS: Final = """
select u.user_id, u.email, u.name, u.role, p.name as partner_name, u.created_at, u.disabled_at,
       (select max(s.seen_at) from sign_ins s where s.user_id = u.user_id) as seen_at,
       (select t.confirmed_at from two_step t where t.user_id = u.user_id) as two_step_since,
       u.password_hash is not null as has_password,
       (select max(l.expires_at) from password_links l
        where l.user_id = u.user_id and l.is_invitation) as invited_until
from users u left join partners p using (partner_id)
"""


async def find_record(tx: Reader, user_id: int) -> UserRecord | None:
    return next(iter(await list_users(tx, user_id=user_id)), None)


async def find_record_by_email(tx: Reader, email: str) -> UserRecord | None:
    return await tx.row(UserRecord, f"{_RECORDS} where u.email = lower($1)", email)


async def list_users(tx: Reader, *, user_id: int | None = None) -> list[UserRecord]:
    return await tx.rows(
        UserRecord,
        f"{_RECORDS} where $1::int is null or u.user_id = $1 order by u.role, u.email",
        user_id,
    )


async def page_of_users(tx: Reader, *, cursor: Cursor | None, limit: int) -> ListPage[UserRecord]:
    return await page_of_list(
        tx,
        UserRecord,
        f"{_RECORDS} where true",
        order=("u.email",),
        place="select email from users where user_id = {}",
        key="user_id",
        cursor=cursor,
        limit=limit,
    )


async def set_password(tx: Tx, user_id: int, password_hash: str) -> None:
    """Set a password, and end every sign-in and every link to set one."""
    await tx.update("users", {"user_id": user_id}, password_hash=password_hash)
    await password_links.remove_all(tx, user_id)
    await sign_out_everywhere(tx, user_id)


async def set_disabled(tx: Tx, user_id: int, *, at: datetime | None) -> None:
    """Disable an account and sign the user out everywhere; None enables it again."""
    await tx.update("users", {"user_id": user_id}, disabled_at=at)
    if at is not None:
        await password_links.remove_all(tx, user_id)
        await sign_out_everywhere(tx, user_id)


async def set_role(tx: Tx, user_id: int, *, role: Role, partner_id: int | None) -> bool:
    change = """
    update users set role = $2, partner_id = $3
    where user_id = $1 and (role, partner_id) is distinct from ($2, $3)
    """
    is_new = await tx.execute(change, user_id, role, partner_id) == 1
    if is_new:
        await sign_out_everywhere(tx, user_id)
    return is_new


async def set_scheme(tx: Tx, user_id: int, scheme: str) -> None:
    await tx.update("users", {"user_id": user_id}, scheme=scheme)


async def set_has_keys(tx: Tx, user_id: int, *, has_keys: bool) -> None:
    await tx.update("users", {"user_id": user_id}, has_keys=has_keys)


async def record_sign_in(
    tx: Tx, user_id: int, *, token_sha256: bytes, at: datetime, address: str, browser: str
) -> None:
    await tx.execute("delete from sign_ins where expires_at < $1", at)
    await tx.insert(
        "sign_ins",
        {
            "token_sha256": token_sha256,
            "user_id": user_id,
            "created_at": at,
            "seen_at": at,
            "expires_at": at + SIGNED_IN_AT_MOST,
            "address": address,
            "browser": browser,
            "confirmed_at": at,
        },
    )


_SIGNED_IN: Final = f"""
    select {of_table("u", _COLUMNS)}, s.token_sha256,
           s.confirmed_at, s.banner,
           case when u.role = 'operator' then (select now() - max(seen_at) from workers) end
               as worker_silent_for,
           s.seen_at > $2::timestamptz - interval '1 minute' as was_just_here
    from sign_ins s join users u using (user_id)
    where s.token_sha256 = $1 and s.expires_at > $2 and s.seen_at > $3 and u.disabled_at is null
"""


async def find_signed_in(connection: Connection, token_sha256: bytes, *, at: datetime) -> SignedIn | None:
    """Find the user signed in with a token, unless it has expired or the account is disabled.

    Signing in lives by real time, so that no page reads the demo's clock to learn its visitor.
    """
    row = await connection.fetchrow(_SIGNED_IN, token_sha256, at, at - IDLE_AT_MOST)
    return None if row is None else read_row(SignedIn, row, user=read_row(User, row))


async def touch(connection: Connection, token_sha256: bytes, *, at: datetime, is_banner_shown: bool) -> None:
    statement = """
    update sign_ins set seen_at = $2, banner = case when $3 then null else banner end
    where token_sha256 = $1 and ($3 or seen_at < $2::timestamptz - interval '1 minute')
    """
    await connection.execute(statement, token_sha256, at, is_banner_shown)


async def put_banner(connection: Connection, token_sha256: bytes, banner: str) -> None:
    await connection.execute("update sign_ins set banner = $2 where token_sha256 = $1", token_sha256, banner)


async def confirm(tx: Tx, token_sha256: bytes, *, at: datetime) -> None:
    await tx.update("sign_ins", {"token_sha256": token_sha256}, confirmed_at=at)


async def sign_ins_of(tx: Reader, user_id: int, *, at: datetime) -> list[SignIn]:
    statement = """
    select token_sha256, created_at, seen_at, address, browser from sign_ins
    where user_id = $1 and expires_at > $2 order by seen_at desc
    """
    return await tx.rows(SignIn, statement, user_id, at)


async def sign_out(tx: Tx, token_sha256: bytes) -> None:
    await tx.execute("delete from sign_ins where token_sha256 = $1", token_sha256)


async def sign_out_everywhere(tx: Tx, user_id: int) -> None:
    """End every sign-in of a user, also those that wait for a code."""
    await tx.execute("delete from half_sign_ins where user_id = $1", user_id)
    await tx.execute("delete from sign_ins where user_id = $1", user_id)
