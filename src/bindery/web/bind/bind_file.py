"""A form that may have a file with it: the file is kept first, whatever becomes of the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

import msgspec

from bindery.actions.documents.upload_document import UploadAsk, upload_document
from bindery.base.errors import BinderyError, InvalidRequest, Problem, TooManyRequests
from bindery.base.fair_queue import QueueFull
from bindery.contract.documents import UploadReceipt
from bindery.domain.access.caller import Caller, Quota
from bindery.domain.documents.file_types import UnsupportedPaper
from bindery.domain.quote.quote import Quote
from bindery.http.errors import TooLarge
from bindery.http.multipart import FORM, received_upload
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.company.unfit_file import CHOOSE_A_FILE, problems_of_file
from bindery.web.frame.visit import Visit
from bindery.web.shown.owed import WARNING, is_unfit

_STATUS_OF: Final[Mapping[type[BinderyError], int]] = {
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedPaper: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    InvalidRequest: HTTPStatus.UNPROCESSABLE_ENTITY,
}


@dataclass(slots=True)
class SentForm:
    """The fields that were sent, the file that was taken, or why none was.

    Boxes to tick that have one name are joined by spaces.
    """

    fields: dict[str, str] = field(default_factory=dict)
    file: UploadReceipt | None = None
    problems: tuple[Problem, ...] = ()
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY

    @property
    def said(self) -> str:
        """Return what was found in the file; empty without one."""
        if self.file is None:
            return ""
        return f"{WARNING} " * is_unfit(self.file) + f"{self.file.name}: {self.file.message}"


async def read_sent_form(visit: Visit, quote: Quote, *, file_is_optional: bool = False) -> SentForm:
    """Read a form of one of the two kinds, and keep its file if it has one that can be taken.

    Where the file is optional, the form counts as what it is for, and the file as an upload too. There the
    same file is kept once, however often its form is sent.
    """
    sent = SentForm()
    if not visit.request.headers.get("content-type", "").lower().startswith(FORM):
        for name, value in await visit.form_fields():
            sent.fields[name] = f"{sent.fields[name]} {value}" if name in sent.fields else value
        sent.problems = (CHOOSE_A_FILE,)
        return sent
    try:
        async with received_upload(
            visit.runtime, visit.request, partner_id=quote.partner_id, fields=sent.fields
        ) as form:
            if file_is_optional:
                _count(visit, quote)
            receipt = await upload_document(
                visit.runtime,
                UploadAsk(
                    caller=Caller(partner_id=quote.partner_id, actor=visit.actor),
                    quote_identifier=str(quote.quote_id),
                    contingency=sent.fields.get("contingency_id") or None,
                    name=sent.fields.get("name") or None,
                    filename=form.filename,
                    file=form.file,
                    sent_once=file_is_optional,
                ),
            )
        sent.file = msgspec.json.decode(receipt, type=UploadReceipt)
    except QueueFull:
        raise TooMuchAtOnce from None
    except (TooLarge, UnsupportedPaper, InvalidRequest) as fault:
        sent.status = next(status for kind, status in _STATUS_OF.items() if isinstance(fault, kind))
        sent.problems = problems_of_file(fault)
    return sent


def _count(visit: Visit, quote: Quote) -> None:
    standing = visit.runtime.request_counts.count(quote.partner_id, Quota.UPLOADS)
    if standing.is_over:
        raise TooManyRequests(standing.limit, Quota.UPLOADS, standing.reset_s)
