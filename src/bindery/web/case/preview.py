"""What the terms of a form cost, before anybody decides: on the case page, or the part of it that says so."""

from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.storage.submission import submissions
from bindery.web.case.case import show_case
from bindery.web.case.case_forms import read_decision, read_offer, sentences
from bindery.web.case.case_prices import current_number, price_options, show_offer
from bindery.web.case.prices_shown import changed_lines, shown_prices
from bindery.web.desk.queue_filter import to_option
from bindery.web.frame.render import part
from bindery.web.frame.visit import Visit

PART: Final = "X-Part"
OFFER: Final = "offer-price"
PRICES: Final = "worksheet"


async def send_preview(visit: Visit) -> Response:
    only_part = visit.request.headers.get(PART, "")
    if only_part in {OFFER, PRICES}:
        return await _show_part(visit, only_part)
    if "aggregate_limit" in await visit.form():
        return await show_case(visit, offer=await read_offer(visit))
    return await show_case(visit, await read_decision(visit))


async def _show_part(visit: Visit, only_part: str) -> Response:
    """Show a part of the page that changes with every keystroke, reading only what pricing needs."""
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        quotes = await submissions.options_of(tx, submission_id)
        if not quotes:
            raise NotFound("There is no such case.")
        stored = await submissions.get(tx, submission_id)
    if only_part == OFFER:
        offer = show_offer(tx, visit.runtime.rules, stored, quotes, await read_offer(visit))
        if offer is None:
            raise NotFound("No other option can be offered here.")
        return part("case/_offer_price.html", offer=offer)
    form = await read_decision(visit)
    priced, flaw = price_options(tx, visit.runtime.rules, stored, quotes, form)
    number = current_number(visit, quotes)
    prices = shown_prices(priced, number=number, picked=form.options, problems=sentences(flaw))
    return part(
        "case/_worksheet.html",
        prices=prices,
        changed=changed_lines(quotes, priced, number=number),
        to_option=to_option(visit, submission_id),
    )
