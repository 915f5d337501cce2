"""Withdrawing an open quote; the page asks first, since it cannot be undone."""

from starlette.responses import Response

from bindery.actions.quote.withdraw_quote import withdraw_quote
from bindery.base.errors import BinderyError, InvalidRequest, WrongState
from bindery.domain.access.caller import Caller
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.domain.text import flaws_of_lines
from bindery.web.company.book import find_quote, see_quote
from bindery.web.company.forms import LONGEST_WORDS, problems_of, status_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import shown_number

LABELS = {"reason": "Reason"}


async def show_withdrawal(visit: Visit) -> Response:
    return await _form(visit)


async def send_withdrawal(visit: Visit) -> Response:
    text = (await visit.form()).get("reason", "")
    async with visit.runtime.database.reading() as tx:
        quote = await find_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    try:
        if flaws := list(flaws_of_lines(text, "reason", longest=LONGEST_WORDS)):
            raise InvalidRequest.because(flaws)
        caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
        await withdraw_quote(visit.runtime.database, caller, quote.quote_id, text=text)
    except (InvalidRequest, WrongState) as fault:
        return await _form(visit, typed=text, fault=fault)
    said = f"Option {shown_number(quote.option_number)} is withdrawn."
    return await visit.done(f"/company/{quote.company_id}", said)


async def _form(visit: Visit, *, typed: str = "", fault: BinderyError | None = None) -> Response:
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
    fault = fault or _refusal(seen.quote)
    return page(
        visit,
        "company/withdraw.html",
        status=status_of(fault) if fault else 200,
        name=str(seen.client["name"]),
        number=shown_number(seen.quote.option_number),
        quote_id=seen.quote.quote_id,
        is_renewal=seen.renews is not None,
        back=f"/quote/{seen.quote.quote_id}",
        typed=typed,
        longest=LONGEST_WORDS,
        problems=problems_of(fault, LABELS) if fault else (),
        may_send=not isinstance(fault, WrongState),
    )


def _refusal(quote: Quote) -> BinderyError | None:
    """Return why a quote cannot be withdrawn any more."""
    try:
        find_move(quote.status, Trigger.WITHDRAW)
    except WrongState as fault:
        return fault
    return None
