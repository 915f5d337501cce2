"""The frame of a draft's steps: opening, saving, going on, and what every step's page shows.

A step is one function, `shown`, that returns its fields and what its template needs; `show_step` and
`send_step` do the rest. Its template extends `draft/step.html`. What changes while somebody types is in
`draft/_<step>.html`, where each piece has an id that the page has too; `save_step` answers with it.
"""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from bindery.actions.submission.save_draft import SavedDraft, save_draft
from bindery.domain.drafts.draft import Draft, DraftGone, DraftStep
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.fields import Fields, read_fields
from bindery.domain.drafts.merging import TypedForm, mark_of, read_form, written_marks
from bindery.http.quote_request import Judgment, QuoteRequest, judge_quote_request, read_quote_request
from bindery.storage.submission import drafts
from bindery.web.draft.problems import FoundProblem, found_problems
from bindery.web.draft.step_shown import news_in_words, saved_line, shown_step
from bindery.web.frame.render import page, part
from bindery.web.frame.visit import Visit, read_number

MARKS: Final = "marks"
COPIES: Final = "copies"
GO: Final = "go"
NEXT: Final = "next"
CHECK: Final = "check"
ASK: Final = "ask"
LETTER: Final = "letter"
BANNER_OF_CONFLICT: Final = (
    "⚠ Somebody else changed the same fields meanwhile. Yours are kept; theirs stand beside them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDraft:
    """A draft as a page sees it: what was typed, the request that it stands for, and what is wrong with it.

    `is_kept` is False for a page whose draft is kept with the first thing that is typed; `copies` is the
    company that it begins with.
    """

    draft: Draft
    now: datetime
    today: date
    body: dict[str, Any]
    applicant: DraftApplicant
    request: QuoteRequest
    problems: tuple[FoundProblem, ...]
    is_kept: bool = True
    copies: int | None = None

    @property
    def fields(self) -> Fields:
        return self.draft.fields

    def typed(self, name: str) -> str:
        return self.draft.typed(name)


@dataclass(frozen=True, slots=True)
class StepShown:
    """The fields of a step's page, whose order is that of its problems, and the values of its template.

    `problems` are what the page lists where that is more than reading the request finds.
    """

    names: tuple[str, ...]
    values: Mapping[str, Any]
    problems: tuple[FoundProblem, ...] | None = None


ShownOf = Callable[[Visit, OpenDraft], Awaitable[StepShown]]
PiecesOf = Callable[[Visit, SavedDraft], Awaitable[StepShown]]


def partner_of(visit: Visit) -> int:
    assert visit.partner_id is not None, "these pages are brokers'"
    return visit.partner_id


async def open_draft(visit: Visit) -> OpenDraft:
    """Find the draft of the address and read what it stands for.

    Raises:
        DraftGone: there is no such draft, or it is another partner's.
    """
    async with visit.runtime.database.reading() as tx:
        draft = await drafts.find(tx, visit.path_id("draft_id"), partner_id=partner_of(visit))
    if draft is None:
        raise DraftGone
    return await read_draft(visit, draft, now=tx.now, today=tx.today)


async def read_draft(
    visit: Visit,
    draft: Draft,
    *,
    now: datetime,
    today: date,
    is_kept: bool = True,
    copies: int | None = None,
) -> OpenDraft:
    body, applicant = read_fields(draft.fields, today)
    request = await read_quote_request(visit.runtime, draft.partner_id, msgspec.json.encode(body))
    return OpenDraft(
        draft=draft,
        now=now,
        today=today,
        body=body,
        applicant=applicant,
        request=request,
        problems=found_problems(request.reading.problems, body),
        is_kept=is_kept,
        copies=copies,
    )


async def judge(visit: Visit, opened: OpenDraft) -> Judgment:
    """Judge the request as `POST /v2/quotes/validate` does."""
    return await judge_quote_request(visit.runtime, opened.draft.partner_id, opened.request)


def address_of(draft_id: uuid.UUID, step: DraftStep, **query: str) -> str:
    return f"/draft/{draft_id}/{step}" + (f"?{urlencode(query)}" if query else "")


async def show_step(visit: Visit, step: DraftStep, shown_of: ShownOf) -> Response:
    opened = await open_draft(visit)
    if opened.draft.sent_as is not None:
        return await go_to_sent(visit, opened.draft)
    return step_page(visit, opened, step, await shown_of(visit, opened))


async def send_step(visit: Visit, step: DraftStep) -> Response:
    """Save the form of a step, right or wrong, and go where its button says."""
    return await go_on(visit, step, await save_form(visit))


async def go_on(visit: Visit, step: DraftStep, saved: SavedDraft) -> Response:
    draft = saved.draft
    if draft.sent_as is not None:
        return await go_to_sent(visit, draft)
    go = (await visit.form()).get(GO, NEXT)
    if go == "leave":
        return await visit.done(
            "/drafts", f"{draft.name or 'The draft'} is saved for you and your colleagues."
        )
    news = news_of(saved)
    if saved.conflicts:
        return await visit.done(
            address_of(draft.draft_id, step), f"{BANNER_OF_CONFLICT} {news.removeprefix('ⓘ ')}".strip()
        )
    if go in {ASK, LETTER}:
        return await visit.done(f"/draft/{draft.draft_id}/{go}", news)
    if go == CHECK:
        return await visit.done(address_of(draft.draft_id, step, check="1"), news)
    onward = {"back": step.before, NEXT: step.after, **{other.value: other for other in DraftStep}}.get(
        go, step
    )
    return await visit.done(address_of(draft.draft_id, onward), news)


def news_of(saved: SavedDraft) -> str:
    """Return what only others changed on the page that was sent, as a banner; empty if nothing."""
    said = news_in_words(saved.draft, saved.news, saved.today)
    return f"ⓘ {said}" if said else ""


async def save_step(visit: Visit, step: DraftStep, pieces_of: PiecesOf) -> Response:
    """Save what was typed so far, for a page that goes on being typed in, and answer with what changes."""
    form = await _typed_form(visit)
    saved = await _save(visit, form)
    draft = saved.draft
    if draft.sent_as is not None:
        # Without the part that the page waits for it says that it is out of date.
        return part("draft/_sent.html", company_id=draft.company_id)
    shown = await pieces_of(visit, saved)
    # The marks of what the page still shows: of what was typed there, not of what others typed.
    marks = " ".join(
        f"{name}:{mark_of((form.typed if name in form.marks else draft.fields).get(name, ()))}"
        for name in dict.fromkeys((*form.marks, *shown.names))
    )
    said = saved_line(
        visit, draft, step, now=saved.now, marks=marks, conflicts=saved.conflicts, news=saved.news
    )
    return part(f"draft/_{step}.html", step=said, **shown.values)


async def save_form(visit: Visit) -> SavedDraft:
    """Keep what a page of a draft sent.

    Raises:
        DraftGone: it is another partner's.
        InvalidRequest: there is too much in it.
        NotFound: the company that it copies is not the partner's.
    """
    return await _save(visit, await _typed_form(visit))


async def _typed_form(visit: Visit) -> TypedForm:
    return read_form((await visit.form()).get(MARKS, ""), await visit.form_fields())


async def _save(visit: Visit, form: TypedForm) -> SavedDraft:
    copies = read_number((await visit.form()).get(COPIES, ""))
    return await save_draft(
        visit.runtime.database, visit.user, visit.path_id("draft_id"), form, copies=copies
    )


def step_page(
    visit: Visit, opened: OpenDraft, step: DraftStep, shown: StepShown, *, status: int = HTTPStatus.OK
) -> Response:
    is_checked = bool(visit.word(CHECK))
    if shown.problems is not None:
        opened = replace(opened, problems=shown.problems)
    return page(
        visit,
        f"draft/{step}.html",
        status=status,
        step=shown_step(visit, opened, step, marks=written_marks(shown.names, opened.fields)),
        problems=problems_of_fields(opened, is_checked=is_checked),
        is_checked=is_checked,
        **shown.values,
    )


def problems_of_fields(opened: OpenDraft, *, is_checked: bool) -> dict[str, str]:
    """Return what is wrong by field; of a field without anything in it only when that was asked for."""
    found: dict[str, str] = {}
    for problem in opened.problems:
        if is_checked or opened.fields.get(problem.field):
            found.setdefault(problem.field, problem.text)
    return found


async def go_to_sent(visit: Visit, draft: Draft) -> Response:
    return await visit.done(
        f"/company/{draft.company_id}", "This quote was sent before: here is what came of it."
    )
