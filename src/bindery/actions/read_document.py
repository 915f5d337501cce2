import uuid

import structlog

from bindery.actions.render_documents import make_again, render_for_quote
from bindery.base.errors import DocumentUnavailable
from bindery.contract.documents import DocumentType
from bindery.domain.document_access import OF_THE_BINDER, OF_THE_POLICY
from bindery.outside.blobs import BlobDamaged, BlobLost
from bindery.runtime import Runtime
from bindery.storage import documents
from bindery.storage.documents import StoredDocument

log = structlog.get_logger()


async def find_document(runtime: Runtime, quote_id: uuid.UUID, kind: DocumentType) -> StoredDocument:
    """Find a document of a quote that may have it, making it now where nobody asked for it before."""
    async with runtime.database.reading() as tx:
        found = await documents.newest(tx, quote_id, kind)
    if found is not None:
        return found
    # The papers of a bind are made together, so that partners are told once, whoever comes first.
    together = next((packet for packet in (OF_THE_BINDER, OF_THE_POLICY) if kind in packet), (kind,))
    await render_for_quote(runtime, quote_id, together)
    async with runtime.database.reading() as tx:
        found = await documents.newest(tx, quote_id, kind)
    assert found is not None, "it was made just now"
    return found


async def document_bytes(runtime: Runtime, document: StoredDocument) -> bytes:
    """Return the PDF of a document, every byte as it was made.

    A file that is missing or damaged is an alarm. Where today's facts still give the same bytes, it is made
    again and put in its place; otherwise nothing is sent.

    Raises:
        DocumentUnavailable: the file is lost, and what would be made today is not the same.
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
