"""What is owed for an option, the files that came in for it, and what was found in them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec import Struct

from bindery.contract.documents import DocumentType, SignatureFinding, UploadFinding, UploadReceipt
from bindery.contract.quote import SIGNED_APPLICATION, ContingencyBody, QuoteBody, UploadBody
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.quote.lifecycle import OVER
from bindery.web.shown.words import Moment, Times, day

WARNING: Final = "\N{WARNING SIGN}"
"""Begins what is not good news, where no color can be seen."""
NO_CHANGE: Final = "\N{CIRCLED LATIN SMALL LETTER I}"
"""Begins what is neither good news nor bad."""


def is_unfit(upload: UploadReceipt | UploadBody) -> bool:
    """Whether a file cannot be what it was sent for."""
    return bool(_flaw(upload))


_FLAWS: Final[Mapping[UploadFinding, str]] = {
    UploadFinding.ALTERED: "it was changed",
    UploadFinding.OTHER_QUOTE: "it belongs to another quote",
    UploadFinding.DAMAGED: "it was damaged",
    UploadFinding.NOT_RECOGNIZED: "it was not recognized",
}


def _flaw(upload: UploadReceipt | UploadBody) -> str:
    if upload.finding in _FLAWS:
        return _FLAWS[upload.finding]
    if upload.signature is SignatureFinding.NOT_FOUND:
        return "it was not signed"
    is_partial = upload.pages is not None and upload.pages.found < upload.pages.of
    return "pages were missing" if is_partial else ""


_DEADLINE: Final = re.compile(
    r",? (?P<when>before the bind|within \d+ days of (?:the bind|the new effective date))(?= that\b|$)"
)


@dataclass(frozen=True, slots=True)
class ShownUpload:
    name: str
    address: str
    received: Moment
    finding: str
    is_unfit: bool


class ShownContingency(Struct, frozen=True):
    number: str
    text: str
    state: str
    is_open: bool
    is_needed: bool
    is_received: bool
    when: str
    uploads: tuple[ShownUpload, ...]
    because: str = ""
    """Why the underwriter asked for it again."""
    to_sign: str = ""
    """Where the application to sign is, if that is what is owed."""

    @property
    def title(self) -> str:
        return self.text.partition(",")[0]

    @property
    def details(self) -> str:
        text = self.text.partition(",")[2].strip()
        return f"{text[:1].upper()}{text[1:]}"


def _without_deadline(text: str) -> tuple[str, str]:
    """Split a contingency's text from its deadline, which pages show once, next to it."""
    found = _DEADLINE.search(text)
    if found is None:
        return text, ""
    return text[: found.start()] + text[found.end() :], found["when"]


def shown_contingency(owed: ContingencyBody, body: QuoteBody, times: Times) -> ShownContingency:
    is_closed = owed.status != "open"
    is_over = body.quote_status in OVER
    signed_at = next((upload.received for upload in body.uploads if is_signed_for(upload, owed)), None)
    text, said = _without_deadline(owed.text)
    if owed.type is ContingencyType.PRE_BIND:
        when = "before the bind"
    elif body.binder is not None and body.binder.fulfil_by is not None:
        until = day(body.binder.fulfil_by)
        when = f"by {until}"
        if owed.received is not None:
            when = f"late since {until}" if body.binder.late else f"due by {until}"
    else:
        when = said or "within 30 days of the bind"
    return ShownContingency(
        number=owed.contingency_id,
        text=text,
        state=_contingency_state(owed, times, is_over=is_over, signed_at=signed_at),
        is_open=not is_closed,
        is_needed=not is_closed and not is_over,
        is_received=owed.received is not None or signed_at is not None,
        when=when,
        because="" if is_closed or owed.received is not None else owed.asked_again_because,
        uploads=_uploads_for(owed, body, times, is_settled=is_closed or is_over),
        to_sign=f"/quote/{body.quote_identifier}/document/{DocumentType.APPLICATION}"
        if owed.text.startswith(SIGNED_APPLICATION) and DocumentType.APPLICATION in body.available_documents
        else "",
    )


def _uploads_for(
    owed: ContingencyBody, body: QuoteBody, times: Times, *, is_settled: bool
) -> tuple[ShownUpload, ...]:
    """Show the files for a contingency; what is wrong with one asks for nothing once a right one followed."""
    files = [upload for upload in body.uploads if upload.contingency == owed.contingency_id]
    last_right = max((upload.received for upload in files if not is_unfit(upload)), default=None)
    return tuple(
        shown_upload(
            body,
            upload,
            times,
            is_settled=is_settled,
            is_replaced=is_unfit(upload) and last_right is not None and upload.received < last_right,
        )
        for upload in files
    )


def _closed(owed: ContingencyBody) -> str:
    how = owed.closed_as.capitalize() if owed.closed_as is not None else "Closed"
    return f"{how} ({owed.closed_reason})" if owed.closed_reason else how


def is_signed_for(upload: UploadBody, owed: ContingencyBody) -> bool:
    """Whether the client signed on the page for what is owed: nobody has to look at that."""
    return upload.signed_electronically and upload.contingency == owed.contingency_id


def _contingency_state(
    owed: ContingencyBody, times: Times, *, is_over: bool, signed_at: datetime | None
) -> str:
    if owed.status != "open":
        return _closed(owed)
    if is_over:
        return "No longer needed"
    if signed_at is not None:
        return f"Signed electronically {times.on(signed_at).text}, closed with the bind"
    if owed.received is not None:
        return f"Received {times.on(owed.received).text}, with an underwriter"
    return "Open"


def shown_upload(
    body: QuoteBody,
    upload: UploadBody,
    times: Times,
    *,
    is_settled: bool = False,
    is_replaced: bool = False,
) -> ShownUpload:
    """Show a file; once its contingency is closed, or it was replaced, the finding asks for nothing more."""
    finding = f"{upload.message.partition('. ')[0].removesuffix('.')}." if is_settled else upload.message
    return ShownUpload(
        name=upload.name,
        address=f"/quote/{body.quote_identifier}/upload/{upload.document_id}",
        received=times.at(upload.received),
        finding=f"Replaced by a later file: {_flaw(upload)}." if is_replaced else finding,
        is_unfit=is_unfit(upload) and not (is_settled or is_replaced),
    )
