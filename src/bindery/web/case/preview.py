"""What the form of a case leads to while it is filled in: parts of the page, or all of it without scripts."""

from dataclasses import replace
from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.domain.quote.authority import Authorities
from bindery.storage.desk import desk_notes
from bindery.storage.quote import quote_view
from bindery.storage.submission import submissions
from bindery.web.case.case import PART, WHY, show_case, shown_approval
from bindery.web.case.case_forms import (
    DecisionForm,
    read_decision,
    read_offer,
    sentences,
)
from bindery.web.case.ending_shown import shown_ending
from bindery.web.case.limits_shown import does_to, limits_of
from bindery.web.case.offer_shown import show_offer
from bindery.web.case.prices import (
    changed_lines,
    current_number,
    price_options,
    shown_prices,
)
from bindery.web.case.room_shown import shown_room
from bindery.web.desk.queue_filter import to_option, to_preview
from bindery.web.frame.render import part
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import shown_number

OFFER: Final = "offer-price"
PRICES: Final = "worksheet"
ENDING: Final = "ending"


async def send_preview(visit: Visit) -> Response:
    only_part = visit.request.headers.get(PART, "")
    if only_part in {OFFER, PRICES, ENDING}:
        return await _show_part(visit, only_part)
    if "aggregate_limit" in await visit.form():
        return await show_case(visit, offer=await read_offer(visit))
    form, given = await read_decision(visit), await visit.form()
    if form.options == {given.get("looked_at")} and "tick" not in given:
        # The only tick was that of the option that was looked at: it moves to the one looked at now.
        form = replace(form, options=frozenset())
    why = {name.removeprefix(WHY): text for name, text in given.items() if name.startswith(WHY)}
    return await show_case(
        visit, form, asking=given.get("question", ""), noting=given.get("note", ""), why=why
    )


async def _show_part(visit: Visit, only_part: str) -> Response:
    """Show a part of the page that changes with every keystroke, reading only what pricing needs."""
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        quotes = await submissions.options_of(tx, submission_id)
        if not quotes:
            raise NotFound("There is no such case.")
        case = await desk_notes.bounded_case(tx, submission_id)
    stored = case.stored
    authorities = Authorities(case.underwriters, visit.runtime.rules.authority_required)
    if only_part == OFFER:
        typed, rules = await read_offer(visit), visit.runtime.rules
        offer = show_offer(tx, rules, stored, quotes, typed, user=visit.user, authorities=authorities)
        if offer is None:
            raise NotFound("No other option can be offered here.")
        return part("case/_offer_preview.html", offer=offer)
    form = await read_decision(visit)
    if only_part == ENDING:
        return await _show_ending(visit, form)
    priced, flaw = price_options(tx, visit.runtime.rules, stored, quotes, form)
    number = current_number(visit, quotes)
    current = next((quote for quote in priced if shown_number(quote.option_number) == number), None)
    prices = shown_prices(
        priced,
        term=stored.submission.term,
        number=number,
        picked=form.options,
        problems=sentences(flaw),
    )
    return part(
        "case/_preview.html",
        prices=prices,
        outcome=shown_approval(tx, stored, priced, prices, form),
        limits=limits_of(visit.user, visit.runtime.rules, tx, stored, authorities, priced, prices, form),
        room=shown_room(case.binder, current),
        does=does_to(quotes, number),
        changed=changed_lines(quotes, priced, number=number),
        to_option=to_option(visit, submission_id),
        to_preview=to_preview(visit, submission_id),
    )


async def _show_ending(visit: Visit, form: DecisionForm) -> Response:
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        seen = await quote_view.see_submission(tx, submission_id)
        stored = await submissions.get(tx, submission_id)
    number = current_number(visit, [record.quote for record in seen])
    current = next(record for record in seen if shown_number(record.quote.option_number) == number)
    ending = shown_ending(
        current.quote,
        current.term,
        form.cancellation_or_fault,
        state=stored.submission.state,
        today=tx.today,
    )
    return part("case/_ending_preview.html", ending=ending)
