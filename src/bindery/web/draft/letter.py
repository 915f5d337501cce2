"""The place for a broker-of-record letter, where another organization has what a draft names."""

import asyncio
from http import HTTPStatus

from starlette.responses import Response

from bindery.actions.submission.send_letter import applying_of, send_letter
from bindery.base.errors import BinderyError, InvalidRequest
from bindery.base.fair_queue import QueueFull
from bindery.domain.documents.file_types import UnsupportedPaper
from bindery.domain.quote.clearance import key_in_words
from bindery.domain.quote.record_letter import RecordLetter
from bindery.http.errors import TooLarge
from bindery.http.multipart import received_upload
from bindery.http.quote_request import find_conflict
from bindery.storage.submission import record_letters
from bindery.web.company.documents import TooMuchAtOnce
from bindery.web.company.unfit_file import in_sentences, problems_of_file
from bindery.web.draft.drop import kind_of
from bindery.web.draft.letter_shown import letter_in_words
from bindery.web.draft.step import OpenDraft, go_to_sent, open_draft, partner_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit


async def show_letter(visit: Visit) -> Response:
    opened = await open_draft(visit)
    if opened.draft.sent_as is not None:
        return await go_to_sent(visit, opened.draft)
    return await _page(visit, opened)


async def send_file(visit: Visit) -> Response:
    """Keep the letter; a file that cannot be taken is said on the page."""
    draft_id = (await open_draft(visit)).draft.draft_id
    try:
        async with received_upload(
            visit.runtime, visit.request, partner_id=partner_of(visit), fields={}
        ) as form:
            kind = await asyncio.to_thread(kind_of, form.file)
            letter = await send_letter(visit.runtime, visit.user, draft_id, form.file, kind, form.filename)
    except QueueFull:
        raise TooMuchAtOnce from None
    except (TooLarge, UnsupportedPaper, InvalidRequest) as fault:
        opened = await open_draft(visit)
        if opened.draft.sent_as is not None:
            return await go_to_sent(visit, opened.draft)
        return await _page(visit, opened, fault=fault)
    return await visit.done(f"/draft/{draft_id}/letter", f"{letter.name} is with an underwriter.")


async def _page(visit: Visit, opened: OpenDraft, *, fault: BinderyError | None = None) -> Response:
    draft = opened.draft
    applying = applying_of(draft, opened.today)
    conflict = await find_conflict(visit.runtime, draft.partner_id, applying.submission, applying.company_id)
    async with visit.runtime.database.reading() as tx:
        letter = await record_letters.newest_of_draft(tx, draft.draft_id)
    return page(
        visit,
        "draft/letter.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.OK,
        draft_id=str(draft.draft_id),
        name=draft.name or "New quote",
        shared=tuple(key_in_words(key) for key in applying.keys if key[0] in conflict.kinds),
        is_needed=bool(conflict.kinds) and not conflict.is_own,
        letter=_says(letter, visit, opened),
        problems=in_sentences(problems_of_file(fault)) if fault else (),
    )


def _says(letter: RecordLetter | None, visit: Visit, opened: OpenDraft) -> str:
    return "" if letter is None else letter_in_words(letter, visit.times(opened.now))
