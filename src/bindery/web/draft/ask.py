"""Asking the client: which open questions, by a link, and what comes back."""

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from bindery.actions.signing.send_link import LinkAsk, send_link, tokens_of
from bindery.actions.signing.take_answers import take_answers
from bindery.base.errors import IdempotencyInFlight, InvalidRequest
from bindery.domain.drafts.draft_applicant import DraftApplicant, read_applicant
from bindery.domain.drafts.fields import QUESTION
from bindery.domain.messages.signing_mails import LinkAbout
from bindery.domain.signing.client_link import LONGEST_MESSAGE, LONGEST_NAME, ClientLink, LinkPurpose
from bindery.storage.signing import client_links
from bindery.web.company.forms import problems_of, status_of
from bindery.web.company.links_shown import shown_links
from bindery.web.company.send import keyed
from bindery.web.draft.ask_shown import (
    ClientCard,
    not_asked_any_more,
    open_in_words,
    open_questions,
    shown_answers,
)
from bindery.web.draft.step import ASK, OpenDraft, go_to_sent, open_draft
from bindery.web.frame.render import page
from bindery.web.frame.route import LINKS
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import counted

MOST_LINKS: Final = 20
LABELS: Final = {"email": "Email", "name": "Name", "message": "Message", "asked": "The questions"}
THEIRS: Final = "theirs"
CONTACT: Final = "client.insured_main_contact"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAsk:
    """What the broker typed and ticked; `key` makes one form sent twice one link."""

    email: str
    name: str
    message: str
    asked: tuple[str, ...]
    key: str


async def client_card(visit: Visit, opened: OpenDraft, applicant: DraftApplicant) -> ClientCard:
    """Return what became of the questions that the client was asked, for the pages of a draft."""
    says = open_in_words(applicant)
    if not opened.draft.has_links:
        return ClientCard(says)
    links, opens = await _links(visit, opened)
    times = visit.times(opened.now)
    return ClientCard(
        says,
        shown_links(links, {}, times, to_sign=frozenset(), opens=opens),
        shown_answers(links, opened.draft, applicant, times),
    )


async def show_ask(visit: Visit) -> Response:
    opened = await open_draft(visit)
    if opened.draft.sent_as is not None:
        return await go_to_sent(visit, opened.draft)
    name = " ".join(opened.typed(f"{CONTACT}.{part}") for part in ("first_name", "last_name")).strip()
    asked = tuple(
        question.id for section in open_questions(_applicant(opened)) for question in section.questions
    )
    typed = TypedAsk(
        email=opened.typed(f"{CONTACT}.email"), name=name, message="", asked=asked, key=secrets.token_hex(16)
    )
    return await _page(visit, opened, typed)


async def send_ask(visit: Visit) -> Response:
    """Mail a link with the questions that are ticked and still open; what was typed stays when it fails."""
    fields = await visit.form_fields()
    form = dict(fields)
    typed = TypedAsk(
        email=form.get("email", ""),
        name=form.get("name", ""),
        message=form.get("message", ""),
        asked=tuple(value for name, value in fields if name == "asked"),
        key=form.get("key", ""),
    )
    opened = await open_draft(visit)
    draft = opened.draft
    if draft.sent_as is not None:
        return await go_to_sent(visit, draft)
    still_open = [
        question.id for section in open_questions(_applicant(opened)) for question in section.questions
    ]
    ask = LinkAsk(
        email=typed.email,
        name=typed.name or None,
        message=typed.message,
        purpose=LinkPurpose.ANSWERS,
        draft_id=draft.draft_id,
        asked=tuple(name for name in still_open if name in typed.asked),
        about=LinkAbout(draft.name or "your company", f"{visit.user.name} ({visit.user.email})"),
        broker_email=visit.user.email,
    )
    where = f"/draft/{draft.draft_id}/{ASK}"
    try:
        text = repr(typed) if visit.as_id(typed.key) else ""
        sent = await send_link(visit.runtime, keyed(visit, draft.partner_id, text), ask)
    except IdempotencyInFlight:
        return await visit.done(where)
    except InvalidRequest as fault:
        if not fault.problems:
            # Somebody was faster by a moment.
            return await go_to_sent(visit, (await open_draft(visit)).draft)
        return await _page(visit, opened, typed, fault=fault)
    if sent.is_replayed:
        return await visit.done(where, f"The link was sent to {typed.email} already.")
    return await visit.done(where, _said(ask, len(typed.asked) - len(ask.asked)))


