"""What was uploaded for the signature contingency of a quote."""

import uuid

import msgspec

from bindery.contract.documents import UploadFinding
from bindery.domain.documents.application_matching import best_evidence
from bindery.domain.policy.binding import Evidence
from bindery.storage.database import Reader


class _Finding(msgspec.Struct):
    verdict: UploadFinding


_read = msgspec.json.Decoder(_Finding).decode


async def signed_application(tx: Reader, quote_id: uuid.UUID) -> Evidence:
    """Return what was uploaded as a signed application."""
    rows = await tx.connection.fetch(
        """
        select u.finding from uploads u join contingencies c using (contingency_id)
        where u.quote_id = $1 and c.kind = 'signature'
        """,
        quote_id,
    )
    return best_evidence(_read(row["finding"]).verdict for row in rows)
