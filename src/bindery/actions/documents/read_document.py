import structlog

from bindery.actions.documents.make_document import make_again
from bindery.base.errors import DocumentUnavailable
from bindery.outside.blobs import BlobDamaged, BlobLost
from bindery.runtime import Runtime
from bindery.storage.documents.documents import StoredDocument

log = structlog.get_logger()


async def read_document(runtime: Runtime, document: StoredDocument) -> bytes:
    """Return the PDF of a document, every byte as it was made.

    A file that is missing or damaged is an alarm. Where its facts still give the same bytes, it is made
    again and put in its place; otherwise nothing is sent.

    Raises:
        DocumentUnavailable: the file is lost, and what would be made now is not the same.
    """
    about = {
        "quote_identifier": str(document.quote_id),
        "document": document.type,
        "version": document.version,
        "sha256": document.sha256,
    }
    try:
        return await runtime.blobs.get(document.sha256)
    except BlobDamaged:
        log.error("document_damaged", **about)  # noqa: TRY400 - a file's loss has no trace to show
    except BlobLost:
        log.error("document_missing", **about)  # noqa: TRY400 - as above
    if not await make_again(runtime, document):
        raise DocumentUnavailable
    log.warning("document_made_again", **about)
    return await runtime.blobs.get(document.sha256)
