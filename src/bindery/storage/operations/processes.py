"""Processes that are alive: of which version, on which host, and what they know of the tables."""

import uuid
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from bindery.storage.database import Tx

FORGOTTEN_AFTER: Final = timedelta(days=1)


class ProcessKind(StrEnum):
    SERVE = "serve"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class LivingProcess:
    process_id: uuid.UUID
    kind: ProcessKind
    host: str
    version: str
    revision: str


async def beat(tx: Tx, process: LivingProcess) -> None:
    statement = """
    with old as (delete from processes where seen_at < now() - $6::interval and process_id <> $1)
    insert into processes (process_id, kind, host, version, revision, seen_at)
    values ($1, $2, $3, $4, $5, now())
    on conflict (process_id) do update set seen_at = now()
    """
    await tx.execute(
        statement,
        process.process_id,
        process.kind,
        process.host,
        process.version,
        process.revision,
        FORGOTTEN_AFTER,
    )


async def leave(tx: Tx, process: LivingProcess) -> None:
    await tx.execute("delete from processes where process_id = $1", process.process_id)
