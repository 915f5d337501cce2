import uuid
from typing import BinaryIO

from bindery.domain.documents.application_matching import marks_in
from bindery.domain.documents.file_types import PaperType
from bindery.domain.drafts.fields import Fields, fields_of
from bindery.domain.submission.again import request_again, term_again
from bindery.runtime import Runtime
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions


async def read_application(
    runtime: Runtime, file: BinaryIO, kind: PaperType, *, partner_id: int
) -> Fields | None:
    """Return the fields of the request that an application of ours was printed for.

    None if the file is no application, or that of a quote that is not the partner's.
    """
    async with runtime.upload_turns.turn(partner_id):
        reading = await runtime.upload_reader.read(file, kind)
    async with runtime.database.reading() as tx:
        for identifier in dict.fromkeys(mark.quote_identifier for mark in marks_in(reading)):
            quote = await quotes.find(tx, uuid.UUID(identifier), partner_id=partner_id)
            if quote is not None:
                stored = await submissions.get(tx, quote.submission_id)
                term = term_again(stored.submission.term, tx.today)
                return fields_of(request_again(stored.body, stored.company_id, term), tx.today)
    return None
