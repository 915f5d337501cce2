import uuid

from bindery.domain.quote.underwriting import from_record
from bindery.storage.database import Reader
from bindery.storage.quote_view import read_facts


async def of_quote(tx: Reader, quote_id: uuid.UUID) -> list[str]:
    """List what an underwriter should know of a quote though nobody refers it for that.

    First what the request says that does not fit or has no effect, as the partner sees it too, then where the
    scan disagrees with the answers, which is for the underwriter alone.
    """
    row = await tx.connection.fetchrow(
        "select s.facts, q.assessment from quotes q join submissions s using (submission_id) "
        "where q.quote_id = $1",
        quote_id,
    )
    assert row is not None, "a quote is never deleted"
    notes = [correction.text for correction in read_facts(row["facts"]).corrections]
    if row["assessment"] is not None:
        record = from_record(row["assessment"])
        notes += [*(correction.text for correction in record.corrections), *record.notes]
    return notes
