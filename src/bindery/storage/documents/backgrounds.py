"""What the documents of a submission also show: who its broker is, and what an earlier scan saw."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from bindery.domain.documents.facts import ScanView
from bindery.storage.database import Reader


@dataclass(frozen=True, slots=True)
class Background:
    """What else is known; a broker without an account has no name, and firms are optional."""

    broker_name: str | None
    broker_firm: str | None
    earlier_scan: ScanView | None


class _Scanned(msgspec.Struct):
    scan: ScanView | None


_read_scanned = msgspec.json.Decoder(_Scanned).decode


async def of_submissions(tx: Reader, submission_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Background]:
    """Read what else is known: of earlier scans of the company, the last that was shown."""
    rows = await tx.connection.fetch(
        """
        select s.submission_id, u.name, b.firm, (
            select a.facts from submissions e join applicant_facts a using (submission_id)
            where e.company_id = s.company_id and e.created_at < s.created_at and e.scan is not null
            order by e.created_at desc limit 1)
        from submissions s join brokers b using (broker_id)
        left join users u on u.email = b.email and u.partner_id = b.partner_id and u.disabled_at is null
        where s.submission_id = any($1)
        """,
        list(submission_ids),
    )
    return {
        row[0]: Background(row[1], row[2], _read_scanned(row[3]).scan if row[3] else None) for row in rows
    }
