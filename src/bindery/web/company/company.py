"""The company page, the print sheet of its options, and what changed between its submissions."""

from collections.abc import Mapping
from http import HTTPStatus
from itertools import groupby
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.base.errors import NotFound
from bindery.domain.access.users import Role
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.storage.access import users
from bindery.storage.desk import desk
from bindery.storage.documents import mails
from bindery.storage.lists.today import note_look
from bindery.storage.policy import policies, rescans
from bindery.storage.quote import journal
from bindery.storage.submission import earlier
from bindery.web.company.book import broker_of, find_company, find_quote
from bindery.web.company.company_shown import CompanyPage, company_page, submissions_by_quote
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.shown.changes import shown_changes
from bindery.web.shown.history import history_of
from bindery.web.shown.mails import with_mails
from bindery.web.shown.option import anchor_of, shown_number

MOST_ENTRIES: Final = 500


async def show_company(visit: Visit) -> Response:
    return await company_shown(visit, visit.path_number("company_id"))


async def show_comparison(visit: Visit) -> Response:
    asked = visit.request.query_params.getlist("o")
    numbers = frozenset(number for text in asked for number in text.split(",") if number)
    company = await _read(visit, visit.path_number("company_id"), only=numbers)
    there = {str(number) for submission in company.current for number in submission.numbers}
    return page(
        visit,
        "company/compare.html",
        company=company,
        asked=numbers & there,
        unknown=", ".join(sorted(numbers - there)),
    )


async def go_to_company(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    return RedirectResponse(f"/company/{quote.company_id}#{anchor_of(quote)}", SEE_OTHER)


async def company_shown(
    visit: Visit, company_id: int, *, problems: tuple[str, ...] = (), status: int = HTTPStatus.OK
) -> Response:
    """Show a company; `problems` are those of a file that could not be taken."""
    return page(
        visit,
        "company/company.html",
        status=status,
        company=await _read(visit, company_id),
        may_act=visit.user.role is Role.BROKER,
        problems=problems,
    )


async def _read(visit: Visit, company_id: int, *, only: frozenset[str] = frozenset()) -> CompanyPage:
    is_broker = visit.user.role is Role.BROKER
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
        bound = [record.quote.quote_id for record in seen if record.policy_number is not None]
        checked = await rescans.of_quotes(tx, bound, limit=1) if bound else []
        if is_broker and visit.runtime.settings.brokers_see_underwriters:
            actors = {entry.actor for entry in entries}
            named = await users.names_by_email(tx, actors, role=Role.UNDERWRITER)
    times = visit.times(tx.now)
    about = submissions_by_quote(seen, times)
    history = history_of(entries, numbers, times, named=named, about=about, seen=seen)
    return company_page(
        seen,
        broker=broker,
        waiting=waiting,
        history=with_mails(history, proofs, times, about=about),
        times=times,
        may_act=is_broker,
        expiring=expiring,
        rescans=checked,
        only=only,
    )


async def show_changes(visit: Visit) -> Response:
    """Compare two submissions; the newest two of a product if none are named."""
    company_id = visit.path_number("company_id")
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
        groups = [next(group) for _, group in groupby(seen, lambda record: record.quote.submission_id)]
        newest = groups[0].quote
        to = visit.as_id(visit.word("to")) or newest.submission_id
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
        times=times,
        choices=[record.quote for record in groups],
        chosen=chosen,
        to=to,
    )
