"""The company page, the way to the comparison of its options, and what changed between its submissions."""

from collections.abc import Mapping
from http import HTTPStatus
from itertools import groupby
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.signing.send_link import tokens_of
from bindery.base.errors import NotFound
from bindery.contract.documents import DocumentType
from bindery.domain.access.users import Role
from bindery.domain.documents.access import available_documents
from bindery.domain.quote.lifecycle import BINDABLE, Trigger
from bindery.domain.quote.price_explanation import PriceExplanation
from bindery.domain.quote.quote import Quote
from bindery.storage.access import users
from bindery.storage.desk import desk
from bindery.storage.documents import mails, packets
from bindery.storage.documents.packets import IssuedDocument
from bindery.storage.lists.today import note_look
from bindery.storage.policy import changes, policies, rescans
from bindery.storage.quote import journal
from bindery.storage.signing import client_links
from bindery.storage.submission import earlier, submissions
from bindery.web.company.book import broker_of, find_company, find_quote
from bindery.web.company.company_shown import CompanyPage, company_page
from bindery.web.company.submission_shown import submissions_by_quote, title_of
from bindery.web.frame.render import page
from bindery.web.frame.route import LINKS
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.shown.changes import shown_changes
from bindery.web.shown.history import history_of
from bindery.web.shown.mails import with_mails
from bindery.web.shown.option import choice_of, shown_number
from bindery.web.shown.price import ShownExplanation, explained_price, is_explained

MOST_ENTRIES: Final = 500
MOST_LINKS: Final = 20


async def show_company(visit: Visit) -> Response:
    return await company_shown(visit, visit.path_number("company_id"))


async def show_comparison(visit: Visit) -> Response:
    """Lead to the comparison of the newest options that have one; it took the place of a sheet to print."""
    company_id = visit.path_number("company_id")
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
    for record in seen:
        if DocumentType.COMPARISON in available_documents(record.document_state_today):
            return RedirectResponse(f"/quote/{record.quote.quote_id}/document/comparison", SEE_OTHER)
    said = "There is no comparison yet: it comes with the first option that has a price."
    return await visit.done(f"/company/{company_id}", said)


