import uuid

from bindery.actions.render_documents import render_for_quote
from bindery.contract.documents import DocumentType
from bindery.domain.document_access import OF_THE_BINDER, OF_THE_POLICY
from bindery.runtime import Runtime
from bindery.storage import documents
from bindery.storage.documents import StoredDocument


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


async def document_bytes(runtime: Runtime, quote_id: uuid.UUID, kind: DocumentType) -> bytes:
    """Give the PDF of a document."""
    found = await find_document(runtime, quote_id, kind)
    return await runtime.blobs.get(found.sha256)
