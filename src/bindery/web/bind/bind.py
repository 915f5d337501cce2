"""The bind form, a preview of its outcome, and the bind itself."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, assert_never

import msgspec
from msgspec import UNSET
from starlette.responses import Response

from bindery.actions.policy.bind_quote import STANDING, BindCall, bind_quote, foresee_bind
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, Problem, WrongState
from bindery.contract.binds import BindClient, BindOutcome, BindRequest, BindResponse
from bindery.contract.quotes import InsuredMainContact, PolicyDates
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term
from bindery.domain.documents.file_types import LARGEST_PAPER
from bindery.domain.policy.bind_ask import sent_contacts
from bindery.domain.policy.binding import (
    BindDecision,
    IssueConditionalBinder,
    IssuePolicy,
    ReferBind,
    why_not_bindable,
)
from bindery.domain.products import record_of
from bindery.domain.quote.lifecycle import BINDABLE, NOT_READY
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import total_of
from bindery.http.show_quote import show_quote
from bindery.storage.database import Reader
from bindery.storage.policy import policies
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.bind.bind_problems import (
    RETROACTIVE,
    field_problem,
    first_day_in_words,
    in_words,
    problems_of,
    unless_said,
)
from bindery.web.case.case_forms import whole
from bindery.web.case.decision_outcome import concern_in_words
from bindery.web.company.book import see_quote
from bindery.web.company.renewals import shown_renewal_offer
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.comparison import comparison
from bindery.web.shown.option import ShownOption, shown_option
from bindery.web.shown.words import cents, day, money, product_name

ATTESTATION: Final = "app_attestation"
STATEMENTS: Final = (
    ("uploaded", "The signed application was uploaded for this quote."),
    ("same", "It is the application that this quote was obtained with, complete and unchanged."),
    ("signed", "A member of the insured's control group signed and dated it."),
)
CONTACT: Final = ("email", "first_name", "last_name", "cell_phone")
SHOWN_FIELDS: Final = ("effective", "expiration", *CONTACT)
PRIOR_ACTS: Final = "prior_acts"
"""The choice between a retroactive date and full prior acts, for products that have both."""
FORM_FIELDS: Final = frozenset(
    {*SHOWN_FIELDS, *(rule.field for rule in RETROACTIVE), PRIOR_ACTS, ATTESTATION}
)


async def show_bind(visit: Visit) -> Response:
    try:
        seen = await open_quote(visit)
    except WrongState as fault:
        # Whoever goes back after a bind comes here: nothing was refused.
        return await visit.done(f"/quote/{visit.path_id('quote_id')}", fault.message)
    return await bind_page(visit, seen, quoted(seen))


async def send_bind(visit: Visit) -> Response:
    """Bind the quote, or preview the outcome.

    A second press of the button repeats a bind that stands, and gets the same answer as the first.
    """
    form = await _read_form(visit)
    is_preview = form.get("step") == "preview"
    seen = await open_quote(visit, or_in=() if is_preview else STANDING)
    try:
        request, contacts = _request(seen, form)
        if is_preview:
            return await bind_page(visit, seen, form)
        receipt = await bind_quote(
            visit.runtime.database,
            visit.runtime.rules,
            BindCall(
                caller=Caller(partner_id=seen.quote.partner_id, actor=visit.actor),
                quote_id=seen.quote.quote_id,
                request=request,
                contacts=contacts,
                unknown_fields=(),
                shown_premium=_shown_premium(form),
            ),
        )
    except (InvalidRequest, WrongState, ChangedMeanwhile) as fault:
        if seen.quote.status in STANDING:
            async with visit.runtime.database.reading() as tx:
                raise await _not_bindable(tx, seen) from None
        return await bind_page(visit, seen, form, problems=problems_of(fault))
    outcome = msgspec.json.decode(receipt, type=BindResponse).quotes[0]
    return await visit.done(f"/quote/{seen.quote.quote_id}", _done(outcome.outcome, outcome.policy_number))


async def open_quote(visit: Visit, or_in: Sequence[QuoteStatus] = ()) -> QuoteRecord:
    """Return the quote of the path if it can be bound, or has one of the other statuses.

    Raises:
        NotFound: there is no such quote for this user.
        WrongState: it can no longer be bound.
    """
    async with visit.runtime.database.reading() as tx:
        seen = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        if seen.quote.status not in {*BINDABLE, *or_in}:
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
    return WrongState(in_words(why.replace(f", {instead},", "")), available_statuses=BINDABLE)


async def _read_form(visit: Visit) -> dict[str, str]:
    """Read the form; the statements are checkboxes of one name and are joined by spaces."""
    fields = await visit.form_fields()
    stated = [value for name, value in fields if name == ATTESTATION]
    return {**dict(fields), ATTESTATION: " ".join(stated)}


def _shown_premium(form: Mapping[str, str]) -> int:
    shown = whole(form.get("shown_premium", ""), "premium")
    if shown is None:
        raise InvalidRequest.because([Problem("premium", "not_shown", "was not on the page; it is now")])
    return shown


def quoted(seen: QuoteRecord) -> dict[str, str]:
    term = seen.term
    contact = seen.client.get("insured_main_contact") or {}
    asked = term.retroactive.isoformat() if isinstance(term.retroactive, date) else ""
    rule = record_of(seen.quote.product).retroactive
    return {
        "effective": term.effective.isoformat(),
        "expiration": term.expiration.isoformat(),
        **{other.field: asked if other == rule else "" for other in RETROACTIVE},
        PRIOR_ACTS: FULL_PRIOR_ACTS if term.retroactive == FULL_PRIOR_ACTS else "",
        **{name: str(contact.get(name) or "") for name in CONTACT},
    }


def _request(seen: QuoteRecord, form: Mapping[str, str]) -> tuple[BindRequest, str | None]:
    problems: list[Problem] = []

    def read(name: str) -> date | None:
        text = form.get(name, "")
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            problems.append(Problem(f"dates.{name}", "bad_date", "must be a date"))
            return None

    effective = read("effective")
    if effective is None and not problems:
        problems.append(Problem("dates.effective", "required", "is required"))
    expiration = read("expiration")
    rule = record_of(seen.quote.product).retroactive
    reach: dict[str, Any] = {}
    if rule is not None:
        reach[rule.field] = day_typed = read(rule.field)
        if rule.takes_full_prior_acts:
            problems += _unclear_reach(seen, form, rule.field)
            typed = day_typed.isoformat() if day_typed is not None else ""
            reach[rule.field] = FULL_PRIOR_ACTS if form.get(PRIOR_ACTS) else typed
    if problems or effective is None:
        raise InvalidRequest.because(problems)
    client = None
    given = {name: form.get(name, "") for name in CONTACT}
    kept = quoted(seen)
    if any(given[name] != kept[name] for name in CONTACT):
        client = BindClient(
            insured_main_contact=InsuredMainContact(
                email=given["email"],
                first_name=given["first_name"] or UNSET,
                last_name=given["last_name"] or UNSET,
                cell_phone=given["cell_phone"] or UNSET,
            )
        )
    request = BindRequest(
        quote_identifier=str(seen.quote.quote_id),
        dates=PolicyDates(
            effective=effective,
            expiration=expiration or UNSET,
            **{name: value or UNSET for name, value in reach.items()},
        ),
        app_attestation=_is_attested(form),
        client=client,
    )
    return request, sent_contacts(msgspec.json.encode(request))


def _unclear_reach(seen: QuoteRecord, form: Mapping[str, str], field: str) -> Iterator[Problem]:
    """Report a choice between a date and full prior acts that can be read in two ways."""
    is_full, typed = bool(form.get(PRIOR_ACTS)), form.get(field)
    if is_full and typed:
        yield Problem(f"dates.{field}", "two_dates", "must be empty for full prior acts")
    if not is_full and not typed and seen.term.retroactive == FULL_PRIOR_ACTS:
        yield Problem(f"dates.{field}", "required", "is required: full prior acts were quoted")


def _is_attested(form: Mapping[str, str]) -> bool:
    stated = form.get(ATTESTATION, "").split()
    return "true" in stated or all(name in stated for name, _ in STATEMENTS)


async def bind_page(
    visit: Visit,
    seen: QuoteRecord,
    form: Mapping[str, str],
    *,
    problems: Sequence[Problem] = (),
    status: int = 422,
    said: str = "",
) -> Response:
    """Show the form with its values and problems; `said` reports the step that led here."""
    outcome, faults, bound, goes_to_desk = "", list(problems), seen.quote, False
    async with visit.runtime.database.reading() as tx:
        is_as_quoted = form.get("effective") == seen.term.effective.isoformat() and seen.renews is None
        not_from = first_day_in_words(seen.quote, seen.term.effective, today=tx.today) if is_as_quoted else ""
        try:
            request, _ = _request(seen, form)
            decision, bound = await foresee_bind(tx, visit.runtime.rules, seen.quote, request)
            outcome = _foreseen(decision, seen) + _priced(bound, seen.quote)
            goes_to_desk = isinstance(decision, ReferBind)
        except BinderyError as fault:
            faults = faults or unless_said(problems_of(fault), not_from)
        expiring = await policies.find(tx, seen.renews) if seen.renews is not None else None
    offer = shown_renewal_offer(expiring, seen.contingencies, today=tx.today) if expiring else None
    times = visit.times(tx.now)
    body = show_quote(seen)
    option: ShownOption = shown_option(seen, body, times, may_act=True)
    shown = tuple(field_problem(problem) for problem in faults)
    stated = form.get(ATTESTATION, "").split()
    rule = record_of(seen.quote.product).retroactive
    return page(
        visit,
        "bind/bind.html",
        status=status if problems else 200,
        said=said,
        owed=tuple(owed for owed in option.contingencies if owed.is_open),
        contingency=form.get("contingency_id", ""),
        largest=LARGEST_PAPER // 2**20,
        option=option,
        rows=comparison([body], None, times),
        company=str(seen.client["name"]),
        company_address=f"/company/{seen.quote.company_id}",
        product=product_name(seen.quote.product),
        retroactive=rule,
        retroactive_date=form.get(rule.field, "") if rule is not None else "",
        is_full_prior_acts=bool(form.get(PRIOR_ACTS)),
        without_date=_without_date(seen.term),
        form={name: form.get(name, "") for name in SHOWN_FIELDS},
        statements=tuple((name, text, name in stated) for name, text in STATEMENTS),
        needs_signature=any(owed.is_signature and owed.is_open for owed in seen.contingencies),
        offer=offer,
        may_bind=offer is None
        or not offer.may_bind_from
        or any(problem.path != "file" for problem in problems),
        premium=str(bound.premium),
        outcome=outcome,
        goes_to_desk=goes_to_desk,
        not_from=not_from,
        is_repriced=bound.premium != seen.quote.premium,
        problems=shown,
        wrong=frozenset(problem.field for problem in shown),
    )


def _without_date(quoted_term: Term) -> str:
    asked = quoted_term.retroactive
    if isinstance(asked, date):
        return f"empty: as quoted, {day(asked)}"
    return "" if asked else "empty: the first day, as quoted"


def _foreseen(decision: BindDecision, seen: QuoteRecord) -> str:
    match decision:
        case IssuePolicy():
            return "Binds now; the policy is issued at once."
        case IssueConditionalBinder(fulfil_by):
            return (
                f"Binds now with a conditional binder until {day(fulfil_by)}, which becomes a "
                "policy when everything open is closed and lapses otherwise."
            )
        case ReferBind(because):
            return (
                f"Goes to an underwriter because {concern_in_words(because, seen.contingencies)}; nothing is "
                "bound until they decide."
            )
        case _:
            assert_never(decision)


def _priced(bound: Quote, offered: Quote) -> str:
    if bound.premium is None or bound.premium == offered.premium:
        return ""
    return f" For these dates the premium is {money(bound.premium)}, {cents(total_of(bound))} in total."


def _done(outcome: BindOutcome, number: str | None) -> str:
    match outcome:
        case BindOutcome.POLICY_ISSUED:
            return f"Bound. Policy {number} is issued."
        case BindOutcome.CONDITIONAL_BINDER:
            return f"Conditionally bound as {number}. Please send the items still open."
        case BindOutcome.BIND_REQUESTED:
            return "The bind was requested; an underwriter decides."
        case _:
            assert_never(outcome)
