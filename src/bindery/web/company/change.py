"""Changing a policy: everything that can be changed on one page, with what it comes to before it is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from starlette.responses import Response

from bindery.actions.policy.change_at_once import change_at_once
from bindery.actions.policy.price_of_change import PolicyNow, policy_now, price_with
from bindery.base.errors import BinderyError, InvalidRequest, Problem, WrongState
from bindery.contract.changes import PolicyChangeAsk
from bindery.domain.applicant.us_states import state_names
from bindery.domain.documents.endorsing import changed_items
from bindery.domain.documents.notices import ChangedItem
from bindery.domain.policy.change_form import ChangeChoices, Shown, choices_of
from bindery.domain.policy.changing import PricedChange, check_changeable
from bindery.domain.policy.kept_change import KeptChange
from bindery.storage.policy import changes, policies
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.book import see_quote
from bindery.web.company.change_form import LABELS, ROLES, ChangeFields, form_problems, read_ask
from bindery.web.company.change_settled import came_of_it, head_of
from bindery.web.company.forms import LONGEST_WORDS, FormProblem, status_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.policy_changes import asked_by, by, change_in_words, outcome_of, price_rows
from bindery.web.shown.words import Times, american, money, refusal_in_words

MORE_PEOPLE: Final = 1
MORE_OTHERS: Final = 3
"""How many empty rows follow those that are filled in; showing the price brings as many again."""
ROLE_WORDS: Final = tuple((role, f"gets {role.replace('_', ' ')}") for role in ROLES)
CHANGED_MEANWHILE: Final = (
    "The policy was changed since this page came. What you did not touch is as it is now; look at it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A policy with the form on it; `now` is None where there is nothing that could be shown in a form."""

    record: QuoteRecord
    times: Times
    now: PolicyNow | None
    newest: KeptChange | None
    refusal: WrongState | None
    fields: ChangeFields
    held: ChangeFields
    form: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    ask: PolicyChangeAsk | None = None
    priced: PricedChange | None = None
    is_outdated: bool = False

    @property
    def today(self) -> date:
        return self.times.today

    @property
    def choices(self) -> ChangeChoices:
        assert self.now is not None, "only a form has choices"
        return choices_of(self.record.quote, self.now.policy, self.today)

    @property
    def shown(self) -> str:
        return "" if self.ask is None or self.priced is None else str(Shown.of(self.ask, self.priced))

    @property
    def is_as_it_is(self) -> bool:
        """Whether nothing is left to change, and nothing else is wrong."""
        return [problem.code for problem in self.problems] == ["nothing_changed"]

    @property
    def open(self) -> KeptChange | None:
        there = self.newest
        return there if there is not None and there.status_on(self.today) in changes.OPEN else None


async def show_change(visit: Visit) -> Response:
    return _page(visit, await _see(visit, None))


async def send_change(visit: Visit) -> Response:
    form = await visit.form()
    seen = await _see(visit, form)
    if form.get("step") != "change" or seen.refusal is not None or seen.now is None:
        return _page(visit, seen)
    where = f"/policy/{seen.record.quote.quote_id}/changes"
    if seen.is_as_it_is and seen.newest is not None and seen.newest.endorsement is not None:
        return await visit.done(where, f"Nothing is left to change. {_standing(seen.newest, seen.times)}")
    if seen.problems or seen.ask is None:
        return _page(visit, seen)
    runtime = visit.runtime
    try:
        sent = await change_at_once(
            runtime.database,
            runtime.rules,
            seen.record.quote.quote_id,
            seen.ask,
            shown=Shown.read(form.get("shown", "")),
            actor=visit.actor,
        )
    except BinderyError as fault:
        return _page(visit, await _see(visit, form), fault=fault)
    said = came_of_it(sent.change)
    return await visit.done(
        where, f"It was sent before. {_standing(sent.change, seen.times)}" if sent.is_again else said
    )


def _standing(change: KeptChange, times: Times) -> str:
    return f"{change_in_words(change, times)} {asked_by(change, times)}"


