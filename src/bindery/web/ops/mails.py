from datetime import datetime

from starlette.responses import Response

from bindery.actions.documents.read_mail import read_mail
from bindery.actions.documents.send_mail import TRIED_FOR, send_mail_again
from bindery.contract.documents import ABOUT, DocumentType
from bindery.domain.messages.mails import SIGNED_APPLICATION, kind_in_words, read_enclosure
from bindery.storage.database import Reader
from bindery.storage.documents import mails
from bindery.storage.documents.mails import ListedMail, SentDocument
from bindery.storage.jobs import queue
from bindery.storage.list_pages import ListPage
from bindery.web.account.confirming import ask_to_confirm
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.ops.states_shown import ShownState, mail_state


async def show_mails(visit: Visit) -> Response:
    cursor = paging.cursor_of(visit, visit.as_id)

    async def read(tx: Reader) -> tuple[ListPage[ListedMail], bool | None, datetime]:
        found = await mails.list_mails(tx, cursor=cursor, limit=paging.ROWS)
        return found, await queue.has_worker_with_mail(tx), tx.now

    found, worker_sends, now = await visit.runtime.database.read(read)
    return page(
        visit,
        "ops/mails.html",
        times=visit.times(now),
        rows=[(mail, kind_in_words(mail.kind), _state(mail, now)) for mail in found.rows],
        pager=paging.pager_of(visit, found),
        worker_sends=worker_sends,
    )


async def show_mail(visit: Visit) -> Response:
    """Show a mail with its text, which holds an applicant's data."""
    if (confirm := await ask_to_confirm(visit)) is not None:
        return confirm
    mail, body = await read_mail(visit.runtime.database, visit.path_id("mail_id"), by=visit.doer)
    now = await visit.runtime.database.now()
    enclosures = [read_enclosure(text) for text in mail.attachments]
    return page(
        visit,
        "ops/mail.html",
        headers={"Cache-Control": "no-store"},
        times=visit.times(now),
        mail=mail,
        kind=kind_in_words(mail.kind),
        state=_state(mail, now),
        is_failed=_is_failed(mail, now),
        may_send_again=mail.sent_at is None and (mail.last_error is not None or _is_old(mail, now)),
        attached=", ".join(enclosure.name for enclosure in enclosures),
        sent_documents=[(_name(sent), sent.version, sent.sha256) for sent in mail.documents],
        body=body,
    )


async def send_again(visit: Visit) -> Response:
    mail_id = visit.path_id("mail_id")
    is_unsent = await send_mail_again(visit.runtime.database, mail_id, by=visit.doer)
    said = "It is in the queue again." if is_unsent else "Nothing was done: it was sent already."
    return await visit.done(f"/ops/mails/{mail_id}", said)


def _name(sent: SentDocument) -> str:
    if sent.document == SIGNED_APPLICATION:
        return "Signed application"
    return ABOUT[DocumentType(sent.document)].name


def _state(mail: ListedMail, now: datetime) -> ShownState:
    return mail_state(
        is_sent=mail.sent_at is not None,
        is_failed=_is_failed(mail, now),
        was_tried=mail.last_error is not None,
    )


def _is_failed(mail: ListedMail, now: datetime) -> bool:
    """Whether a mail is tried no more: without a mail server none was ever tried."""
    return mail.sent_at is None and mail.last_error is not None and _is_old(mail, now)


def _is_old(mail: ListedMail, now: datetime) -> bool:
    return mail.tried_since < now - TRIED_FOR
