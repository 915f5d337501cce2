"""The newest code of each link, by its hash."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from bindery.domain.signing.signing import CODE_LASTS, MOST_TRIES_OF_A_CODE
from bindery.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCode:
    code_sha256: bytes
    expires_at: datetime
    tries: int
    used_at: datetime | None


async def replace(tx: Tx, link_id: uuid.UUID, code_sha256: bytes) -> datetime:
    """Keep a new code in place of the one before, and return until when it works."""
    expires_at = tx.real_now + CODE_LASTS
    await tx.insert(
        "signing_codes",
        {
            "link_id": link_id,
            "code_sha256": code_sha256,
            "sent_at": tx.real_now,
            "expires_at": expires_at,
        },
        otherwise="""
        on conflict (link_id) do update set code_sha256 = excluded.code_sha256, sent_at = excluded.sent_at,
            expires_at = excluded.expires_at, tries = 0, used_at = null
        """,
    )
    return expires_at


async def spend(tx: Tx, link_id: uuid.UUID) -> KeptCode | None:
    """Count a try and return the code to compare with, if it has tries left and still works."""
    statement = """
    update signing_codes set tries = tries + 1
    where link_id = $1 and tries < $2 and expires_at > $3 and used_at is null
    returning code_sha256, expires_at, tries, used_at
    """
    return await tx.row(KeptCode, statement, link_id, MOST_TRIES_OF_A_CODE, tx.real_now)


async def give_back(tx: Tx, link_id: uuid.UUID) -> None:
    """Uncount a try that was right; the code is used up with the signature."""
    await tx.execute("update signing_codes set tries = tries - 1 where link_id = $1", link_id)


async def use(tx: Tx, link_id: uuid.UUID, code_sha256: bytes) -> bool:
    """Use a code up; False if it was used, or another one was asked for since it was compared."""
    statement = """
    update signing_codes set used_at = $3 where link_id = $1 and code_sha256 = $2 and used_at is null
    """
    return await tx.execute(statement, link_id, code_sha256, tx.real_now) == 1
