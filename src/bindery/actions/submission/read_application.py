import uuid
from dataclasses import dataclass
from typing import BinaryIO

from bindery.domain.documents.application_matching import marks_in
from bindery.domain.documents.file_types import PaperType
from bindery.domain.drafts.fields import Fields, fields_of
from bindery.domain.submission.again import request_again, term_again
from bindery.runtime import Runtime
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions


@dataclass(frozen=True, slots=True)
class ReadApplication:
    """The quote that an application was printed for, and the fields of its request."""

    quote_id: uuid.UUID
    fields: Fields


async def read_application(
    runtime: Runtime, file: BinaryIO, kind: PaperType, *, partner_id: int
) -> ReadApplication | None:
    """Find the request that an application of ours was printed for by the marks on it.

    The answers are printed, and its fields are those of the signature: nothing that was written on it is an
    answer. None if the file is no application, or that of a quote that is not the partner's.
    """
    async with runtime.upload_turns.turn(partner_id):
        reading = await runtime.upload_reader.read(file, kind)
    async with runtime.database.reading() as tx:
        for identifier in dict.fromkeys(mark.quote_identifier for mark in marks_in(reading)):
            quote = await quotes.find(tx, uuid.UUID(identifier), partner_id=partner_id)
            if quote is not None:
                stored = await submissions.get(tx, quote.submission_id)
                term = term_again(stored.submission.term, tx.today)
                fields = fields_of(request_again(stored.body, stored.company_id, term), tx.today)
                return ReadApplication(quote.quote_id, fields)
    return None
