"""The step Questions: what the product asks of this applicant, and what it may cost so far."""

from starlette.responses import Response

from bindery.actions.submission.save_draft import SavedDraft
from bindery.domain.drafts.draft import DraftStep
from bindery.domain.drafts.draft_applicant import read_applicant
from bindery.domain.drafts.fields import QUESTION, body_of
from bindery.domain.drafts.news import brought_up
from bindery.storage.submission import drafts
from bindery.web.draft.ask import client_card
from bindery.web.draft.drop import unknown_in_words
from bindery.web.draft.options_shown import shown_outcome
from bindery.web.draft.price_shown import shown_price
from bindery.web.draft.questions_shown import shown_progress, shown_questions
from bindery.web.draft.step import (
    GO,
    NEXT,
    OpenDraft,
    StepShown,
    address_of,
    go_on,
    news_of,
    partner_of,
    save_form,
    save_step,
    show_step,
)
from bindery.web.draft.step_shown import questions_hint
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import counted


async def show_questions(visit: Visit) -> Response:
    return await show_step(visit, DraftStep.QUESTIONS, _shown)


async def save_questions(visit: Visit) -> Response:
    return await save_step(visit, DraftStep.QUESTIONS, _pieces)


async def send_questions(visit: Visit) -> Response:
    """Save the answers and go on; what they opened is shown first to whoever has not seen it."""
    async with visit.runtime.database.reading() as tx:
        before = await drafts.find(tx, visit.path_id("draft_id"), partner_id=partner_of(visit))
    saved = await save_form(visit)
    now = saved.draft
    goes_on = (await visit.form()).get(GO, NEXT) == NEXT and not saved.conflicts and now.sent_as is None
    if goes_on and before is not None:
        was, found = (read_applicant(body_of(draft.fields, tx.today), tx.today) for draft in (before, now))
        if opened := brought_up(was, found):
            place = f"{address_of(now.draft_id, DraftStep.QUESTIONS)}#{QUESTION}{opened[0]}"
            said = f"Your answers bring up {counted(len(opened), 'more question')}. {news_of(saved)}"
            return await visit.done(place, said.strip())
    return await go_on(visit, DraftStep.QUESTIONS, saved)


def _news(count: int) -> str:
    return f"{counted(count, 'question')} marked New came up since you answered the others."


async def _shown(visit: Visit, opened: OpenDraft) -> StepShown:
    applicant = opened.applicant
    questions = shown_questions(
        applicant, opened.fields, of_new_edition=opened.draft.new_questions(opened.today)
    )
    return StepShown(
        questions.names,
        {
            "sections": questions.sections,
            "progress": questions.progress,
            "seen": questions.seen,
            "news": _news(questions.news) if questions.news else "",
            "price": shown_price(applicant),
            "outcome": shown_outcome(applicant, opened.fields, visit.runtime.rules.sanctions),
            "client": await client_card(visit, opened, applicant),
            "unknown": unknown_in_words(opened.fields, opened.today),
        },
    )


async def _pieces(visit: Visit, saved: SavedDraft) -> StepShown:
    """Return what changes on a page whose questions stay as they are."""
    applicant = read_applicant(body_of(saved.draft.fields, saved.today), saved.today)
    sections, progress = shown_progress(applicant)
    return StepShown(
        (),
        {
            "sections": sections,
            "progress": progress,
            "questions_hint": questions_hint(progress),
            "price": shown_price(applicant),
            "outcome": shown_outcome(applicant, saved.draft.fields, visit.runtime.rules.sanctions),
        },
    )
