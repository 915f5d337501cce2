"""Mail: what was written, to which recipients, and whether it was sent."""

from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.contract.documents import ABOUT
from bindery.domain.messages.mails import read_enclosure
from bindery.storage import mail_view
from bindery.storage.mail_view import ListedMail
from bindery.web.confirming import ask_to_confirm
from bindery.web.paging import AFTER, BEFORE, page_of
from bindery.web.render import page
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment
from bindery.web.visit import Visit

ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class ShownMail:
    """One mail, and where the journal of its quote is."""

    address: str
    kind: str
    to: str
    subject: str
    attached: str
    journal: str
    created: Moment
    sent: Moment | None


async def show_mails(visit: Visit) -> Response:
    """List mail: what was not sent yet first."""
    async with visit.runtime.database.reading() as tx:
        found = await mail_view.list_mails(
            tx, after=visit.as_id(visit.word(AFTER)), before=visit.as_id(visit.word(BEFORE)), limit=ROWS + 1
        )
    times = Times(visit.runtime.settings.zone, tx.now)
    shown, pager = page_of(visit, found, most=ROWS, key=lambda mail: mail.mail_id)
    return page(
        visit,
        "mails.html",
        rows=tuple(_shown(mail, times) for mail in shown),
        pager=pager,
        has_server=bool(visit.runtime.settings.smtp_url),
        zone=times.zone_name,
    )


async def show_mail(visit: Visit) -> Response:
    """Show a mail with its text, which holds an applicant's data."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    async with visit.runtime.database.reading() as tx:
        found = await mail_view.find(tx, visit.path_id("mail_id"))
    if found is None:
        raise NotFound("There is no such mail.")
    mail, body = found
    times = Times(visit.runtime.settings.zone, tx.now)
    return page(
        visit,
        "mail.html",
        headers={"Cache-Control": "no-store"},
        mail=_shown(mail, times),
        body=body,
        zone=times.zone_name,
    )


def _shown(mail: ListedMail, times: Times) -> ShownMail:
    return ShownMail(
        address=f"/ops/mails/{mail.mail_id}",
        # Some end in the step that they are about, which tells them apart and means nothing to people.
        kind=mail.kind.rstrip("0123456789").replace("_", " ").strip(),
        to=", ".join(mail.recipients),
        subject=mail.subject,
        attached=", ".join(ABOUT[read_enclosure(text).document].name for text in mail.attachments),
        journal=f"/ops/journal/{mail.quote_id}" if mail.quote_id else "",
        created=times.at(mail.created_at),
        sent=times.at(mail.sent_at) if mail.sent_at else None,
    )