def _said(ask: LinkAsk, answered: int) -> str:
    are, were = ("is" if len(ask.asked) == 1 else "are"), ("was" if answered == 1 else "were")
    said = f"{counted(len(ask.asked), 'question')} {are} on the way to {ask.email}."
    if answered <= 0:
        return said
    return f"{said} {counted(answered, 'question')} {were} answered meanwhile, and left out."


async def send_answers(visit: Visit) -> Response:
    """Settle what a client answered otherwise; whoever comes second is told who was first."""
    draft_id, form = (await open_draft(visit)).draft.draft_id, await visit.form()
    where, link_id = f"/draft/{draft_id}/{ASK}", visit.as_id(form.get("link", ""))
    if link_id is None:
        return await visit.done(where)
    chosen = {name for name, value in form.items() if name.startswith(QUESTION) and value == THEIRS}
    try:
        taken = await take_answers(visit.runtime.database, visit.user, draft_id, link_id, chosen)
    except InvalidRequest as fault:
        said = " ".join(problem.message for problem in fault.problems)
        return await visit.done(where, f"\N{WARNING SIGN} Not taken over. {said}.")
    if taken.draft.sent_as is not None:
        return await go_to_sent(visit, taken.draft)
    if not taken.is_first:
        by = taken.link.taken_by or taken.link.client
        return await visit.done(where, f"\N{WARNING SIGN} {by} settled this before: nothing was changed.")
    return await visit.done(
        f"/draft/{draft_id}/review", f"The answers of {taken.link.client} are in the draft."
    )


def _applicant(opened: OpenDraft) -> DraftApplicant:
    return read_applicant(opened.body, opened.today)


async def _links(visit: Visit, opened: OpenDraft) -> tuple[Sequence[ClientLink], dict[uuid.UUID, str]]:
    """Return the links of a draft, and in the demo, which mails nothing, where they lead."""
    async with visit.runtime.database.reading() as tx:
        links = await client_links.of_draft(tx, opened.draft.draft_id, limit=MOST_LINKS)
        working = [link.link_id for link in links if link.works_at(opened.now)]
        is_shown = bool(working) and visit.runtime.settings.is_demo
        tokens = await tokens_of(tx, visit.runtime.sealer, working) if is_shown else {}
    return links, {link_id: f"{LINKS}{token}" for link_id, token in tokens.items()}


async def _page(
    visit: Visit, opened: OpenDraft, typed: TypedAsk, *, fault: InvalidRequest | None = None
) -> Response:
    applicant, times = _applicant(opened), visit.times(opened.now)
    links, opens = await _links(visit, opened)
    return page(
        visit,
        "draft/ask.html",
        status=status_of(fault) if fault else 200,
        draft_id=str(opened.draft.draft_id),
        name=opened.draft.name or "New quote",
        sections=open_questions(applicant),
        lacks_revenue=applicant.revenue is None,
        typed=typed,
        company={"links": shown_links(links, {}, times, to_sign=frozenset(), opens=opens), "send": ""},
        answered=shown_answers(links, opened.draft, applicant, times),
        left_out=not_asked_any_more(links, applicant, times),
        longest_name=LONGEST_NAME,
        longest_message=LONGEST_MESSAGE,
        problems=problems_of(fault, LABELS) if fault else (),
    )
