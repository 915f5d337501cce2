"""The case page, and everything an underwriter does on it apart from the decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from starlette.responses import Response

from bindery.actions.desk.take_case import put_back_case, take_case
from bindery.base.errors import BinderyError
from bindery.contract.vocabulary import AggregateRetention, PerClaimRetention
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote, last_step
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.case_facts import CaseFacts, read_case
from bindery.web.case.case_forms import (
    DecisionForm,
    OfferForm,
    sentences,
)
from bindery.web.case.case_shown import case_page
from bindery.web.case.change_shown import shown_change
from bindery.web.case.decision_outcome import Outcome, amendment_outcome, approval_outcome
from bindery.web.case.ending_shown import reason_choices
from bindery.web.case.limits_shown import does_to, limits_of
from bindery.web.case.offer_shown import show_offer
from bindery.web.case.prices import (
    ShownPrices,
    changed_lines,
    current_number,
    price_options,
    shown_prices,
)
from bindery.web.case.room_shown import shown_room
from bindery.web.case.second_shown import shown_second
from bindery.web.case.subjectivities_shown import shown_subjectivities
from bindery.web.desk.desk_shown import taken_in_words
from bindery.web.desk.queue_filter import case_address, queue_query, to_option, to_preview
from bindery.web.frame.case_news import known_case
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, read_number
from bindery.web.shown.history import history_of
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import Moment, Times, amounts_offered, listed, money

PART: Final = "X-Part"
"""The header with which a script asks for one part of the page."""
WHY: Final = "why-"
FRESH: Final = DecisionForm()
RETENTIONS: Final = {
    RetentionBasis.AGGREGATE: ("aggregate_retention", amounts_offered(get_args(AggregateRetention))),
    RetentionBasis.PER_CLAIM: ("per_claim_retention", amounts_offered(get_args(PerClaimRetention))),
}
"""The field of the form by which an option of each basis is priced, and what it offers."""


async def open_case(visit: Visit) -> Response:
    response = await show_case(visit)
    await visit.runtime.presence.come(visit.user, visit.path_id("submission_id"))
    return response


async def send_take(visit: Visit) -> Response:
    submission_id = visit.path_id("submission_id")
    await read_case(visit)
    form = await visit.form()
    user_id, back = visit.user.user_id, case_address(visit, submission_id)
    if form.get("take") == "release":
        kept = await put_back_case(visit.runtime.database, submission_id, user_id=user_id)
        return await visit.done(back, taken_in_words(kept, lambda _: "Put back."))
    # Whose case the page said it was: what a colleague took after that stays with them.
    shown = (read_number(word) for word in form.get("taken_by", "").split())
    over_from = [number for number in shown if number is not None]
    taken = await take_case(visit.runtime.database, [submission_id], user_id=user_id, over_from=over_from)
    return await visit.done(back, taken_in_words(taken, lambda _: "You have the case."))


async def show_case(
    visit: Visit,
    form: DecisionForm | None = None,
    *,
    offer: OfferForm | None = None,
    fault: BinderyError | None = None,
    offer_fault: BinderyError | None = None,
    meanwhile: Sequence[Quote] = (),
    said: str = "",
    asking: str = "",
    noting: str = "",
    why: Mapping[str, str] = {},
    change_fault: BinderyError | None = None,
    changing: str = "",
) -> Response:
    """Show a case with the form as typed so far, and what is wrong with it.

    `meanwhile` are options that somebody else moved since the form was opened, `said` is what was done, and
    `asking` and `noting` are a question and a note that were begun, `why` reasons about contingencies.
    """
    facts = await read_case(visit)
    rules = visit.runtime.rules
    form = form or FRESH
    quotes = [record.quote for record in facts.seen]
    with_papers = {record.quote.quote_id for record in facts.seen if record.has_unsettled_papers}
    number = current_number(visit, quotes, with_papers)
    priced, flaw = price_options(facts.at, rules, facts.stored, quotes, form)
    times = visit.times(facts.at.now)
    current = next((quote for quote in priced if shown_number(quote.option_number) == number), None)
    prices = shown_prices(
        priced,
        term=facts.stored.submission.term,
        number=number,
        picked=form.options,
        problems=sentences(fault or flaw),
    )
    case = case_page(
        facts,
        times,
        option=number,
        user_id=visit.user.user_id,
        priced=current,
        queue_filter=queue_query(visit),
        cancellation=form.cancellation_or_fault if form is not FRESH else None,
        asking=asking,
        why=why,
    )
    retention_field, retentions = RETENTIONS[record_of(facts.stored.submission.product).retention]
    return page(
        visit,
        "case/case.html",
        limits=limits_of(
            visit.user,
            rules,
            facts.at,
            facts.stored,
            facts.authorities,
            priced,
            prices,
            form,
            # The page that refuses a decision is the one that asks for the second yes.
            asks_again=fault is not None and form.decision in {"approve", "amend"},
        ),
        second=shown_second(facts, user_id=visit.user.user_id),
        status=422 if fault or offer_fault or change_fault or meanwhile else 200,
        change=shown_change(facts.change) if facts.change else None,
        change_problems=sentences(change_fault),
        changing=changing,
        times=times,
        facts=facts,
        case=case,
        outcome=shown_approval(facts.at, facts.stored, priced, prices, form)
        if case.takes_terms
        else case.outcome,
        form=form,
        prices=prices,
        versions=tuple((str(quote.quote_id), last_step(facts.entries, quote.quote_id)) for quote in quotes),
        reason_choices=reason_choices(),
        retention_field=retention_field,
        retentions=retentions,
        changed=changed_lines(quotes, priced, number=number),
        option=number,
        others_here=_others_here(visit),
        known=known_case(visit, quotes, now=facts.at.now),
        to_option=to_option(visit, facts.stored.submission_id),
        to_preview=to_preview(visit, facts.stored.submission_id),
        said=said,
        noting=noting,
        meanwhile=tuple(_happened(facts, quote, times) for quote in meanwhile),
        typed=_typed(form),
        is_begun=bool(form.options or form.is_subject or _typed(form)),
        subjectivities=shown_subjectivities(facts, form) if case.takes_terms else "",
        does=does_to(quotes, number),
        room=shown_room(facts.binder, current),
        offer=show_offer(
            facts.at,
            rules,
            facts.stored,
            quotes,
            offer,
            user=visit.user,
            authorities=facts.authorities,
            fault=offer_fault,
        ),
    )


def shown_approval(
    at: Reader, stored: StoredSubmission, priced: Sequence[Quote], prices: ShownPrices, form: DecisionForm
) -> Outcome:
    picked = {option.quote_id for option in prices.picked}
    chosen = [quote for quote in priced if str(quote.quote_id) in picked]
    if any(quote.status in BINDABLE for quote in chosen):
        before = {option.quote_id for option in prices.picked if form.is_typed(option.quote_id)}
        return amendment_outcome(chosen, before, is_subject=form.is_subject)
    return approval_outcome(
        chosen,
        form.contingency_text,
        form.contingency_type,
        from_list=len(form.subjectivities),
        is_renewal=stored.renews is not None,
        today=at.today,
    )


def _others_here(visit: Visit) -> str:
    names = visit.runtime.presence.names_at(visit.path_id("submission_id"), but=visit.user.user_id)
    if not names:
        return ""
    return f"{listed(list(names))} {'has' if len(names) == 1 else 'have'} this case open right now."


@dataclass(frozen=True, slots=True)
class Happened:
    at: Moment
    text: str
    by: str
    premium: str


def _happened(facts: CaseFacts, quote: Quote, times: Times) -> Happened:
    number = shown_number(quote.option_number)
    entries = [entry for entry in facts.entries if entry.quote_id == quote.quote_id]
    lines = history_of(entries, {quote.quote_id: number}, times, named=None)
    # Publication follows an approval by itself: who approved is what the other one wants to know.
    newest = next((line for line in lines if "@" in line.by), lines[0])
    is_open = quote.expires_on is not None
    return Happened(newest.at, newest.text, newest.by, money(quote.premium) if is_open else "")


def _typed(form: DecisionForm) -> tuple[tuple[str, str], ...]:
    typed = (
        ("Decision", form.decision),
        ("Retention", form.aggregate_retention or form.per_claim_retention),
        ("Premium", form.premium),
        ("Percent", form.percent),
        *(
            (name.replace("_", " ").capitalize(), text)
            for own in form.own.values()
            for name, text in own.items()
        ),
        ("Reason", form.reason),
        ("Subject to", form.contingency_text),
    )
    return tuple((name, text) for name, text in typed if text)
