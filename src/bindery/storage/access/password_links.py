from datetime import datetime, timedelta

from bindery.domain.access.users import LINK_LASTS, User
from bindery.storage.database import Reader, Tx, columns_of, of_table


async def add(
    tx: Tx,
    user_id: int,
    token_sha256: bytes,
    *,
    lasts: timedelta = LINK_LASTS,
    is_invitation: bool = False,
) -> datetime:
    """Keep a new link of a user and return when it expires; expired ones of everybody are removed."""
    expires_at = tx.real_now + lasts
    await tx.execute("delete from password_links where expires_at < $1", tx.real_now)
    row = {
        "token_sha256": token_sha256,
        "user_id": user_id,
        "expires_at": expires_at,
        "is_invitation": is_invitation,
    }
    await tx.insert("password_links", row)
    return expires_at


async def find_user(tx: Reader, token_sha256: bytes) -> User | None:
    """Find whose link it is, unless it has expired or the account is disabled."""
    statement = f"""
    select {of_table("u", columns_of(User))} from password_links l join users u using (user_id)
    where l.token_sha256 = $1 and l.expires_at > $2 and u.disabled_at is null
    """
    return await tx.row(User, statement, token_sha256, tx.real_now)


async def use(tx: Tx, token_sha256: bytes) -> bool | None:
    """Use a link up and return whether it was an invitation.

    None if somebody was first, it has expired, or the account is disabled.
    """
    statement = """
    delete from password_links l using users u
    where l.token_sha256 = $1 and l.expires_at > $2 and u.user_id = l.user_id and u.disabled_at is null
    returning l.is_invitation
    """
    return await tx.find_value(bool, statement, token_sha256, tx.real_now)


async def remove_invitations(tx: Tx, user_id: int) -> bool:
    """Remove a user's invitations, and return whether one of them still worked."""
    statement = "delete from password_links where user_id = $1 and is_invitation returning expires_at"
    ends = await tx.column(datetime, statement, user_id)
    return any(expires_at > tx.real_now for expires_at in ends)


async def remove_all(tx: Tx, user_id: int) -> None:
    await tx.execute("delete from password_links where user_id = $1", user_id)
