"""Opening documents that we made and files that came in, and sending files."""

from contextlib import AsyncExitStack
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.actions.make_documents import find_document, make_document
from bindery.actions.read_document import document_bytes
from bindery.actions.upload_document import UploadAsk, upload_document
from bindery.base.errors import BinderyError, NotFound
from bindery.base.fair_queue import QueueFull
from bindery.contract.documents import DocumentType, UploadReceipt
from bindery.domain.access.caller import Caller
from bindery.domain.papers.access import check_available
from bindery.domain.papers.file_types import LARGEST_PAPER
from bindery.domain.quote.lifecycle import NOT_READY
from bindery.http.multipart import received_form
from bindery.storage import uploads
from bindery.web.book import find_quote, see_quote
from bindery.web.shown.option import FINDINGS
from bindery.web.visit import Visit

INCOMING: Final = "incoming"


class TooMuchAtOnce(BinderyError):
    """More is being read or made than this process takes on at a time."""

    code = "too_much_at_once"

    def __init__(self) -> None:
        super().__init__("Too much is under way at the moment. Please try again in a few seconds.")


async def show_document(visit: Visit) -> Response:
    """Show a document of a quote in the browser, making it now where nobody has before."""
    try:
        kind = DocumentType(visit.request.path_params["kind"])
    except ValueError:
        raise NotFound("There is no such document.") from None
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit, visit.path_id("quote_id"))
    if seen.quote.status in NOT_READY:
        raise NotFound("The quote is still being worked out; its documents come with it.")
    check_available(kind, seen.document_state_today)
    quote_id, partner_id = seen.quote.quote_id, seen.quote.partner_id
    document = await find_document(visit.runtime, quote_id, kind)
    if document is None:
        turns = visit.runtime.document_turns
        try:
            with turns.admitted(partner_id):
                async with turns.turn(partner_id):
                    document = await make_document(visit.runtime, quote_id, kind)
        except QueueFull:
            raise TooMuchAtOnce from None
    content = await document_bytes(visit.runtime, document)
    name = f"{kind.replace('_', '-')}_{str(quote_id)[-8:]}.pdf"
    headers = {"Content-Disposition": f'inline; filename="{name}"', "Cache-Control": "private, no-cache"}
    return Response(content, headers=headers, media_type="application/pdf")


async def send_back_upload(visit: Visit) -> Response:
    """Send an uploaded file back, to be saved and never shown: whoever made it may mean harm."""
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit, visit.path_id("quote_id"))
        found = await uploads.find(tx, visit.path_id("document_id"))
    if found is None or found.quote_id != quote.quote_id:
        raise NotFound("There is no such file.")
    content = await visit.runtime.blobs.get(found.sha256)
    headers = {
        "Content-Disposition": f'attachment; filename="{found.document_id}"',
        "Content-Security-Policy": "sandbox",
        "Cache-Control": "private, no-cache",
    }
    return Response(content, headers=headers, media_type=found.content_type)


async def send_upload(visit: Visit) -> Response:
    """Take a file for a quote, and say what was found in it."""
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit, visit.path_id("quote_id"))
    async with AsyncExitStack() as stack:
        try:
            stack.enter_context(visit.runtime.upload_turns.admitted(quote.partner_id))
        except QueueFull:
            raise TooMuchAtOnce from None
        form = await stack.enter_async_context(
            received_form(
                visit.request,
                folder=visit.runtime.settings.data_dir / INCOMING,
                largest_file=LARGEST_PAPER,
            )
        )
        receipt = msgspec.json.decode(
            await upload_document(
                visit.runtime,
                UploadAsk(
                    caller=Caller(partner_id=quote.partner_id, actor=visit.actor),
                    quote_identifier=str(quote.quote_id),
                    contingency=form.fields.get("contingency_id") or None,
                    name=form.fields.get("name") or None,
                    filename=form.filename,
                    file=form.file,
                ),
            ),
            type=UploadReceipt,
        )
    banner = f"{receipt.name} {FINDINGS[receipt.finding]}."
    where = (
        f"/quote/{quote.quote_id}/bind" if form.fields.get("then") == "bind" else f"/quote/{quote.quote_id}"
    )
    return await visit.done(where, banner)
