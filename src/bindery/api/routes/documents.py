"""Downloading and uploading documents."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote as percent_encoded

import msgspec
from starlette.responses import Response

from bindery.actions.documents.make_document import find_or_make_document
from bindery.actions.documents.read_document import read_document
from bindery.actions.documents.upload_document import UploadAsk, upload_document
from bindery.api.call import Call, json_response, not_ready_response
from bindery.api.errors import TooManyDocuments, TooManyUploads
from bindery.api.query import Query
from bindery.api.wait_for_quote import wait_for_quote
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.base.fair_queue import QueueFull
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.documents import DocumentType, PacketDocument, PacketMetadata, PacketType, UploadForm
from bindery.domain.documents.access import FROZEN_WITH, check_available
from bindery.domain.documents.file_types import LONGEST_NAME
from bindery.domain.documents.forms import document_of
from bindery.domain.quote.lifecycle import NOT_READY
from bindery.domain.text import in_ascii, unseen_character, without_unseen
from bindery.http.body_words import did_you_mean
from bindery.http.multipart import ReceivedForm, received_upload
from bindery.http.representation import REVALIDATE_PRIVATELY, asked_range
from bindery.storage.documents import editions, packets
from bindery.storage.documents.documents import StoredDocument
from bindery.storage.quote.quote_view import QuoteRecord

PDF: Final = "application/pdf"
LONGEST_NAME_SHOWN: Final = 64
HIGHEST_VERSION: Final = 32_767
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")


async def download(call: Call) -> Response:
    kind = _document_type(call)
    query = Query(call)
    version = query.number("version", unless_given=0, most=HIGHEST_VERSION) or None
    query.check()
    seen = await _find(call)
    if seen.quote.status in NOT_READY:
        return not_ready_response(seen.quote)
    check_available(kind, seen.document_state_today)
    try:
        document = await find_or_make_document(call.runtime, seen.quote, kind, version)
    except QueueFull:
        raise TooManyDocuments from None
    return await _send(call, document, seen)


async def packet_metadata(call: Call) -> Response:
    packet = _packet_type(call.request.path_params["packet_template_type"])
    seen = await _find(call)
    async with call.runtime.database.reading() as tx:
        forms = await packets.forms_of(tx, seen.quote.quote_id, packet)
        renewed = await editions.newest_versions(tx, seen.quote.quote_id) if forms else {}
    return call.json_with_etag(_metadata(packet, forms, renewed))


def _metadata(
    packet: PacketType, forms: list[PacketDocument], renewed: Mapping[DocumentType, int]
) -> PacketMetadata:
    if not forms:
        return PacketMetadata()
    versions = {kind: version for kind, version in renewed.items() if FROZEN_WITH[kind] is packet}
    shown = []
    for form in forms:
        kind = document_of(form.form_number)
        shown.append(msgspec.structs.replace(form, version=versions.get(kind, 1) if kind else 1))
    return PacketMetadata(version=max(versions.values(), default=1), documents=shown)


async def upload(call: Call) -> Response:
    call.check_idempotency_key()
    call.check_encoding()
    try:
        async with received_upload(
            call.runtime, call.request, partner_id=call.partner.partner_id, flaws_of=_flaws_of
        ) as form:
            fields = {
                name: value
                for name, value in form.fields.items()
                # What form libraries make of a contingency that is null.
                if value and (name, value) != ("contingency", "null")
            }
            receipt = await upload_document(
                call.runtime,
                UploadAsk(
                    caller=call.caller(_told_apart_by(fields, form)),
                    quote_identifier=fields["quote_identifier"],
                    contingency=fields.get("contingency"),
                    name=fields.get("name"),
                    filename=form.filename,
                    file=form.file,
                ),
            )
    except QueueFull:
        raise TooManyUploads from None
    return json_response(receipt)


def _flaws_of(fields: Mapping[str, str]) -> list[Problem]:
    problems = [*_unknown_fields(fields)]
    identifier, name = fields.get("quote_identifier"), fields.get("name", "")
    if not identifier:
        problems.append(Problem("quote_identifier", "required", "is required"))
    elif not IDENTIFIER_SHAPE.fullmatch(identifier):
        problems.append(
            Problem("quote_identifier", "malformed_identifier", "has 1 to 64 letters, digits, - and _")
        )
    if len(name) > LONGEST_NAME:
        problems.append(Problem("name", "too_long", f"must have at most {LONGEST_NAME} characters"))
    if (character := unseen_character(name)) is not None:
        problems.append(Problem("name", "bad_character", f"must not contain the character {character}"))
    return problems


def _unknown_fields(fields: Iterable[str]) -> Iterator[Problem]:
    """Find unknown fields of the form: a misspelled `contingency` must not pass for none."""
    known = UploadForm.__struct_fields__
    for name in sorted(set(fields) - set(known)):
        hint = did_you_mean(name, known)
        yield Problem(name[:LONGEST_NAME_SHOWN], "unknown_field", f"is not a field of this form{hint}")


def _told_apart_by(fields: dict[str, str], form: ReceivedForm) -> bytes:
    """Compare a form by its fields and the file's hash, not by boundaries or the order of its parts."""
    return msgspec.json.encode([sorted(fields.items()), form.sha256])


