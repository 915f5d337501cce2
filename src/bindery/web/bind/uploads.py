"""Uploads for a quote; a refused file is reported on the page that it was sent from."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.actions.documents.upload_document import UploadAsk, upload_document
from bindery.base.errors import BinderyError, InvalidRequest, Problem, WrongState
from bindery.base.fair_queue import QueueFull
from bindery.contract.documents import UploadReceipt
from bindery.domain.access.caller import Caller
from bindery.domain.documents.file_types import LARGEST_PAPER, UnsupportedPaper
from bindery.domain.policy.contingencies import check_takes_files
from bindery.domain.quote.quote import Quote
from bindery.http.errors import TooLarge
from bindery.http.multipart import received_upload
from bindery.storage.policy import policies
from bindery.web.bind.bind import FORM_FIELDS, bind_page, open_quote, quoted
from bindery.web.company.book import find_quote
from bindery.web.company.company import company_shown
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.frame.visit import Visit
from bindery.web.shown.owed import WARNING, is_unfit

_STATUS_OF: Final[Mapping[type[BinderyError], int]] = {
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedPaper: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    InvalidRequest: HTTPStatus.UNPROCESSABLE_ENTITY,
}
NO_FILE: Final = ("file", "required")


async def send_upload(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        was_bound = await policies.find(tx, quote.quote_id) is not None
    try:
        check_takes_files(quote.status, was_bound=was_bound)
    except WrongState as fault:
        return await company_shown(
            visit, quote.company_id, problems=(fault.message,), status=HTTPStatus.CONFLICT
        )
    fields: dict[str, str] = {}
    try:
        receipt = await _take(visit, quote, fields)
    except (TooLarge, UnsupportedPaper, InvalidRequest) as fault:
        return await _show_again(visit, quote, fields, fault)
    said = f"{WARNING} " * is_unfit(receipt) + f"{receipt.name}: {receipt.message}"
    if not _is_binding(visit, fields):
        return await visit.done(f"/quote/{quote.quote_id}", said)
    seen = await open_quote(visit)
    kept = quoted(seen)
    if all(fields.get(name, kept.get(name, "")) == kept.get(name, "") for name in FORM_FIELDS):
        return await visit.done(f"/quote/{quote.quote_id}/bind", said)
    # Whoever has filled in half of the form continues with it.
    return await bind_page(visit, seen, {**kept, **fields}, said=said)


async def _take(visit: Visit, quote: Quote, fields: dict[str, str]) -> UploadReceipt:
    caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
    try:
        async with received_upload(
            visit.runtime, visit.request, partner_id=quote.partner_id, fields=fields
        ) as form:
            receipt = await upload_document(
                visit.runtime,
                UploadAsk(
                    caller=caller,
                    quote_identifier=str(quote.quote_id),
                    contingency=fields.get("contingency_id") or None,
                    name=fields.get("name") or None,
                    filename=form.filename,
                    file=form.file,
                ),
            )
    except QueueFull:
        raise TooMuchAtOnce from None
    return msgspec.json.decode(receipt, type=UploadReceipt)


def _is_binding(visit: Visit, fields: Mapping[str, str]) -> bool:
    return "bind" in {visit.word("then"), fields.get("then")}


async def _show_again(visit: Visit, quote: Quote, fields: Mapping[str, str], fault: BinderyError) -> Response:
    problems = _problems(fault)
    status = next(status for kind, status in _STATUS_OF.items() if isinstance(fault, kind))
    if not _is_binding(visit, fields):
        sentences = tuple(map(_sentence, problems))
        return await company_shown(visit, quote.company_id, problems=sentences, status=status)
    seen = await open_quote(visit)
    typed = {name: text for name, text in fields.items() if name in FORM_FIELDS}
    return await bind_page(visit, seen, {**quoted(seen), **typed}, problems=problems, status=status)


def _problems(fault: BinderyError) -> Sequence[Problem]:
    if isinstance(fault, InvalidRequest):
        if any((problem.path, problem.code) == NO_FILE for problem in fault.problems):
            return [Problem("file", "required", "Choose a file")]
        return fault.problems or [Problem("", fault.code, fault.message)]
    if isinstance(fault, TooLarge):
        megabytes = LARGEST_PAPER // 2**20
        return [
            Problem("file", fault.code, f"is too large: the limit is {megabytes} MB, and it was not kept")
        ]
    return [Problem("file", fault.code, "must be a PDF, PNG, JPEG, TIFF or DOCX by its content")]


def _sentence(problem: Problem) -> str:
    if problem.code == NO_FILE[1]:
        return f"{problem.message}."
    return f"The {problem.path} {problem.message}." if problem.path else problem.message
