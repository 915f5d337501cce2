"""Asking for another option: the same applicant and answers, another limit or retention."""

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.submission.ask_for_option import ask_for_option
from bindery.base.errors import (
    BinderyError,
    ClearanceBlocked,
    IdempotencyInFlight,
    InvalidRequest,
    NotFound,
    Problem,
    WrongState,
)
from bindery.domain.access.caller import Caller
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.quote.counter_offer import Choices, choices_for
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.submission.again import term_again
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.book import find_company
from bindery.web.company.forms import problems_of, status_of
from bindery.web.company.policy_shown import retention_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit, read_number
from bindery.web.shown.option import shown_number
from bindery.web.shown.option import status_of as word_of
from bindery.web.shown.words import day, money, product_name

LABELS: Final = {"aggregate_limit": "Limit", "retention": "Retention"}


@dataclass(frozen=True, slots=True)
class Asking:
    """A submission that another option is asked for with, and the terms that there are to choose from."""

    records: list[QuoteRecord]
    beside: list[Quote]
    choices: Choices
    effective: str
    is_moved: bool

    @property
    def first(self) -> QuoteRecord:
        return self.records[0]


async def show_another(visit: Visit) -> Response:
    asking = await _read(visit)
    asked = asking.first.quote.ask
    retention = getattr(asked, asking.choices.retention_field)
    typed = {"aggregate_limit": str(asked.aggregate_limit), "retention": str(retention or "")}
    return _page(visit, asking, typed, key=secrets.token_hex(16))


async def send_another(visit: Visit) -> Response:
    form = await visit.form()
    asking = await _read(visit)
    quote = asking.first.quote
    typed = {name: form.get(name, "") for name in LABELS}
    key = form.get("key", "")
    where = f"/company/{quote.company_id}"
    try:
        ask = _ask(typed, asking.choices)
        response = await ask_for_option(
            visit.runtime.database,
            visit.runtime.rules,
            _caller(visit, quote.partner_id, key, typed),
            quote.submission_id,
            ask,
            beside=asking.beside,
            programs=visit.runtime.settings.programs,
        )
    except IdempotencyInFlight:
        return RedirectResponse(where, SEE_OTHER)
    except (InvalidRequest, WrongState, ClearanceBlocked) as fault:
        return _page(visit, asking, typed, key=key, fault=_about_field(fault, asking.choices))
    said = f"Another option, {_terms(typed)}, is asked for. Its price appears here as soon as it is ready."
    return await visit.done(f"/quote/{response.quotes[0].quote_identifier}", said)


def _caller(visit: Visit, partner_id: int, key: str, typed: dict[str, str]) -> Caller:
    """Return who asks; one form sent twice with the same terms is one request."""
    text = f"{key} {typed['aggregate_limit']} {typed['retention']}"
    digest = hashlib.sha256(text.encode()).digest()
    return Caller(
        partner_id=partner_id,
        actor=visit.actor,
        idempotency_key=f"another-{digest.hex()[:32]}" if visit.as_id(key) else None,
        request_hash=digest,
    )


async def _read(visit: Visit) -> Asking:
    company_id, wanted = visit.path_number("company_id"), visit.as_id(visit.word("of"))
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
    chosen = wanted or seen[0].quote.submission_id
    records = [record for record in seen if record.quote.submission_id == chosen]
    if not records:
        raise NotFound("There is no such submission of this company.")
    term = records[0].term
    again = term_again(term, tx.today)
    product = records[0].quote.product
    choices = choices_for(tariff_in_force(tx.today), product)
    beside = [record.quote for record in seen if record.quote.product == product]
    return Asking(records, beside, choices, day(again.effective), again.effective != term.effective)


def _ask(typed: dict[str, str], choices: Choices) -> OptionAsk:
    limit, retention = read_number(typed["aggregate_limit"]), read_number(typed["retention"])
    problems = []
    if limit is None or limit not in choices.aggregate_limits:
        problems.append(Problem("aggregate_limit", "not_allowed", "must be one of the list"))
    if retention is None or retention not in choices.retentions:
        problems.append(Problem("retention", "not_allowed", "must be one of the list"))
    if limit is None or retention is None or problems:
        raise InvalidRequest.because(problems)
    return replace(OptionAsk(limit), **{choices.retention_field: retention})


def _about_field(fault: BinderyError, choices: Choices) -> BinderyError:
    """Name the retention as the form does, whichever it is for the product."""
    if not isinstance(fault, InvalidRequest) or not fault.problems:
        return fault
    return InvalidRequest.because(
        [
            replace(problem, path="retention") if problem.path.endswith(choices.retention_field) else problem
            for problem in fault.problems
        ]
    )


def _terms(typed: dict[str, str]) -> str:
    limit, retention = (money(read_number(typed[name])) for name in LABELS)
    return f"{limit} with a retention of {retention}"


def _page(
    visit: Visit, asking: Asking, typed: dict[str, str], *, key: str, fault: BinderyError | None = None
) -> Response:
    first = asking.first
    bodies = [show_quote(record) for record in asking.records]
    return page(
        visit,
        "company/another.html",
        status=status_of(fault) if fault else 200,
        name=str(first.client["name"]),
        company_id=first.quote.company_id,
        submission_id=first.quote.submission_id,
        product=product_name(first.quote.product),
        limits=tuple((str(limit), money(limit)) for limit in asking.choices.aggregate_limits),
        retentions=tuple((str(retention), money(retention)) for retention in asking.choices.retentions),
        there=tuple(
            (
                shown_number(record.quote.option_number),
                word_of(body, first.today),
                money(body.aggregate_limit),
                money(retention_of(body)),
                money(body.premium),
            )
            for record, body in zip(asking.records, bodies, strict=True)
        ),
        effective=asking.effective,
        is_moved=asking.is_moved,
        typed=typed,
        key=key,
        problems=problems_of(fault, LABELS) if fault else (),
        may_send=not isinstance(fault, WrongState),
    )