async def _find(call: Call) -> QuoteRecord:
    seen = await wait_for_quote(
        call.runtime, call.identifier("identifier"), partner_id=call.partner.partner_id, wait_s=0
    )
    if seen is None:
        raise NotFound("There is no such quote.")
    return seen


async def _send(call: Call, document: StoredDocument, seen: QuoteRecord) -> Response:
    etag = f'"{document.sha256}"'
    headers = {
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Cache-Control": REVALIDATE_PRIVATELY,
        "Document-Version": str(document.version),
    }
    if call.held_tag(etag) is not None:
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = _disposition(document, seen)
    asked = asked_range(call.request.headers, size=document.size, etag=etag)
    # Read whole for a part too: only the hash of all of it shows that the part is right.
    content = await read_document(call.runtime, document)
    if asked is None:
        return Response(content, headers=headers, media_type=PDF)
    headers["Content-Range"] = f"bytes {asked[0]}-{asked[-1]}/{document.size}"
    return Response(content[asked.start : asked.stop], 206, headers, media_type=PDF)


def _disposition(document: StoredDocument, seen: QuoteRecord) -> str:
    """Name a download by its kind, insured and quote: `quote-letter_harborlight-bakery_7264a7c8.pdf`."""
    # Requests that contain them are refused now; names that were accepted earlier may still do so.
    insured = without_unseen(str(seen.client["name"]))
    short = str(document.quote_id).replace("-", "")[-8:]
    kind = document.type.replace("_", "-")
    ascii_name = _NOT_A_WORD.sub("-", in_ascii(insured).lower()).strip("-")[:60] or "insured"
    plain = f"{kind}_{ascii_name}_{short}.pdf"
    spoken = percent_encoded(f"{kind}_{insured[:60]}_{short}.pdf", safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{spoken}"


def _document_type(call: Call) -> DocumentType:
    text, identifier = (call.request.path_params[name] for name in ("document_type", "identifier"))
    try:
        return DocumentType(text)
    except ValueError:
        flaw = f"must be one of {', '.join(DocumentType)}"
        if identifier in set(DocumentType):
            flaw = f"comes before the identifier: /v2/quotes/{identifier}/{text}"
        raise InvalidRequest.at("document_type", "unknown_document_type", flaw) from None


def _packet_type(text: str) -> PacketType:
    try:
        return PacketType(text)
    except ValueError:
        flaw = f"must be one of {', '.join(PacketType)}"
        raise InvalidRequest.at("packet_template_type", "unknown_packet_type", flaw) from None