async def go_to_company(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    choice = choice_of(shown_number(quote.option_number), str(quote.quote_id))
    return RedirectResponse(f"/company/{quote.company_id}?option={choice}", SEE_OTHER)


async def company_shown(
    visit: Visit,
    company_id: int,
    *,
    problems: tuple[str, ...] = (),
    status: int = HTTPStatus.OK,
    typed: Mapping[str, str] = {},
) -> Response:
    """Show a company.

    `problems` are those of a file or of an answer that could not be taken; `typed` are answers to questions
    that were begun.
    """
    company, selected = await _read(visit, company_id, wanted=visit.request.path_params.get("quote_id", ""))
    explained, issued = await _of_selected(visit, selected)
    return page(
        visit,
        "company/company.html",
        status=status,
        company=company,
        explained=explained,
        issued=issued,
        may_act=visit.user.role is Role.BROKER,
        problems=problems,
        typed=typed,
    )


async def _read(visit: Visit, company_id: int, *, wanted: str) -> tuple[CompanyPage, Quote]:
    is_broker, is_demo = visit.user.role is Role.BROKER, visit.runtime.settings.is_demo
    # Whom the history names; None is for everybody.
    named: Mapping[str, str] | None = {} if is_broker else None
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
        if is_broker:
            await note_look(tx, user_id=visit.user.user_id, company_id=company_id)
        numbers = {record.quote.quote_id: shown_number(record.quote.option_number) for record in seen}
        entries = await journal.of_quotes(tx, list(numbers), limit=MOST_ENTRIES)
        waiting = await desk.due_times(tx, company_id)
        broker = await broker_of(tx, seen[0])
        renewed = {record.renews for record in seen if record.renews and record.quote.status in BINDABLE}
        expiring = {quote_id: await policies.get(tx, quote_id) for quote_id in renewed}
        proofs = await mails.proofs_of(tx, list(numbers), limit=MOST_ENTRIES)
        links = await client_links.of_quotes(tx, list(numbers), limit=MOST_LINKS) if is_broker else []
        # The demo mails nothing: there the broker opens the page of the client.
        working = [link.link_id for link in links if link.works_at(tx.now)]
        opens = await tokens_of(tx, visit.runtime.sealer, working) if working and is_demo else {}
        bound = [record.quote.quote_id for record in seen if record.policy_number is not None]
        checked = await rescans.of_quotes(tx, bound, limit=1) if bound else []
        changed = await changes.newest_of(tx, bound) if bound else {}
        if is_broker and visit.runtime.settings.brokers_see_underwriters:
            actors = {entry.actor for entry in entries}
            named = await users.names_by_email(tx, actors, role=Role.UNDERWRITER)
    times = visit.times(tx.now)
    about = submissions_by_quote(seen, times)
    history = history_of(entries, numbers, times, named=named, about=about, seen=seen)
    company = company_page(
        seen,
        broker=broker,
        waiting=waiting,
        history=with_mails(history, proofs, times, about=about),
        times=times,
        may_act=is_broker,
        expiring=expiring,
        rescans=checked,
        changed=changed,
        with_holders={entry.quote_id for entry in entries if entry.trigger == Trigger.ISSUE_CERTIFICATES},
        links=links,
        opens={link_id: f"{LINKS}{token}" for link_id, token in opens.items()},
        wanted=wanted or visit.word("option"),
    )
    selected = next(record for record in seen if str(record.quote.quote_id) == company.selected.quote_id)
    return company, selected.quote


async def _of_selected(
    visit: Visit, quote: Quote
) -> tuple[ShownExplanation | None, Mapping[DocumentType, IssuedDocument]]:
    """Explain the price of the selected option, and say of when its documents are.

    Underwriters see all of the price, brokers what a setting says.
    """
    level = PriceExplanation(visit.runtime.settings.price_explanation)
    if visit.user.role is Role.UNDERWRITER:
        level = PriceExplanation.FULL
    async with visit.runtime.database.reading() as tx:
        issued = await packets.issued_documents(tx, quote.quote_id)
        if not is_explained(quote, level):
            return None, issued
        stored = await submissions.get(tx, quote.submission_id)
    number = shown_number(quote.option_number)
    return explained_price(quote, stored, level, number=number, today=tx.today), issued


async def show_changes(visit: Visit) -> Response:
    """Compare two submissions; the newest two of a product if none are named."""
    company_id = visit.path_number("company_id")
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
        by_submission = [list(group) for _, group in groupby(seen, lambda record: record.quote.submission_id)]
        groups = [group[0] for group in by_submission]
        to = visit.as_id(visit.word("to")) or groups[0].quote.submission_id
        of_product = next(
            (record.quote.product for record in groups if record.quote.submission_id == to), None
        )
        alike = [record.quote.submission_id for record in groups if record.quote.product == of_product]
        following = alike[alike.index(to) + 1 :] if to in alike else []
        chosen = visit.as_id(visit.word("from")) or next(iter(following), to)
        after = await earlier.read(tx, to, company_id=company_id)
        before = await earlier.read(tx, chosen, company_id=company_id)
    if before is None or after is None:
        raise NotFound("There is no such submission of this company.")
    times = visit.times(tx.now)
    return page(
        visit,
        "company/changes.html",
        name=str(seen[0].client["name"]),
        company_id=company_id,
        changes=shown_changes(before, after, times, sees_all=visit.user.role is Role.UNDERWRITER),
        offered=tuple(
            (
                str(group[0].quote.submission_id),
                f"{title_of(group)}, submitted {times.on(group[0].quote.created_at).text}",
            )
            for group in by_submission
        ),
        chosen=str(chosen),
        to=str(to),
    )
