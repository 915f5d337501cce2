"""The pages that a client opens by a link: a proposal to choose from, and an application to sign."""

import uuid
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.documents.make_document import find_issue
from bindery.actions.signing.choose_option import choose_option
from bindery.actions.signing.find_link import find_standings
from bindery.actions.signing.open_link import open_link
from bindery.actions.signing.send_back import send_back
from bindery.actions.signing.send_code import send_code
from bindery.actions.signing.sign_application import SignAsk, sign_application
from bindery.base.errors import BinderyError, InvalidRequest
from bindery.contract.documents import DocumentType
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.signing.client_link import (
    ClientLink,
    LinkEnded,
    LinkPurpose,
    TooManyTries,
)
from bindery.domain.signing.signing import (
    ShownTerms,
    Signer,
    TermsNoLongerHold,
    problems_of_signer,
    read_shown,
)
from bindery.storage.quote import quote_view
from bindery.storage.signing import signatures
from bindery.web.client.answers import questions_page, thanks
from bindery.web.client.client_shown import ClientOption, proposal_page
from bindery.web.client.link import address_of, by_link, client_of, client_page, find, form_token, token_of
from bindery.web.client.sign_shown import SignForm, done_page, sign_page
from bindery.web.company.forms import FormProblem, problems_of
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.shown.words import Times

LABELS: Final = {
    "name": "Your name",
    "title": "Your title",
    "is_authorized": "Your authority",
    "acknowledged": "The notice of your state",
    "has_consented": "Your consent",
    "code": "The code",
    "text": "What is wrong",
    "option": "The option",
}
NOTHING_READ: Final = ShownTerms(0, is_bound=False)
"""What a form says that was tampered with: terms that nothing ever had."""


@dataclass(frozen=True, slots=True)
class ReadLink:
    """A link with everything that its pages show."""

    link: ClientLink
    options: list[ClientOption]
    facts: DocumentFacts
    times: Times

    @property
    def subject(self) -> ClientOption:
        return next(option for option in self.options if option.record.quote.quote_id == self.link.quote_id)

    @property
    def is_to_choose(self) -> bool:
        return self.link.purpose is LinkPurpose.PROPOSAL and len(self.options) > 1 and not self.link.chosen_at


@by_link
async def show_link(visit: Visit) -> Response:
    """Show what the link is for; programs that look at links in mails open it too, which is only counted."""
    opened = await open_link(visit.runtime.database, token_of(visit), client_of(visit))
    if opened.link.purpose is LinkPurpose.ANSWERS:
        return (
            await questions_page(visit, opened.link) if opened.link.is_waiting else thanks(visit, opened.link)
        )
    read = await _read(visit, opened.link)
    return await _done(visit, read) if not opened.link.is_waiting else _proposal(visit, read)


async def _find(visit: Visit) -> ClientLink:
    """Find a link to choose or sign by; one that asks questions has none of these pages."""
    link = await find(visit)
    if link.purpose is LinkPurpose.ANSWERS:
        raise LinkEnded
    return link


@by_link
async def send_choice(visit: Visit) -> Response:
    chosen = visit.as_id((await visit.form()).get("option", ""))
    try:
        await choose_option(
            visit.runtime.database, token_of(visit), client_of(visit), chosen or uuid.UUID(int=0)
        )
    except (InvalidRequest, TermsNoLongerHold) as fault:
        return _proposal(visit, await _read(visit, await _find(visit)), fault=fault)
    return RedirectResponse(f"{address_of(token_of(visit))}/sign", SEE_OTHER)


@by_link
async def show_sign(visit: Visit) -> Response:
    read = await _read(visit, await _find(visit))
    if not read.link.is_waiting or read.is_to_choose:
        return RedirectResponse(address_of(token_of(visit)), SEE_OTHER)
    return _sign(visit, read, SignForm(name=read.link.name or ""))


@by_link
async def send_sign(visit: Visit) -> Response:
    """Mail the code, or sign with it; whatever was typed stays."""
    form = await visit.form()
    typed = SignForm(
        name=form.get("name", ""),
        title=form.get("title", ""),
        is_authorized=form.get("is_authorized") == "yes",
        acknowledged=form.get("acknowledged") == "yes",
        has_consented=form.get("has_consented") == "yes",
        code=form.get("code", ""),
        is_code_sent=form.get("do") == "sign",
    )
    try:
        if typed.is_code_sent:
            return await _send_signature(visit, typed, read_shown(form.get("shown", "")) or NOTHING_READ)
        return await _send_code(visit, typed)
    except (InvalidRequest, TermsNoLongerHold, TooManyTries) as fault:
        read = await _read(visit, await _find(visit))
        if not read.link.is_waiting:
            # Pressed twice, or in two windows: the other one was first.
            return RedirectResponse(address_of(token_of(visit)), SEE_OTHER)
        return _sign(visit, read, typed, fault=fault)


