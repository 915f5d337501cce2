"""The bind form, the outcome that follows it, and the bind itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, assert_never

import msgspec
from starlette.responses import Response

from bindery.actions.policy.bind_quote import STANDING, BindCall, bind_quote, foresee_bind
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, Problem, WrongState
from bindery.contract.binds import BindOutcome, BindResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.bind_ask import sent_contacts
from bindery.domain.policy.binding import why_not_bindable
from bindery.domain.policy.evidence import Evidence
from bindery.domain.products import products_of, record_of
from bindery.domain.quote.lifecycle import BINDABLE, NOT_READY, OPEN_OFFERS
from bindery.domain.quote.quote import is_expired
from bindery.http.show_quote import show_quote
from bindery.storage.database import Reader
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.bind.bind_file import SentForm, read_sent_form
from bindery.web.bind.bind_form import ReadBind, as_quoted, read_bind
from bindery.web.bind.bind_outcome import Circumstances, ShownOutcome, shown_outcome, shown_price
from bindery.web.bind.bind_problems import field_problem, first_day_in_words, in_order, in_words, problems_of
from bindery.web.bind.bind_shown import shown_expiration, shown_form
from bindery.web.case.case_forms import whole
from bindery.web.company.book import see_quote
from bindery.web.company.renewals import shown_renewal_offer
from bindery.web.company.unfit_file import CHOOSE_A_FILE
from bindery.web.frame.render import page, part
from bindery.web.frame.visit import Visit
from bindery.web.shown.owed import NO_CHANGE, WARNING

PART: Final = "X-Part"
NOT_MADE: Final = f"{WARNING} Your bind was not made."


async def show_bind(visit: Visit) -> Response:
    try:
        seen = await open_quote(visit)
    except WrongState as fault:
        # Whoever goes back after a bind comes here: nothing was refused. What is still to do is on the page
        # that this leads to, which on a phone has no room to say it twice.
        is_bound = fault.status == QuoteStatus.POLICY_ACTIVE
        said = f"{fault.message.partition('. ')[0].removesuffix('.')}." if is_bound else fault.message
        return await _to_company(visit, f"{NO_CHANGE} {said}")
    return await bind_page(visit, seen, as_quoted(seen))


async def send_preview(visit: Visit) -> Response:
    """Show the outcome for the form as it is, and keep the file that came with it; bind nothing."""
    if PART in visit.request.headers:
        return await _show_part(visit)
    try:
        seen = await open_quote(visit)
    except WrongState as fault:
        return await _not_done(visit, fault)
    return await _look(visit, seen, await read_sent_form(visit, seen.quote, file_is_optional=True))


async def _look(visit: Visit, seen: QuoteRecord, sent: SentForm) -> Response:
    is_file_asked_for = sent.fields.get("step") == "upload"
    form = {**as_quoted(seen), **sent.fields}
    if sent.file is not None:
        seen = await open_quote(visit)
    return await bind_page(
        visit,
        seen,
        form,
        problems=sent.problems if is_file_asked_for else _beside_no_file(sent),
        status=sent.status,
        said=sent.said,
        is_checked=not is_file_asked_for,
    )


async def send_bind(visit: Visit) -> Response:
    """Bind the quote; the file that came with the form is kept first, whatever becomes of the bind.

    A second press of the button repeats a bind that stands, and gets the same answer as the first.
    """
    try:
        seen = await open_quote(visit, or_in=STANDING)
    except WrongState as fault:
        return await _not_done(visit, fault)
    sent = await read_sent_form(visit, seen.quote, file_is_optional=True)
    if sent.fields.get("step") in {"preview", "upload"}:
        return await _look(visit, seen, sent)
    try:
        read = _check(seen, sent)
        outcome = await _bind(visit, seen, read, sent.fields)
    except (InvalidRequest, WrongState, ChangedMeanwhile) as fault:
        return await _refuse(visit, sent, fault)
    return await visit.done(f"/company/{seen.quote.company_id}", f"{outcome} {sent.said}".strip())


def _check(seen: QuoteRecord, sent: SentForm) -> ReadBind:
    read = read_bind(seen, sent.fields)
    if problems := [*_beside_no_file(sent), *read.problems]:
        raise InvalidRequest.because(problems)
    return read


def _beside_no_file(sent: SentForm) -> tuple[Problem, ...]:
    return tuple(problem for problem in sent.problems if problem != CHOOSE_A_FILE)


async def _bind(visit: Visit, seen: QuoteRecord, read: ReadBind, form: Mapping[str, str]) -> str:
    request = read.request
    shown = form.get("shown_outcome", "")
    receipt = await bind_quote(
        visit.runtime.database,
        visit.runtime.rules,
        BindCall(
            caller=Caller(partner_id=seen.quote.partner_id, actor=visit.actor),
            quote_id=seen.quote.quote_id,
            request=request,
            contacts=sent_contacts(msgspec.json.encode(request)),
            unknown_fields=(),
            shown_premium=_shown_premium(form),
            shown_outcome=BindOutcome(shown) if shown in set(BindOutcome) else None,
        ),
    )
    bound = msgspec.json.decode(receipt, type=BindResponse).quotes[0]
    return _done(bound.outcome, bound.policy_number)


def _shown_premium(form: Mapping[str, str]) -> int:
    shown = whole(form.get("shown_premium", ""), "premium")
    if shown is None:
        raise InvalidRequest.because([Problem("premium", "not_shown", "was not on the page; it is now")])
    return shown


async def _refuse(visit: Visit, sent: SentForm, fault: BinderyError) -> Response:
    """Show the form again with all that is wrong, or the company where there is no more to bind."""
    try:
        seen = await open_quote(visit)
    except WrongState as closed:
        return await _not_done(visit, closed)
    form = {**as_quoted(seen), **sent.fields}
    if isinstance(fault, ChangedMeanwhile):
        return await bind_page(visit, seen, form, note=fault.message, said=sent.said)
    status = sent.status if _beside_no_file(sent) else HTTPStatus.UNPROCESSABLE_ENTITY
    return await bind_page(
        visit, seen, form, problems=problems_of(fault), status=status, said=sent.said, is_checked=True
    )


async def _not_done(visit: Visit, fault: WrongState) -> Response:
    return await _to_company(visit, f"{NOT_MADE} {fault.message}")


async def _to_company(visit: Visit, said: str) -> Response:
    quote_id = visit.path_id("quote_id")
    async with visit.runtime.database.reading() as tx:
        company_id = await quotes.company_of(tx, quote_id)
    return await visit.done(f"/company/{company_id}", said)


async def open_quote(visit: Visit, or_in: Sequence[QuoteStatus] = ()) -> QuoteRecord:
    """Return the quote of the path if it can be bound, or has one of the other statuses.

    Raises:
        NotFound: there is no such quote for this user.
        WrongState: it can no longer be bound.
    """
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        quote = seen.quote
        is_past = quote.expires_on is not None and is_expired(quote.expires_on, today=tx.today)
        if quote.status not in {*BINDABLE, *or_in} or (quote.status in BINDABLE and is_past):
            raise await _not_bindable(tx, seen)
    return seen


async def _not_bindable(tx: Reader, seen: QuoteRecord) -> WrongState:
    quote = seen.quote
    if quote.status in NOT_READY:
        return WrongState("The option is still being worked on.", available_statuses=BINDABLE)
    instead = quote.passed_over_for
    why = why_not_bindable(
        quote,
        policy=await policies.find(tx, quote.quote_id),
        chosen=await policies.find(tx, instead) if instead is not None else None,
    )
    return WrongState(
        in_words(why.replace(f", {instead},", "")), status=quote.status, available_statuses=BINDABLE
    )


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """The outcome for a form, all that is wrong with it, and why its effective date cannot be bound today."""

    outcome: ShownOutcome
    problems: tuple[Problem, ...]
    not_from: str


async def _foresee(tx: Reader, rules: BusinessRules, seen: QuoteRecord, form: Mapping[str, str]) -> _Foreseen:
    read = read_bind(seen, form)
    problems = list(read.problems)
    # A file that is only chosen is read when it is sent: until then it counts as the one that is needed.
    unread = form.get("file", "") if read.request.app_attestation else ""
    try:
        found = await foresee_bind(
            tx,
            rules,
            seen.quote,
            read.request,
            assumed=Evidence.ACCEPTED if unread else None,
        )
        price = shown_price(found.quote, found.term, seen)
        if not problems:
            beside = await _open_beside(tx, seen)
            known = Circumstances(today=tx.today, unread_file=unread, closes=beside)
            return _Foreseen(shown_outcome(found, seen, known), (), "")
    except BinderyError as fault:
        problems += read.further(problems_of(fault))
        price = shown_price(seen.quote, seen.term, seen)
    is_as_quoted = read.request.dates.effective == seen.term.effective and seen.renews is None
    not_from = first_day_in_words(seen.quote, seen.term.effective, today=tx.today) if is_as_quoted else ""
    shown = in_order(field_problem(problem) for problem in problems)
    return _Foreseen(ShownOutcome(price=price, problems=shown), tuple(problems), not_from)


async def _open_beside(tx: Reader, seen: QuoteRecord) -> int:
    line = products_of(record_of(seen.quote.product).line)
    return await quotes.count_others(tx, seen.quote, products=line, statuses=OPEN_OFFERS)


async def _show_part(visit: Visit) -> Response:
    """Show the part of the page that follows the form."""
    seen = await open_quote(visit)
    form = dict[str, str]()
    for name, value in await visit.form_fields():
        form[name] = f"{form[name]} {value}" if name in form else value
    rules = visit.runtime.rules
    async with visit.runtime.database.reading() as tx:
        foreseen = await _foresee(tx, rules, seen, form)
    return part(
        "bind/_following.html",
        outcome=foreseen.outcome,
        path=f"/quote/{seen.quote.quote_id}/bind",
        is_checked=False,
        is_listed=False,
        expiration=shown_expiration(form),
        problems=(),
    )


async def bind_page(
    visit: Visit,
    seen: QuoteRecord,
    form: Mapping[str, str],
    *,
    problems: Sequence[Problem] = (),
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY,
    said: str = "",
    note: str = "",
    is_checked: bool = False,
) -> Response:
    """Show the form with its values and problems, with all of them if it was to be checked.

    `said` reports what was found in a file; `note` what has changed since the page was shown, so that nothing
    was bound.
    """
    rules = visit.runtime.rules
    async with visit.runtime.database.reading() as tx:
        foreseen = await _foresee(tx, rules, seen, {**form, "file": ""})
        expiring = await policies.find(tx, seen.renews) if seen.renews is not None else None
    offer = shown_renewal_offer(expiring, seen.contingencies, today=tx.today) if expiring else None
    every = dict.fromkeys([*problems, *(foreseen.problems if is_checked else ())])
    listed = in_order(field_problem(problem) for problem in every)
    return page(
        visit,
        "bind/bind.html",
        status=status if problems or note else HTTPStatus.OK,
        said=said,
        note_text=note,
        is_checked=is_checked and not listed,
        offer=offer,
        may_bind=offer is None or not offer.may_bind_from,
        not_from=foreseen.not_from,
        outcome=foreseen.outcome,
        is_listed=bool(listed),
        problems=listed,
        wrong=frozenset(problem.field for problem in listed),
        form=shown_form(seen, show_quote(seen), form, visit.times(tx.now)),
        expiration=shown_expiration(form),
    )


def _done(outcome: BindOutcome, number: str | None) -> str:
    match outcome:
        case BindOutcome.POLICY_ISSUED:
            return f"Bound. Policy {number} is issued."
        case BindOutcome.CONDITIONAL_BINDER:
            return f"Bound. Binder {number} is issued. Please send what is still open."
        case BindOutcome.BIND_REQUESTED:
            return "The bind is requested; an underwriter decides."
        case _:
            assert_never(outcome)
