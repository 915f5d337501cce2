"""One case on the desk: what it rests on, and the decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, get_args

from starlette.responses import Response

from bindery.actions.add_contingency import add_contingency
from bindery.actions.approve_bind import approve_bind
from bindery.actions.approve_referral import approve_referral
from bindery.actions.cancel_policy import cancel_policy
from bindery.actions.close_contingency import close_contingency
from bindery.actions.decline_quote import decline_quote
from bindery.actions.preview_terms import preview_terms
from bindery.actions.reinstate_policy import reinstate_policy
from bindery.actions.reopen_contingency import reopen_contingency
from bindery.actions.take_case import take_case
from bindery.actions.write_note import write_note
from bindery.base.errors import BinderyError, InvalidRequest, NotFound, Problem
from bindery.contract.vocabulary import (
    AggregateRetention,
    ContingencyType,
    InsuranceProduct,
    PerClaimRetention,
    QuoteStatus,
)
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.lifecycle import AT_THE_DESK
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import ChangedTerms
from bindery.storage import desk, journal, quote_view, submissions
from bindery.storage.quote_view import SeenQuote
from bindery.web.render import page, part
from bindery.web.shown.case import CaseFacts, CasePage, case_page
from bindery.web.shown.history import history_of
from bindery.web.shown.option import shown_number
from bindery.web.shown.times import Times
from bindery.web.shown.words import money
from bindery.web.visit import Visit

MOST_ENTRIES: Final = 500
HIGHEST_PREMIUM: Final = 10_000_000
PART: Final = "X-Part"


@dataclass(frozen=True, slots=True)
class DecisionForm:
    """What was typed so far; it stays when something is wrong."""

    decision: str = ""
    aggregate_retention: str = ""
    per_claim_retention: str = ""
    premium: str = ""
    reason: str = ""
    contingency_text: str = ""
    contingency_type: str = "post_bind"
    effective: str = ""
    options: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PricedOption:
    """What an option costs on the terms of the form."""

    quote_id: str
    number: int
    premium: str
    shown_premium: str
    status: str
    is_picked: bool


async def show_case(visit: Visit) -> Response:
    """Show a case."""
    return await _show(visit, DecisionForm())


async def send_preview(visit: Visit) -> Response:
    """Show what the terms of the form cost; a script asks for the worksheet alone."""
    return await _show(
        visit, await _read_form(visit), only_part=visit.request.headers.get(PART) == "worksheet"
    )


async def send_take(visit: Visit) -> Response:
    """Take a case, or put it back."""
    submission_id = visit.path_id("submission_id")
    await _facts(visit)
    form = await visit.form()
    is_taken = form.get("take") != "release"
    await take_case(visit.runtime, submission_id, user_id=visit.user.user_id if is_taken else None)
    return await visit.done(f"/desk/case/{submission_id}", "You have the case." if is_taken else "Put back.")


async def send_note(visit: Visit) -> Response:
    """Write a note for the other underwriters."""
    submission_id = visit.path_id("submission_id")
    await _facts(visit)
    note = (await visit.form()).get("note", "")
    await write_note(visit.runtime, submission_id, note, user_id=visit.user.user_id)
    return await visit.done(f"/desk/case/{submission_id}", "The note is kept.")


async def send_contingency(visit: Visit) -> Response:
    """Close or reopen a contingency."""
    submission_id = visit.path_id("submission_id")
    facts = await _facts(visit)
    form = await visit.form()
    quote = _quote_of(facts.seen, form.get("quote_id", ""))
    number = form.get("contingency_id", "")
    if form.get("decision") == "reopen":
        await reopen_contingency(visit.runtime, quote.quote_id, number, actor=visit.actor)
        return await visit.done(f"/desk/case/{submission_id}", "The contingency is open again.")
    await close_contingency(visit.runtime, quote.quote_id, number, actor=visit.actor)
    return await visit.done(f"/desk/case/{submission_id}", "The contingency is closed.")


async def send_decision(visit: Visit) -> Response:
    """Decide: approve, with other terms or without, decline, issue, cancel or reinstate."""
    facts = await _facts(visit)
    form = await _read_form(visit)
    raw = dict(await visit.form_fields())
    picked = [one for one in facts.seen if str(one.quote.quote_id) in form.options]
    try:
        if not picked:
            raise InvalidRequest.because([Problem("options", "required", "pick at least one option")])
        for seen in picked:
            if raw.get(f"version-{seen.quote.quote_id}") != str(seen.quote.version):
                flaw = f"option {shown_number(seen.quote.option_number)} changed since you opened this page"
                raise InvalidRequest.because([Problem("options", "changed", flaw)])
        banner = await _decide(visit, form, picked, raw)
    except BinderyError as fault:
        return await _show(visit, form, fault=fault)
    return await visit.done(await _after(visit), banner)


async def _decide(visit: Visit, form: DecisionForm, picked: list[SeenQuote], raw: Mapping[str, str]) -> str:
    changed = _changed(form)
    needs_reason = changed.anything or form.decision in {"decline", "cancel", "reinstate"}
    if needs_reason and not form.reason:
        raise InvalidRequest.because([Problem("reason", "required", "is required: it goes on record")])
    runtime, actor = visit.runtime, visit.actor
    draft = _draft(form)
    said = []
    for seen in picked:
        quote = seen.quote
        number = shown_number(quote.option_number)
        match form.decision:
            case "approve" if quote.status is QuoteStatus.QUOTE_REFERRED:
                shown = raw.get(f"shown_premium-{quote.quote_id}", "")
                await approve_referral(
                    runtime,
                    quote.quote_id,
                    changed=changed,
                    actor=actor,
                    reason=form.reason,
                    shown_premium=int(shown) if shown.isdecimal() else None,
                )
                said.append(
                    f"Option {number} is published at {money(int(shown))}"
                    if shown.isdecimal()
                    else f"Option {number} is published"
                )
                if draft is not None:
                    await add_contingency(runtime, quote.quote_id, draft, actor=actor)
            case "approve" if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
                await approve_bind(runtime, quote.quote_id, actor=actor, reason=form.reason)
                said.append(f"Option {number} is bound")
            case "decline":
                await decline_quote(runtime, quote.quote_id, actor=actor, reason=form.reason)
                said.append(f"Option {number} is declined")
            case "cancel":
                on = _day(form.effective)
                await cancel_policy(runtime, quote.quote_id, on=on, reason=form.reason, actor=actor)
                said.append(f"The policy of option {number} is canceled")
            case "reinstate":
                await reinstate_policy(runtime, quote.quote_id, reason=form.reason, actor=actor)
                said.append(f"The policy of option {number} is reinstated")
            case "contingency" if draft is not None:
                await add_contingency(runtime, quote.quote_id, draft, actor=actor)
                said.append(f"Option {number} is subject to it")
            case _:
                flaw = "is not one that this option is open to"
                raise InvalidRequest.because([Problem("decision", "unknown_decision", flaw)])
    return f"{'. '.join(said)}."


async def _after(visit: Visit) -> str:
    """Stay with a case that still waits; otherwise go back to the queue."""
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        items = await desk.items_of(tx, submission_id)
    return f"/desk/case/{submission_id}" if items else "/desk"


async def _facts(visit: Visit) -> CaseFacts:
    submission_id = visit.path_id("submission_id")
    async with visit.runtime.database.reading() as tx:
        seen = await quote_view.see_submission(tx, submission_id)
        if not seen:
            raise NotFound("There is no such case.")
        stored = await submissions.get(tx, submission_id)
        numbers = {one.quote.quote_id: shown_number(one.quote.option_number) for one in seen}
        entries = await journal.of_quotes(tx, list(numbers), limit=MOST_ENTRIES)
        items = await desk.items_of(tx, submission_id)
        notes = await desk.notes_of(tx, submission_id)
    times = Times(visit.runtime.settings.zone, tx.now)
    history = history_of(entries, numbers, times, names_people=True)
    return CaseFacts(stored=stored, seen=seen, items=items, notes=notes, history=history)


async def _show(
    visit: Visit, form: DecisionForm, *, fault: BinderyError | None = None, only_part: bool = False
) -> Response:
    facts = await _facts(visit)
    option = visit.number("option") or shown_number(
        next(
            (one for one in facts.seen if one.quote.status in AT_THE_DESK), facts.seen[0]
        ).quote.option_number
    )
    async with visit.runtime.database.reading() as tx:
        priced, flaw = await _priced(visit, facts, form)
    times = Times(visit.runtime.settings.zone, tx.now)
    current = next((one for one in priced if shown_number(one.option_number) == option), None)
    case: CasePage = case_page(facts, times, option=option, user_id=visit.user.user_id, priced=current)
    problems = (fault or flaw) and tuple(_sentences(fault or flaw))
    shown: dict[str, Any] = {  # what the page and its part both take
        "case": case,
        "form": form,
        "problems": problems or (),
        "priced": tuple(
            PricedOption(
                quote_id=str(one.quote_id),
                number=shown_number(one.option_number),
                premium=money(one.premium),
                shown_premium=str(one.premium or ""),
                status=case.options[place].status.text,
                is_picked=str(one.quote_id) in form.options
                if form.options
                else shown_number(one.option_number) == option,
            )
            for place, one in enumerate(priced)
        ),
        "versions": tuple((str(one.quote.quote_id), one.quote.version) for one in facts.seen),
        "retentions": get_args(AggregateRetention),
        "claim_retentions": get_args(PerClaimRetention),
        "is_mpl": facts.stored.submission.product is InsuranceProduct.MPL,
        "option": option,
    }
    if only_part:
        return part("_worksheet.html", **shown)
    return page(visit, "case.html", status=422 if fault else 200, **shown)


async def _priced(
    visit: Visit, facts: CaseFacts, form: DecisionForm
) -> tuple[list[Quote], BinderyError | None]:
    """Price the referred options on the terms of the form; the others are as they are."""
    quotes = [one.quote for one in facts.seen]
    waiting = [
        quote
        for quote in quotes
        if quote.status is QuoteStatus.QUOTE_REFERRED and quote.assessment and quote.terms
    ]
    try:
        async with visit.runtime.database.reading() as tx:
            found = await preview_terms(tx, visit.runtime.practice, waiting, changed=_changed(form))
    except BinderyError as fault:
        return quotes, fault
    by_id = {quote.quote_id: quote for quote in found}
    return [by_id.get(quote.quote_id, quote) for quote in quotes], None


async def _read_form(visit: Visit) -> DecisionForm:
    fields = await visit.form_fields()
    given = dict(fields)
    return DecisionForm(
        **{
            name: given.get(name, "")
            for name in DecisionForm.__slots__
            if name not in {"options", "contingency_type"}
        },
        contingency_type=given.get("contingency_type") or "post_bind",
        options=frozenset(value for name, value in fields if name == "options"),
    )


def _changed(form: DecisionForm) -> ChangedTerms:
    return ChangedTerms(
        aggregate_retention=_whole(form.aggregate_retention, "aggregate_retention"),
        per_claim_retention=_whole(form.per_claim_retention, "per_claim_retention"),
        premium=_whole(form.premium, "premium"),
    )


def _whole(text: str, name: str) -> int | None:
    text = text.replace(",", "").replace("$", "").strip()
    if not text:
        return None
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(HIGHEST_PREMIUM))
    if not is_number or not 0 < int(text) <= HIGHEST_PREMIUM:
        flaw = f"must be whole dollars, up to {money(HIGHEST_PREMIUM)}"
        raise InvalidRequest.because([Problem(name, "bad_amount", flaw)])
    return int(text)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidRequest.because([Problem("effective", "bad_date", "must be a date")]) from None


def _draft(form: DecisionForm) -> DraftContingency | None:
    if not form.contingency_text:
        return None
    if form.contingency_type not in set(ContingencyType):
        flaw = Problem("contingency_type", "unknown_type", "must be before or after the bind")
        raise InvalidRequest.because([flaw])
    kind = ContingencyType(form.contingency_type)
    return DraftContingency(ContingencyKind.UNDERWRITER, kind, form.contingency_text)


def _quote_of(seen: Sequence[SeenQuote], quote_id: str) -> Quote:
    for one in seen:
        if str(one.quote.quote_id) == quote_id:
            return one.quote
    raise NotFound("There is no such option.")


def _sentences(fault: BinderyError | None) -> list[str]:
    if isinstance(fault, InvalidRequest) and fault.problems:
        return [f"{problem.path.replace('_', ' ')} {problem.message}" for problem in fault.problems]
    return [fault.message] if fault else []
