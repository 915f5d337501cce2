"""The files of a link: the documents of its options and the signed application, and nothing of any other."""

from starlette.responses import Response

from bindery.actions.documents.make_document import find_or_make_document
from bindery.actions.documents.read_document import read_document, read_upload
from bindery.base.fair_queue import QueueFull
from bindery.contract.documents import DocumentType
from bindery.domain.documents.access import available_documents
from bindery.domain.signing.client_link import LinkEnded
from bindery.storage.documents import uploads
from bindery.storage.quote import quote_view
from bindery.storage.signing import signatures
from bindery.web.client.client_shown import PAPERS
from bindery.web.client.link import by_link, find
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.frame.visit import Visit


@by_link
async def show_paper(visit: Visit) -> Response:
    link = await find(visit)
    quote_id, kind = visit.as_id(visit.request.path_params["quote_id"]), visit.request.path_params["kind"]
    if quote_id not in {*link.option_ids, link.quote_id} or quote_id is None or kind not in set(PAPERS):
        raise LinkEnded
    async with visit.runtime.database.reading() as tx:
        seen = await quote_view.see(tx, quote_id, partner_id=link.partner_id)
    if seen is None or kind not in available_documents(seen.document_state_today):
        raise LinkEnded
    try:
        document = await find_or_make_document(visit.runtime, seen.quote, DocumentType(kind))
    except QueueFull:
        raise TooMuchAtOnce from None
    content = await read_document(visit.runtime, document)
    return _file(content, f"{kind.replace('_', '-')}_{str(quote_id)[-8:]}.pdf")


@by_link
async def show_signed(visit: Visit) -> Response:
    link = await find(visit)
    async with visit.runtime.database.reading() as tx:
        signature = await signatures.find(tx, link.link_id)
        upload = await uploads.find(tx, signature.document_id) if signature is not None else None
    if upload is None:
        raise LinkEnded
    return _file(
        await read_upload(visit.runtime, upload), f"signed-application_{str(upload.quote_id)[-8:]}.pdf"
    )


def _file(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type="application/pdf")
