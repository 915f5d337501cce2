import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote as percent_encoded

from starlette.responses import Response

from bindery.actions.documents.make_document import find_or_make_document
from bindery.actions.documents.read_document import read_document, read_upload
from bindery.base.errors import BinderyError, NotFound
from bindery.base.fair_queue import QueueFull
from bindery.contract.documents import DocumentType
from bindery.domain.documents.access import check_available
from bindery.domain.documents.file_types import PaperType
from bindery.domain.quote.lifecycle import NOT_READY
from bindery.domain.text import in_ascii, without_unseen
from bindery.storage.documents import uploads
from bindery.web.company.book import find_quote, see_quote
from bindery.web.frame.visit import Visit

ENDINGS: Final[Mapping[PaperType, tuple[str, ...]]] = {
    PaperType.PDF: (".pdf",),
    PaperType.PNG: (".png",),
    PaperType.JPEG: (".jpg", ".jpeg"),
    PaperType.TIFF: (".tif", ".tiff"),
    PaperType.DOCX: (".docx",),
}
LONGEST_NAME: Final = 100
_NOT_IN_A_FILE_NAME: Final = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9._-]+")


class TooMuchAtOnce(BinderyError):
    code = "too_much_at_once"

    def __init__(self) -> None:
        super().__init__("Too much is under way at the moment. Please try again in a few seconds.")


async def show_document(visit: Visit) -> Response:
    try:
        kind = DocumentType(visit.request.path_params["kind"])
    except ValueError:
        raise NotFound("There is no such document.") from None
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    if seen.quote.status in NOT_READY:
        raise NotFound("The quote is still being worked out; its documents come with it.")
    check_available(kind, seen.document_state_today)
    try:
        document = await find_or_make_document(visit.runtime, seen.quote, kind, visit.number("version"))
    except QueueFull:
        raise TooMuchAtOnce from None
    content = await read_document(visit.runtime, document)
    name = f"{kind.replace('_', '-')}_{str(seen.quote.quote_id)[-8:]}.pdf"
    headers = {
        "Content-Disposition": f'inline; filename="{name}"',
        "Cache-Control": "private, no-cache",
        "Document-Version": str(document.version),
    }
    return Response(content, headers=headers, media_type="application/pdf")


async def send_back_upload(visit: Visit) -> Response:
    """Send an uploaded file to be saved and never displayed: its sender may mean harm."""
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        found = await uploads.find(tx, visit.path_id("document_id"))
    if found is None or found.quote_id != quote.quote_id:
        raise NotFound("There is no such file.")
    content = await read_upload(visit.runtime, found)
    return sent_to_be_saved(content, name=found.name, content_type=found.content_type)


def sent_to_be_saved(content: bytes, *, name: str, content_type: str) -> Response:
    """Answer with a file that somebody sent, so that no browser displays it."""
    headers = {
        "Content-Disposition": _disposition(name, content_type),
        "Content-Security-Policy": "sandbox",
        "Cache-Control": "private, no-cache",
    }
    return Response(content, headers=headers, media_type=content_type)


def _disposition(sent_as: str, content_type: str) -> str:
    """Name a file as its sender did, with the ending of the type that its content has."""
    endings = ENDINGS[PaperType(content_type)]
    name = _NOT_IN_A_FILE_NAME.sub("-", without_unseen(sent_as)).strip(" .-")
    ending = next((known for known in endings if name.lower().endswith(known)), "")
    stem = name.removesuffix(name[-len(ending) :] if ending else "")[:LONGEST_NAME] or "upload"
    spoken = f"{stem}{ending or endings[0]}"
    plain = _NOT_PLAIN.sub("-", in_ascii(stem)).strip(".-") or "upload"
    return (
        f'attachment; filename="{plain}{ending or endings[0]}"; '
        f"filename*=UTF-8''{percent_encoded(spoken, safe='')}"
    )
