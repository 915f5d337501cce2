"""Certificates for holders: a form for one, a CSV for many, those issued with their files."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from bindery.actions.documents.issue_certificates import issue_certificates, read_certificates
from bindery.base.errors import BinderyError, InvalidRequest, NotFound, WrongState
from bindery.base.fair_queue import QueueFull
from bindery.domain.access.caller import Caller
from bindery.domain.access.users import Role
from bindery.domain.documents.holder_list import (
    COLUMNS,
    LARGEST_LIST,
    MOST_HOLDERS,
    PASSED_OVER,
    read_holder_list,
)
from bindery.domain.documents.holders import (
    LONGEST,
    Holder,
    certificate_number,
    check_certifiable,
    holder_wordings,
    read_holder,
)
from bindery.http.errors import TooLarge
from bindery.http.multipart import received_upload
from bindery.http.show_quote import show_quote
from bindery.storage.database import Reader
from bindery.storage.documents import certificates
from bindery.storage.documents.certificates import IssuedCertificate
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.book import see_quote
from bindery.web.company.certificates_shown import file_name, said_of, shown_certificates
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.company.forms import problems_of, status_of
from bindery.web.frame.paging import ROWS, cursor_of, pager_of, read_long_number
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import Cells, long_spreadsheet, spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import status_of as word_of

LABELS: Final = {
    "name": "Holder",
    "street": "Street",
    "street2": "Suite, floor or unit",
    "city": "City",
    "state": "State",
    "zip": "ZIP code",
    "wording": "Wording",
    "description": "Project or contract",
}
OF_A_FILE: Final = {"file": "The file"}
TEMPLATE: Final = "certificate-holders"


async def show_certificates(visit: Visit) -> Response:
    return await _show(visit, await _see(visit))


async def send_one(visit: Visit) -> Response:
    form = await visit.form()
    typed = {name: form.get(name, "") for name in LABELS}
    seen = await _see(visit)
    try:
        check_certifiable(seen.document_state_today, seen.policy_number)
        holder, problems = read_holder(typed, holder_wordings(seen.today))
        if problems:
            raise InvalidRequest.because(problems)
        return await _issue(visit, seen, [holder])
    except (InvalidRequest, WrongState) as fault:
        return await _show(visit, seen, typed=typed, fault=fault)


async def send_many(visit: Visit) -> Response:
    """Issue a certificate to every holder of a file, or to none and say all that is wrong with it."""
    seen = await _see(visit)
    fields: dict[str, str] = {}
    try:
        try:
            async with received_upload(
                visit.runtime,
                visit.request,
                partner_id=seen.quote.partner_id,
                fields=fields,
                largest_file=LARGEST_LIST,
            ) as form:
                form.file.seek(0)
                content = form.file.read()
        except TooLarge:
            flaw = f"is too large: the limit is {LARGEST_LIST // 1024} KB"
            raise InvalidRequest.at("file", "too_large", flaw) from None
        except QueueFull:
            raise TooMuchAtOnce from None
        check_certifiable(seen.document_state_today, seen.policy_number)
        wordings = holder_wordings(seen.today)
        return await _issue(
            visit, seen, read_holder_list(content, wordings, wording=fields.get("wording", ""))
        )
    except (InvalidRequest, WrongState) as fault:
        return await _show(visit, seen, typed={"list_wording": fields.get("wording", "")}, fault=fault)


async def _issue(visit: Visit, seen: QuoteRecord, holders: Sequence[Holder]) -> Response:
    caller = Caller(partner_id=seen.quote.partner_id, actor=visit.actor)
    database, rules = visit.runtime.database, visit.runtime.rules
    done = await issue_certificates(database, rules, caller, seen.quote.quote_id, holders)
    times = visit.times(await database.now())
    number = seen.policy_number or ""
    said = said_of(done.issue, holders[0].name, times, policy_number=number, is_new=done.is_new)
    return await visit.done(f"/policy/{seen.quote.quote_id}/certificates", said)


async def send_template(visit: Visit) -> Response:
    await _see(visit)
    return spreadsheet(TEMPLATE, [COLUMNS])


async def send_csv(visit: Visit) -> Response:
    """Send the certificates of a policy as a list that can be sent again for the next one."""
    seen = await _see(visit)
    number, *issued = PASSED_OVER

    async def read(tx: Reader, *, after: Cursor | None, together: int) -> ListPage[Cells]:
        found = await certificates.list_certificates(tx, seen.quote.quote_id, cursor=after, limit=together)
        zone = visit.times(tx.now).zone
        rows = [
            [
                certificate_number(seen.policy_number or "", certificate.number),
                *(getattr(certificate, column) for column in COLUMNS),
                certificate.issued_at.astimezone(zone).date().isoformat(),
                certificate.issued_by,
            ]
            for certificate in found.rows
        ]
        return ListPage(rows, next=found.next)

    return await long_spreadsheet(
        visit.runtime.database, f"certificates-{seen.policy_number}", (number, *COLUMNS, *issued), read
    )


async def send_pdf(visit: Visit) -> Response:
    seen = await _see(visit)
    async with visit.runtime.database.reading() as tx:
        found = await certificates.find(tx, seen.quote.quote_id, visit.path_number("number"))
    if found is None:
        raise NotFound("There is no such certificate.")
    (content,) = await _read(visit, seen, [found])
    headers = {
        "Content-Disposition": f'inline; filename="{file_name(found, seen.policy_number or "")}"',
        "Cache-Control": "private, no-cache",
    }
    return Response(content, headers=headers, media_type="application/pdf")


async def send_zip(visit: Visit) -> Response:
    """Send all certificates that were issued together."""
    seen = await _see(visit)
    issue_id = visit.path_id("issue_id")
    async with visit.runtime.database.reading() as tx:
        found = await certificates.of_issue(tx, seen.quote.quote_id, issue_id)
    if not found:
        raise NotFound("There are no such certificates.")
    number = seen.policy_number or ""
    archive = io.BytesIO()
    # PDFs are compressed already.
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as files:
        for certificate, content in zip(found, await _read(visit, seen, found), strict=True):
            files.writestr(zipfile.ZipInfo(file_name(certificate, number)), content)
    name = f"certificates_{number}_{found[0].number:04d}-{found[-1].number:04d}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    return Response(archive.getvalue(), headers=headers, media_type="application/zip")


async def _read(visit: Visit, seen: QuoteRecord, found: Sequence[IssuedCertificate]) -> list[bytes]:
    try:
        made = read_certificates(visit.runtime, found, partner_id=seen.quote.partner_id)
        return [content async for content in made]
    except QueueFull:
        raise TooMuchAtOnce from None


async def _see(visit: Visit) -> QuoteRecord:
    """Return the policy of the path; what was never bound has no such page."""
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    if seen.policy_number is None:
        check_certifiable(seen.document_state_today, None)
    return seen


async def _show(
    visit: Visit,
    seen: QuoteRecord,
    *,
    typed: Mapping[str, str] | None = None,
    fault: BinderyError | None = None,
) -> Response:
    async with visit.runtime.database.reading() as tx:
        found = await certificates.list_certificates(
            tx, seen.quote.quote_id, cursor=cursor_of(visit, read_long_number), limit=ROWS
        )
    wordings = holder_wordings(seen.today)
    number = seen.policy_number or ""
    refusal = _refusal(seen)
    problems = problems_of(fault, LABELS | OF_A_FILE) if fault else ()
    return page(
        visit,
        "company/certificates.html",
        status=status_of(fault) if fault else HTTPStatus.OK,
        name=str(seen.client["name"]),
        number=number,
        path=f"/policy/{seen.quote.quote_id}/certificates",
        back=f"/quote/{seen.quote.quote_id}",
        status_word=word_of(show_quote(seen), seen.today),
        refusal=refusal if not fault else "",
        may_issue=visit.user.role is Role.BROKER and not refusal,
        wordings=tuple(wordings.values()),
        choosable=tuple((code, wording.name) for code, wording in wordings.items()),
        typed={**dict.fromkeys((*LABELS, "list_wording"), ""), **(typed or {})},
        longest=LONGEST,
        most=MOST_HOLDERS,
        columns=COLUMNS,
        problems=problems,
        not_listed=fault.left_out if isinstance(fault, InvalidRequest) else 0,
        wrong={problem.field: problem.text for problem in problems},
        rows=shown_certificates(found.rows, wordings, visit.times(tx.now), policy_number=number),
        pager=pager_of(visit, found),
    )


def _refusal(seen: QuoteRecord) -> str:
    """Return why no certificate can be issued; empty if one can."""
    try:
        check_certifiable(seen.document_state_today, seen.policy_number)
    except WrongState as fault:
        return fault.message
    return ""
