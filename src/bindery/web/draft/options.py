"""The step Options: limits by retentions to tick, what they may cost, and which an underwriter decides."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.submission.save_draft import SavedDraft
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.drafts.draft import DraftStep
from bindery.domain.drafts.draft_applicant import DraftApplicant, read_applicant
from bindery.domain.drafts.fields import OPTIONS, Fields, body_of
from bindery.domain.drafts.option_grid import Cells, lay_out_options, read_options, written_option
from bindery.web.draft.options_shown import ADDED, added_option, shown_options
from bindery.web.draft.price_shown import shown_price_of_options
from bindery.web.draft.step import (
    GO,
    NEXT,
    OpenDraft,
    StepShown,
    address_of,
    open_draft,
    save_step,
    send_step,
    show_step,
)
from bindery.web.draft.step_shown import options_hint
from bindery.web.frame.visit import SEE_OTHER, Visit, read_number

ALL: Final = "all"
ADD: Final = "add"


async def show_options(visit: Visit) -> Response:
    return await show_step(visit, DraftStep.OPTIONS, _shown)


async def save_options(visit: Visit) -> Response:
    return await save_step(visit, DraftStep.OPTIONS, _pieces)


async def send_options(visit: Visit) -> Response:
    form = await visit.form()
    go = form.get(GO, NEXT)
    if go == ADD and (ask := _added((await open_draft(visit)).applicant, form)) is not None:
        (await visit.form_fields()).append((OPTIONS, written_option(ask)))
    answer = await send_step(visit, DraftStep.OPTIONS)
    if go == ALL:
        return RedirectResponse(
            address_of(visit.path_id("draft_id"), DraftStep.OPTIONS, limits=ALL), SEE_OTHER
        )
    return answer


def _added(applicant: DraftApplicant, form: Mapping[str, str]) -> OptionAsk | None:
    limit, retention, per_claim, cap = (read_number(form.get(name, "")) for name in ADDED)
    if limit is None or retention is None:
        return None
    more = OptionAsk(limit, aggregate_retention=cap, per_claim_limit=per_claim)
    return added_option(applicant, limit, retention, more)


async def _shown(visit: Visit, opened: OpenDraft) -> StepShown:
    shows_all = visit.word("limits") == ALL
    return _priced(visit, opened.applicant, opened.fields, Cells.ALL if shows_all else Cells.USUAL)


async def _pieces(visit: Visit, saved: SavedDraft) -> StepShown:
    fields = saved.draft.fields
    applicant = read_applicant(body_of(fields, saved.today), saved.today)
    # The cells of the grid stay as they are.
    return _priced(visit, applicant, fields, Cells.TICKED)


def _priced(visit: Visit, applicant: DraftApplicant, fields: Fields, cells: Cells) -> StepShown:
    sanctions = visit.runtime.rules.sanctions
    ticked = read_options(fields.get(OPTIONS, ()))
    grid = lay_out_options(applicant, ticked, sanctions, cells=cells)
    return StepShown(
        (OPTIONS,),
        {
            "options": shown_options(applicant, grid, applicant.reasons(sanctions)),
            "options_hint": options_hint(grid.count),
            "price": shown_price_of_options(applicant, grid.ticked),
        },
    )
