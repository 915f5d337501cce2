"""The step Review: everything on one page, all problems at once, and one button that sends it once."""

from dataclasses import replace
from http import HTTPStatus
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.submission.send_draft import SentDraft, find_sent, send_draft, sender_of
from bindery.base.errors import ClearanceBlocked, IdempotencyInFlight, InvalidRequest
from bindery.domain.drafts.draft import DraftStep
from bindery.domain.drafts.fields import OPTIONS
from bindery.domain.drafts.option_grid import Cells, lay_out_options, read_options
from bindery.web.draft.ask import client_card
from bindery.web.draft.drop import unknown_in_words
from bindery.web.draft.price_shown import shown_price_of_options
from bindery.web.draft.problems import found_problems
from bindery.web.draft.review_shown import shown_review
from bindery.web.draft.step import (
    GO,
    OpenDraft,
    StepShown,
    address_of,
    go_to_sent,
    judge,
    open_draft,
    show_step,
    step_page,
)
from bindery.web.frame.visit import SEE_OTHER, Visit, read_number

VERSION: Final = "version"
UNPROCESSABLE: Final = HTTPStatus.UNPROCESSABLE_ENTITY
SENT_AGAIN: Final = (
    "It had been sent before, once: here is what came of it. Changes made since are not part of it."
)
CHANGED: Final = "It was changed by {by} after this page was opened. Look through it once more, then send it."
BEING_SENT: Final = (
    "⚠ It is being sent at this moment. Open it again in a few seconds to see what came of it."
)


async def show_review(visit: Visit) -> Response:
    return await show_step(visit, DraftStep.REVIEW, shown)


async def shown(visit: Visit, opened: OpenDraft) -> StepShown:
    judgment = await judge(visit, opened)
    problems = found_problems(judgment.problems, opened.body)
    seen = shown_review(opened.draft, opened.body, judgment, problems, today=opened.today)
    ticked = read_options(opened.fields.get(OPTIONS, ()))
    grid = lay_out_options(opened.applicant, ticked, visit.runtime.rules.sanctions, cells=Cells.TICKED)
    values = {
        **seen,
        "price": shown_price_of_options(opened.applicant, grid.ticked),
        "client": await client_card(visit, opened, opened.applicant),
        "unknown": unknown_in_words(opened.fields, opened.today),
        "version": opened.draft.version,
        "changed": "",
    }
    return StepShown((), values, problems)


async def send_review(visit: Visit) -> Response:
    """Send the draft as its page showed it, or show everything that is in the way.

    It is sent once: by two clicks, from two pages, and after an answer that was lost.
    """
    opened = await open_draft(visit)
    draft = opened.draft
    if draft.sent_as is not None:
        return await go_to_sent(visit, draft)
    elsewhere = {"back": address_of(draft.draft_id, DraftStep.OPTIONS), "leave": "/drafts"}
    if (go := (await visit.form()).get(GO, "")) in elsewhere:
        return RedirectResponse(elsewhere[go], SEE_OTHER)
    if read_number((await visit.form()).get(VERSION, "")) not in {None, draft.version}:
        seen = await shown(visit, opened)
        by = "you" if draft.changed_by == visit.user.name else draft.changed_by
        changed = replace(seen, values={**seen.values, "changed": CHANGED.format(by=by)})
        return step_page(visit, opened, DraftStep.REVIEW, changed, status=HTTPStatus.CONFLICT)
    try:
        sent = await _send(visit, opened)
    except IdempotencyInFlight:
        return await visit.done(address_of(draft.draft_id, DraftStep.REVIEW), BEING_SENT)
    except (InvalidRequest, ClearanceBlocked):
        # Judged anew, so that the page shows all that is in the way, with the status of a refused form.
        return step_page(visit, opened, DraftStep.REVIEW, await shown(visit, opened), status=UNPROCESSABLE)
    # A banner would take the focus, and a page that somebody is in does not fill in by itself.
    return await visit.done(f"/company/{sent.company_id}", SENT_AGAIN if sent.is_again else "")


async def _send(visit: Visit, opened: OpenDraft) -> SentDraft:
    database, caller = visit.runtime.database, sender_of(opened.draft, visit.actor)
    # What was sent once is answered as it was then, also where it would be refused today.
    sent = await find_sent(database, opened.draft, caller)
    if sent is not None:
        return sent
    ask = opened.request.accepted_from(caller)
    return await send_draft(database, visit.runtime.rules, opened.draft, ask)
