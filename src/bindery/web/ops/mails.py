from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.contract.documents import ABOUT
from bindery.domain.messages.mails import read_enclosure
from bindery.storage.documents import mails
from bindery.storage.documents.mails import ListedMail
from bindery.web.account.confirming import ask_to_confirm
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit


async def show_mails(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        cursor = paging.cursor_of(visit, visit.as_id)
        found = await mails.list_mails(tx, cursor=cursor, limit=paging.ROWS)
    return page(
        visit,
        "ops/mails.html",
        times=visit.times(tx.now),
        rows=found.rows,
        kind_of=_kind_of,
        pager=paging.pager_of(visit, found),
        has_server=bool(visit.runtime.settings.smtp_url),
    )


async def show_mail(visit: Visit) -> Response:
    """Show a mail with its text, which holds an applicant's data."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    async with visit.runtime.database.reading() as tx:
        found = await mails.find(tx, visit.path_id("mail_id"))
    if found is None:
        raise NotFound("There is no such mail.")
    mail, body = found
    return page(
        visit,
        "ops/mail.html",
        headers={"Cache-Control": "no-store"},
        times=visit.times(tx.now),
        mail=mail,
        kind=_kind_of(mail),
        attached=", ".join(ABOUT[read_enclosure(text).document].name for text in mail.attachments),
        body=body,
    )


def _kind_of(mail: ListedMail) -> str:
    # Some end in the step that they are about, which tells them apart and means nothing to people.
    return mail.kind.rstrip("0123456789").replace("_", " ").strip()