async def _send_code(visit: Visit, typed: SignForm) -> Response:
    """Mail a code once the rest of the form holds, so that none is used up by a missing title."""
    signer = _signer(typed, (await _read(visit, await _find(visit))).facts)
    if problems := [problem for problem in problems_of_signer(signer) if problem.path != "code"]:
        raise InvalidRequest.because(problems)
    sent = await send_code(visit.runtime, token_of(visit), client_of(visit))
    read = await _read(visit, await _find(visit))
    return _sign(visit, read, replace(typed, is_code_sent=True, code="", demo_code=sent.shown or ""))


async def _send_signature(visit: Visit, typed: SignForm, shown: ShownTerms) -> Response:
    token, read = token_of(visit), await _read(visit, await _find(visit))
    ask = SignAsk(token=token, visit=client_of(visit), shown=shown, signer=_signer(typed, read.facts))
    await sign_application(visit.runtime, ask)
    return RedirectResponse(address_of(token), SEE_OTHER)


def _signer(typed: SignForm, facts: DocumentFacts) -> Signer:
    return Signer(
        name=typed.name,
        title=typed.title,
        is_authorized=typed.is_authorized,
        has_consented=typed.has_consented,
        code=typed.code,
        has_acknowledged=typed.acknowledged or not facts.notice.acknowledged,
    )


@by_link
async def send_wrong(visit: Visit) -> Response:
    text = (await visit.form()).get("text", "")
    await _find(visit)
    try:
        runtime = visit.runtime
        await send_back(runtime.database, runtime.rules, token_of(visit), client_of(visit), text)
    except InvalidRequest as fault:
        read = await _read(visit, await _find(visit))
        return _proposal(visit, read, fault=fault, typed=text)
    return RedirectResponse(address_of(token_of(visit)), SEE_OTHER)


async def _read(visit: Visit, link: ClientLink) -> ReadLink:
    async with visit.runtime.database.reading() as tx:
        records = await quote_view.see_options(tx, link.option_ids or (link.subject,))
        standings = await find_standings(tx, [record.quote for record in records])
        issue = await find_issue(tx, visit.runtime.rules, link.subject, DocumentType.APPLICATION, 1)
    options = [*map(ClientOption, records, standings)]
    return ReadLink(link, options, issue.facts, visit.times(tx.now))


def _proposal(
    visit: Visit, read: ReadLink, *, fault: BinderyError | None = None, typed: str = ""
) -> Response:
    token = token_of(visit)
    page = proposal_page(
        read.link,
        read.options,
        read.facts,
        read.times,
        address=address_of(token),
        form_token=form_token(token),
    )
    problems = problems_of(fault, LABELS) if fault else ()
    return client_page(
        visit,
        "client/proposal.html",
        status=_status(fault),
        page=page,
        problems=problems,
        typed=typed,
        wrong_problem=_about("text", problems),
    )


def _sign(visit: Visit, read: ReadLink, form: SignForm, *, fault: BinderyError | None = None) -> Response:
    token = token_of(visit)
    page = sign_page(
        read.link,
        read.subject,
        read.facts,
        address=address_of(token),
        form_token=form_token(token),
        changed=fault.message if isinstance(fault, TermsNoLongerHold) else "",
    )
    is_about_form = fault is not None and not isinstance(fault, TermsNoLongerHold)
    problems = problems_of(fault, LABELS) if fault and is_about_form else ()
    return client_page(
        visit,
        "client/sign.html",
        status=_status(fault),
        page=page,
        form=form,
        problems=problems,
        typed="",
        wrong_problem="",
    )


async def _done(visit: Visit, read: ReadLink) -> Response:
    async with visit.runtime.database.reading() as tx:
        signature = await signatures.find(tx, read.link.link_id)
    page = done_page(
        read.link,
        read.subject,
        read.facts,
        read.times,
        signature=signature,
        address=address_of(token_of(visit)),
    )
    return client_page(visit, "client/done.html", page=page)


def _about(field: str, problems: tuple[FormProblem, ...]) -> str:
    return "; ".join(problem.text for problem in problems if problem.field == field)


def _status(fault: BinderyError | None) -> int:
    match fault:
        case None:
            return HTTPStatus.OK
        case InvalidRequest():
            return HTTPStatus.UNPROCESSABLE_ENTITY
        case TooManyTries():
            return HTTPStatus.TOO_MANY_REQUESTS
        case _:
            return HTTPStatus.CONFLICT
