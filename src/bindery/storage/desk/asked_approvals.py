"""Decisions that wait for a second underwriter, and what became of them."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bindery.storage.database import Reader, Tx


class ColleagueAnswer(StrEnum):
    APPROVED = "approved"
    DECLINED = "declined"
    SENT_BACK = "sent_back"
    TAKEN_BACK = "taken_back"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedApproval:
    """What somebody asks a colleague to approve; `answer` is None while it waits."""

    approval_id: uuid.UUID
    submission_id: uuid.UUID
    asked_by: int
    asker: str
    asker_email: str
    asked_to: int
    asked: str
    asked_at: datetime
    quote_ids: tuple[uuid.UUID, ...]
    seen_steps: tuple[int, ...]
    decisions: str
    beyond: tuple[str, ...]
    answer: ColleagueAnswer | None
    reason: str
    answerer: str | None
    answered_at: datetime | None


_READ = """
select a.approval_id, a.submission_id, a.asked_by, b.name as asker, b.email as asker_email, a.asked_to,
       t.name as asked, a.asked_at, a.quote_ids, a.seen_steps, a.decisions, a.beyond, a.answer, a.reason,
       w.name as answerer, a.answered_at
from asked_approvals a
join users b on b.user_id = a.asked_by
join users t on t.user_id = a.asked_to
left join users w on w.user_id = a.answered_by
"""


async def find(tx: Reader, approval_id: uuid.UUID) -> AskedApproval | None:
    return await tx.row(AskedApproval, f"{_READ} where a.approval_id = $1", approval_id)


async def newest_of(tx: Reader, submission_id: uuid.UUID) -> AskedApproval | None:
    """Return what waits, or else what was answered last."""
    order = "order by a.answered_at desc nulls first limit 1"
    return await tx.row(AskedApproval, f"{_READ} where a.submission_id = $1 {order}", submission_id)


async def add(
    tx: Tx,
    submission_id: uuid.UUID,
    *,
    asked_by: int,
    asked_to: int,
    options: Sequence[tuple[uuid.UUID, int]],
    decisions: str,
    beyond: Sequence[str],
) -> None:
    row = {
        "approval_id": tx.new_id(),
        "submission_id": submission_id,
        "asked_by": asked_by,
        "asked_to": asked_to,
        "asked_at": tx.now,
        "quote_ids": [quote_id for quote_id, _ in options],
        "seen_steps": [step for _, step in options],
        "decisions": decisions,
        "beyond": list(beyond),
    }
    await tx.insert("asked_approvals", row)


async def settle(
    tx: Tx, approval_id: uuid.UUID, answer: ColleagueAnswer, *, by: int | None, reason: str
) -> bool:
    """ColleagueAnswer what still waits; False if somebody was faster."""
    statement = """
    update asked_approvals set answer = $2, answered_by = $3, answered_at = $4, reason = $5
    where approval_id = $1 and answer is null
    """
    return await tx.execute(statement, approval_id, answer, by, tx.now, reason) == 1


async def drop(tx: Tx, quote_ids: Collection[uuid.UUID], submission_ids: Collection[uuid.UUID]) -> int:
    """Put aside what waits about options that were decided otherwise."""
    statement = """
    update asked_approvals set answer = 'dropped', answered_at = $3
    where submission_id = any($2) and answer is null and quote_ids && $1
    """
    return await tx.execute(statement, list(quote_ids), list(submission_ids), tx.now)


async def waiting_of(tx: Reader, submission_id: uuid.UUID) -> AskedApproval | None:
    return await tx.row(
        AskedApproval, f"{_READ} where a.submission_id = $1 and a.answer is null", submission_id
    )
