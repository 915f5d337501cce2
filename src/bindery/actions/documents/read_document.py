from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import structlog

from bindery.actions.documents.make_document import make_again
from bindery.base.errors import DocumentUnavailable, UploadUnavailable
from bindery.domain.quote.record_letter import RecordLetter
from bindery.outside.blobs import BlobDamaged, BlobLost
from bindery.runtime import Runtime
from bindery.storage.documents.documents import StoredDocument
from bindery.storage.documents.uploads import Upload

log = structlog.get_logger()


async def read_document(runtime: Runtime, document: StoredDocument) -> bytes:
    """Return the PDF of a document, every byte as it was made.

    A file that is missing or damaged is an alarm. Where its facts still give the same bytes, it is made
    again and put in its place; otherwise nothing is sent.
    """
    about = {
        "quote_identifier": str(document.quote_id),
        "document": document.type,
        "version": document.version,
        "sha256": document.sha256,
    }
    return await read_made(
        runtime, document.sha256, about=about, make_again=partial(make_again, runtime, document)
    )


async def read_made(
    runtime: Runtime, sha256: str, *, about: Mapping[str, object], make_again: Callable[[], Awaitable[bool]]
) -> bytes:
    """Return a file that was made here, or make it again; `about` is for the alarm."""
    try:
        return await runtime.blobs.get(sha256)
    except BlobDamaged:
        log.error("document_damaged", **about)  # noqa: TRY400 - a file's loss has no trace to show
    except BlobLost:
        log.error("document_missing", **about)  # noqa: TRY400 - as above
    if not await make_again():
        raise DocumentUnavailable
    log.warning("document_made_again", **about)
    return await runtime.blobs.get(sha256)


async def read_upload(runtime: Runtime, upload: Upload) -> bytes:
    """Return the file of an upload as it came in.

    A file that is missing or damaged is an alarm: it exists nowhere else, and only a backup has it.
    """
    return await _read_sent(
        runtime,
        upload.sha256,
        quote_identifier=str(upload.quote_id),
        document_id=str(upload.document_id),
    )


async def read_letter(runtime: Runtime, letter: RecordLetter) -> bytes:
    """Return the file of a broker-of-record letter as it came in."""
    return await _read_sent(runtime, letter.sha256, letter_id=str(letter.letter_id))


async def _read_sent(runtime: Runtime, sha256: str, **about: str) -> bytes:
    try:
        return await runtime.blobs.get(sha256)
    except BlobDamaged:
        log.error("upload_damaged", sha256=sha256, **about)  # noqa: TRY400 - a file's loss has no trace to show
        raise UploadUnavailable from None
    except BlobLost:
        log.error("upload_missing", sha256=sha256, **about)  # noqa: TRY400 - as above
        raise UploadUnavailable from None