async def _see(visit: Visit, form: Mapping[str, str] | None) -> Seen:
    async with visit.runtime.database.reading() as tx:
        record = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        quote = record.quote
        policy = await policies.find(tx, quote.quote_id)
        refusal = None
        try:
            check_changeable(quote, policy, tx.today)
        except WrongState as fault:
            refusal = fault
        has_form = policy is not None and policy.is_issued and (refusal is None or form is not None)
        now = await policy_now(tx, quote, policy) if has_form and policy is not None else None
        newest = await changes.newest(tx, quote.quote_id)
    typed = ChangeFields.of_form(form or {})
    if now is None or quote.terms is None:
        return Seen(
            record=record,
            times=visit.times(tx.now),
            now=None,
            newest=newest,
            refusal=refusal,
            fields=typed,
            held=typed,
            form=form or {},
        )
    held = ChangeFields.of_policy(quote.terms, now.insured)
    was = ChangeFields.from_text((form or {}).get("was", ""), instead=held)
    seen = Seen(
        record=record,
        times=visit.times(tx.now),
        now=now,
        newest=newest,
        refusal=refusal,
        fields=held if form is None else typed.onto(held, was=was),
        held=held,
        form=form or {},
        is_outdated=was != held,
    )
    return seen if form is None or refusal is not None else _priced(visit, seen)


def _priced(visit: Visit, seen: Seen) -> Seen:
    quote, now = seen.record.quote, seen.now
    assert now is not None and quote.terms is not None, "only a form is priced"  # noqa: PT018
    read = read_ask(
        seen.fields,
        seen.form,
        quote.terms,
        now.insured,
        default=seen.choices.default,
        is_sent=seen.form.get("step") == "change",
    )
    problems, priced = read.problems, None
    try:
        priced = price_with(now, visit.runtime.rules, quote, read.ask, today=seen.today)
    except InvalidRequest as fault:
        found = fault.problems or (Problem("", fault.code, fault.message),)
        # What could not be read may have been the only thing that differs.
        problems += tuple(each for each in found if each.code != "nothing_changed" or not problems)
    return replace(seen, problems=problems, ask=read.ask, priced=None if problems else priced)


def _page(visit: Visit, seen: Seen, *, fault: BinderyError | None = None) -> Response:
    record, now = seen.record, seen.now
    fault = fault or seen.refusal
    found = form_problems(seen.problems, seen.fields)
    if fault is not None and not (isinstance(fault, InvalidRequest) and seen.problems):
        found.insert(0, FormProblem("", "", american(refusal_in_words(fault))))
    status = status_of(fault) if fault is not None else 422 if seen.problems else 200
    head = head_of(record)
    if now is None:
        return page(visit, "company/change.html", status=status, form=None, head=head, problems=tuple(found))
    is_past = seen.form.get("effective", "") < seen.today.isoformat() and "effective" in seen.form
    needs_word = is_past or any(problem.path == "no_known_loss" for problem in seen.problems)
    choices = seen.choices
    return page(
        visit,
        "company/change.html",
        status=status,
        head=head,
        problems=tuple(found),
        form=seen.fields,
        wrong={problem.field: problem.text for problem in found if problem.field},
        labels=LABELS,
        effective=seen.form.get("effective") or choices.default.isoformat(),
        first=choices.first.isoformat(),
        last=choices.last.isoformat(),
        reason=seen.form.get("reason", ""),
        longest=LONGEST_WORDS,
        no_known_loss="no_known_loss" in seen.form,
        needs_word=needs_word,
        terms=_terms(seen),
        state=state_names()[now.insured.submission.state],
        people=(*seen.fields.people, *[{}] * MORE_PEOPLE),
        others=(*seen.fields.others, *[{}] * MORE_OTHERS),
        roles=ROLE_WORDS,
        was=seen.held.as_text,
        meanwhile=CHANGED_MEANWHILE if seen.is_outdated else "",
        open=_standing(seen.open, seen.times) if seen.open is not None else "",
        may_send=seen.refusal is None,
        items=_items(seen),
        price=price_rows(seen.priced) if seen.priced is not None else (),
        total=by(seen.priced.total) if seen.priced is not None else "",
        outcome=outcome_of(seen.priced) if seen.priced is not None and seen.open is None else None,
        reasons=tuple(referral.text for referral in seen.priced.referrals) if seen.priced else (),
        shown=seen.shown,
    )


def _items(seen: Seen) -> tuple[ChangedItem, ...]:
    if seen.now is None or seen.ask is None or seen.priced is None:
        return ()
    return tuple(changed_items(seen.record.quote, seen.now.insured, seen.ask, seen.priced))


def _terms(seen: Seen) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    """Return the terms that can be chosen: the field, its label, and the amounts."""
    shown = []
    for name, amounts in seen.choices.terms.items():
        offered = tuple((str(amount), money(amount)) for amount in amounts)
        if name == "per_claim_limit":
            offered = (("", "As the aggregate limit"), *offered)
        shown.append((name, LABELS[name], offered))
    return tuple(shown)
