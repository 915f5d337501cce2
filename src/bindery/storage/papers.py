"""What was uploaded for the signature contingency of a quote."""

import uuid

import msgspec

from bindery.domain.application_matching import Verdict
from bindery.domain.binding import Paper
from bindery.storage.database import Tx


class _Finding(msgspec.Struct):
    verdict: Verdict


_read = msgspec.json.Decoder(_Finding).decode
_PAPER_OF = {
    Verdict.MATCHED: Paper.ACCEPTED,
    # A scan or a photo cannot be compared: the attestation decides.
    Verdict.UNREADABLE: Paper.ACCEPTED,
    Verdict.NOT_COMPARED: Paper.NONE,
    Verdict.OTHER_QUOTE: Paper.OTHER_QUOTE,
    Verdict.ALTERED: Paper.ALTERED,
}
_BEST_FIRST = (Paper.ACCEPTED, Paper.ALTERED, Paper.OTHER_QUOTE, Paper.NONE)


async def signed_application(tx: Tx, quote_id: uuid.UUID) -> Paper:
    """Say what there is of a signed application; of several files the best one counts."""
    rows = await tx.connection.fetch(
        """
        select u.finding from uploads u join contingencies c using (contingency_id)
        where u.quote_id = $1 and c.kind = 'signature'
        """,
        quote_id,
    )
    found = {_PAPER_OF[_read(row["finding"]).verdict] for row in rows}
    return next((paper for paper in _BEST_FIRST if paper in found), Paper.NONE)
