"""Starting a draft, empty, from a company or from a file; the firm's drafts; and deleting one."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.submission.delete_draft import delete_draft
from bindery.actions.submission.start_draft import fields_of_company, start_draft
from bindery.base.ids import uuid7
from bindery.domain.drafts.draft import KEPT_FOR, Draft, DraftStep
from bindery.domain.drafts.fields import OPTIONS, Fields
from bindery.domain.drafts.option_grid import BEGUN_WITH
from bindery.domain.questions.question import QUESTIONS
from bindery.storage.database import Reader
from bindery.storage.submission import drafts
from bindery.storage.submission.drafts import DraftLine
from bindery.web.draft import company
from bindery.web.draft.drop import Dropped, read_drop
from bindery.web.draft.step import address_of, go_to_sent, open_draft, partner_of, read_draft, step_page
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit, read_number
from bindery.web.shown.words import StatusDot, Times, day, day_of_year, product_name

MOST_DRAFTS: Final = 100


async def show_new(visit: Visit) -> Response:
    """Show the first step of a draft that is kept as soon as something is typed."""
    copies = read_number(visit.word("company_id"))
    async with visit.runtime.database.reading() as tx:
        fields = (
            await fields_of_company(tx, copies, partner_id=partner_of(visit))
            if copies
            else {OPTIONS: BEGUN_WITH}
        )
    draft = _unkept(visit, fields, now=tx.now, today=tx.today)
    opened = await read_draft(visit, draft, now=tx.now, today=tx.today, is_kept=False, copies=copies)
    return step_page(visit, opened, DraftStep.COMPANY, await company.shown(visit, opened))


def _unkept(visit: Visit, fields: Fields, *, now: datetime, today: date) -> Draft:
    return Draft(
        draft_id=uuid7(now, visit.runtime.database.rng),
        partner_id=partner_of(visit),
        version=0,
        fields=fields,
        typists={},
        others={},
        question_edition=QUESTIONS.in_force(today).edition,
        created_by=visit.user.name,
        changed_by=visit.user.name,
        created_at=now,
        changed_at=now,
        sent_as=None,
        company_id=None,
    )


async def send_new(visit: Visit) -> Response:
    """Start a draft with the file that was dropped."""
    dropped = await read_drop(visit)
    if not isinstance(dropped, Dropped):
        return page(visit, "draft/dropped.html", status=422, problem=dropped)
    fields = dropped.fields
    if company.BROKER not in fields and (own := company.own_broker(visit, await company.brokers_of(visit))):
        # As the page would have it: a file that names no broker lacks nothing by that.
        fields = {**fields, company.BROKER: (own,)}
    draft_id = await start_draft(visit.runtime.database, visit.user, fields)
    return await visit.done(address_of(draft_id, DraftStep.REVIEW), dropped.said)


async def show_drafts(visit: Visit) -> Response:
    partner_id = partner_of(visit)

    async def read(tx: Reader) -> tuple[Sequence[DraftLine], datetime]:
        return await drafts.newest(tx, partner_id=partner_id, most=MOST_DRAFTS), tx.now

    found, now = await visit.runtime.database.read(read)
    times = visit.times(now)
    rows = tuple(
        (
            f"/draft/{line.draft_id}",
            line.name or "No name yet",
            product_name(line.product or "CYB"),
            line.changed_by,
            times.at(line.changed_at),
            _client(line, times),
            day((line.changed_at + KEPT_FOR).astimezone(times.zone)),
        )
        for line in found
    )
    return page(visit, "draft/drafts.html", rows=rows, most=MOST_DRAFTS if len(rows) == MOST_DRAFTS else None)


def _client(line: DraftLine, times: Times) -> tuple[StatusDot, str] | None:
    """Return what became of what the client was asked; None if nothing was."""
    if line.client is None:
        return None
    if line.answered_at is None:
        return StatusDot.WAIT, f"{line.client} was asked"
    on = day_of_year(line.answered_at.astimezone(times.zone).date())
    choose = "" if line.is_settled else ": choose which holds"
    return StatusDot.OPEN if line.is_settled else StatusDot.WARN, f"{line.client} answered on {on}{choose}"


async def go_to_draft(visit: Visit) -> Response:
    """Lead to the first step that something is left to do in."""
    opened = await open_draft(visit)
    step = opened.problems[0].step if opened.problems else DraftStep.REVIEW
    return RedirectResponse(address_of(opened.draft.draft_id, step), SEE_OTHER)


async def send_delete(visit: Visit) -> Response:
    draft_id, partner_id = visit.path_id("draft_id"), partner_of(visit)
    if await delete_draft(visit.runtime.database, draft_id, partner_id=partner_id):
        return await visit.done("/drafts", "The draft is deleted.")
    # It was sent, or somebody else was first.
    return await go_to_sent(visit, (await open_draft(visit)).draft)
