"""What cannot be asked to be otherwise during the term of a policy: every problem at once, with its path."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from msgspec import UNSET

from bindery.base.errors import Problem
from bindery.base.numbers import in_dollars
from bindery.contract.changes import PolicyChangeAsk, PolicyChanges
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.applicant.us_states import state_names
from bindery.domain.policy.change_ask import TERM_FIELDS, InsuredNow
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.counter_offer import choices_for
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord
from bindery.domain.rating.option import settle_terms
from bindery.domain.rating.tariff import Tariff
from bindery.domain.submission import checks
from bindery.domain.submission.parts import Parts
from bindery.domain.submission.value import RETENTION_RAISED

BACK_AT_MOST: Final = timedelta(days=30)


def first_day(policy: Policy, record: AssessmentRecord, today: date) -> date:
    """Return the first day from which a change may hold."""
    return max(last_change(policy, record), today - BACK_AT_MOST)


def last_change(policy: Policy, record: AssessmentRecord) -> date:
    return max((change.effective for change in record.changes), default=policy.term.effective)


def bad_day(ask: PolicyChangeAsk, policy: Policy, record: AssessmentRecord, today: date) -> Iterator[Problem]:
    day, term = ask.effective, policy.term
    last = last_change(policy, record)
    if not term.effective <= day < term.expiration:
        flaw = f"must be from {term.effective} and before {term.expiration}, within the policy's term"
        yield Problem("effective", "outside_term", flaw)
    elif day < today - BACK_AT_MOST:
        flaw = f"must be {today - BACK_AT_MOST} or later: a change goes back at most 30 days"
        yield Problem("effective", "too_early", flaw)
    elif day < last:
        flaw = (
            f"must be {last} or later: a change from that day is issued already, and changes are made in the "
            "order of their days"
        )
        yield Problem("effective", "out_of_sequence", flaw)


def bad_insured(changes: PolicyChanges, now: InsuredNow) -> Iterator[Problem]:
    address = changes.address or None
    contacts = changes.contacts or None
    parts = Parts(
        name=changes.name or None,
        address=address,
        domains=tuple(enumerate(changes.domains or ())),
        insured_main_contact=contacts.insured_main_contact if contacts else None,
        additional_contacts=tuple(enumerate((contacts.additional_contacts or ()) if contacts else ())),
    )
    for problem in (
        *checks.blank_texts(parts),
        *(checks.bad_address(address) if address else ()),
        *checks.bad_domains(parts),
        *checks.bad_emails(parts),
        *checks.repeated_roles(parts),
    ):
        field = problem.path.removeprefix("client.")
        where = "contacts." if field.startswith(("insured_main", "additional_contacts")) else ""
        yield replace(problem, path=f"changes.{where}{field}")
    for number, other in enumerate(changes.additional_insured or ()):
        if not other.name.strip():
            yield Problem(f"changes.additional_insured[{number}].name", "blank", "must not be blank")
    if address and not any(checks.bad_address(address)):
        state, mine = checks.state_of(address), now.submission.state
        if state != mine:
            names = state_names()
            flaw = (
                f"is in {names[state]}, and the policy is one of {names[mine]}: taxes and notices follow the "
                "state, so cancel the policy (reason rewritten) and ask for a new quote"
            )
            yield Problem("changes.address", "other_state", flaw)


def bad_terms(
    quote: Quote, terms: Terms, changes: PolicyChanges, tariff: Tariff | None, revenue: int
) -> Iterator[Problem]:
    asked = [name for name in TERM_FIELDS if getattr(changes, name) not in {UNSET, None}]
    if not asked or terms == quote.terms:
        return
    if tariff is None:
        flaw = "the premium was set by hand, without a tariff: ask the underwriters"
        yield Problem(f"changes.{asked[0]}", "set_by_hand", flaw)
        return
    choices = choices_for(tariff, quote.product)
    field = choices.retention_field
    unused = {"aggregate_retention", "per_claim_retention"} - {field, "aggregate_retention"}
    for name in sorted(unused.intersection(asked)):
        yield Problem(f"changes.{name}", "not_allowed", f"does not apply to {quote.product}")
    if terms.per_claim_limit > terms.aggregate_limit:
        yield Problem("changes.per_claim_limit", "above_aggregate", "must not exceed the aggregate limit")
    elif terms.per_claim_limit not in {terms.aggregate_limit, *choices.per_claim_limits}:
        yield Problem("changes.per_claim_limit", "not_allowed", "is not one that can be offered")
    if terms.per_claim_limit <= terms.aggregate_limit:
        yield from _too_small(quote, terms, tariff, revenue, asked)
    retention = getattr(terms, field)
    if retention is not None and retention >= terms.per_claim_limit:
        one_claim = in_dollars(terms.per_claim_limit)
        yield Problem(f"changes.{field}", "no_cover_per_claim", f"must be below the {one_claim} of one claim")


def _too_small(
    quote: Quote, terms: Terms, tariff: Tariff, revenue: int, asked: Sequence[str]
) -> Iterator[Problem]:
    """Refuse what a new quote would raise: a retention below the lowest, or a yearly cap below a claim's."""
    for correction in settle_terms(tariff, revenue, quote.product, as_ask(terms)).corrections:
        # A claim's retention that is asked for may rise above the yearly cap, which nobody asked for.
        path = correction.field if correction.field in asked else "per_claim_retention"
        if correction.code == RETENTION_RAISED and path in asked:
            yield Problem(f"changes.{path}", "too_small", correction.text)


def as_ask(terms: Terms) -> OptionAsk:
    return OptionAsk(**{name: getattr(terms, name) for name in TERM_FIELDS})


def unproved(
    ask: PolicyChangeAsk, before: Terms, after: Terms, now: InsuredNow, today: date
) -> Iterator[Problem]:
    """Ask for the insured's word where cover becomes more from a day that is past."""
    if ask.effective >= today or ask.no_known_loss:
        return
    grows = ("aggregate_limit", "per_claim_limit"), ("aggregate_retention", "per_claim_retention")
    is_more = any(getattr(after, name) > getattr(before, name) for name in grows[0]) or any(
        (getattr(after, name) or 0) < (getattr(before, name) or 0) for name in grows[1]
    )
    named = {other.name for other in now.additional}
    if is_more or any(other.name not in named for other in ask.changes.additional_insured or ()):
        flaw = f"is required, signed by the insured: there would be more cover from {ask.effective}"
        yield Problem("no_known_loss", "required", flaw)
