"""Notices about a policy: cancellation, lapse of a binder, reinstatement, and nonrenewal."""

from datetime import timedelta
from decimal import Decimal
from typing import Final, TypeVar

from bindery.contract.documents import DocumentType
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.applicant.risk import Term
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import (
    Canceled,
    Lapsed,
    NoticeFacts,
    NotRenewed,
    PolicyEvent,
    Reinstated,
)
from bindery.domain.policy.cancellation import (
    REASON_WORDS,
    extended_reporting,
    has_ended,
    reinstate_by,
    reporting_after_term,
)
from bindery.domain.policy.policy import MINIMUM_EARNED, minimum_earned, payment_due
from bindery.domain.text import listed

ONE_DAY: Final = timedelta(days=1)

Event = TypeVar("Event", bound=PolicyEvent)


def event_of(facts: DocumentFacts, kind: type[Event]) -> Event:
    if not isinstance(facts, NoticeFacts) or not isinstance(facts.event, kind):
        raise layout.MissingFacts(f"Quote {facts.quote_identifier} was not {kind.__name__.lower()}")
    return facts.event


def notice_content(
    facts: DocumentFacts, kind: DocumentType, event: PolicyEvent, *, title: str, footnote: str
) -> layout.Content:
    binding = layout.binding_of(facts)
    written = long_date(event.on)
    return {
        **layout.basics(
            facts,
            kind,
            title=f"{title} {binding.policy_number}",
            footnote=footnote,
            reference=f"Policy {binding.policy_number}",
        ),
        "reference": [["Policy", Whole(binding.policy_number)], ["Notice of", written]],
        "title": title,
        "date": written,
        "greeting": layout.greeting(facts),
        "policy_number": Whole(binding.policy_number),
        "conditional": facts.conditional,
        "state": facts.notice.state_name,
    }


def cancellation_notice_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, event = layout.offer_of(facts), event_of(facts, Canceled)
    is_unpaid = event.reason_code is CancellationReason.NONPAYMENT
    never_began = _never_began(facts, event)
    earned = offer.premium - event.returned_premium if event.earned is None else event.earned
    charges = offer.total - offer.premium
    content = {
        **notice_content(
            facts,
            DocumentType.CANCELLATION_NOTICE,
            event,
            title="Notice of cancellation",
            footnote="Please keep this notice with the policy.",
        ),
        "by": event.canceled_by,
        "never_began": never_began,
        "canceled_from": long_date(event.effective),
        "reason": _reason(event),
        "sent": _sent(facts, event),
        "unpaid": is_unpaid,
        "returned": layout.cents(event.returned_premium),
        "due": layout.cents(event.due),
        "premium": layout.cents(offer.premium),
        "premium_rows": [
            ["Premium for the term", "", layout.cents(offer.premium)],
            _earned_row(facts, event, earned),
        ],
        "earned": layout.cents(earned),
        "charges": layout.cents(charges),
        "charges_returned": _cents_or_none(event.charges_returned),
        "charges_due": layout.cents(event.charges_due),
        "all_due": layout.cents(event.due + event.charges_due),
        "total": layout.cents(offer.total),
        "statement_number": Whole(f"S-{layout.binding_of(facts).policy_number}"),
        "keeps_in_force": long_date(event.effective - ONE_DAY),
        "has_minimum": event.canceled_by is not CanceledBy.INSURER,
        "minimum_earned": f"{MINIMUM_EARNED * 100:.0f}%",
        "least": layout.cents(minimum_earned(offer.premium)),
        "reporting": None if never_began else _reporting(facts, event),
        "reinstate_by": long_date(reinstate_by(event.on)),
    }
    return layout.DocumentInput(event.on, content)


def _cents_or_none(amount: Decimal | None) -> str | None:
    return None if amount is None else layout.cents(amount)


def _reason(event: Canceled) -> str:
    if event.reason_code is None:
        return event.reason
    words = typographic(REASON_WORDS[event.reason_code])
    return f"{words}: {event.reason}" if event.reason else words


def _sent(facts: DocumentFacts, event: Canceled | NotRenewed) -> str:
    """Return the sentence on when and how the notice was mailed."""
    contacts = [contact for contact in (facts.contact, *facts.notice_contacts) if contact is not None]
    to = dict.fromkeys((*(contact.email for contact in contacts), facts.broker_email))
    return f"{long_date(event.on)}, by email to {listed(list(to))}"


def _never_began(facts: DocumentFacts, event: Canceled) -> bool:
    """Whether cover never began; earlier notices, when a quarter was kept then too, stay as they were."""
    is_nothing_earned = event.earned == 0 or event.returned_premium == layout.offer_of(facts).premium
    return is_nothing_earned and event.effective <= facts.period.effective


def _earned_row(facts: DocumentFacts, event: Canceled, earned: int) -> list[str]:
    if _never_began(facts, event):
        return ["Earned premium (coverage does not begin)", "0.00%", layout.cents(0)]
    offer, period = layout.offer_of(facts), facts.period
    if offer.term_premium is not None:
        sign = "" if event.reason_code is CancellationReason.NONPAYMENT else "\N{MINUS SIGN}"
        if event.canceled_by is CanceledBy.INSURED and earned == minimum_earned(offer.premium):
            return ["Minimum earned premium", f"{MINIMUM_EARNED * 100:.2f}%", f"{sign}{layout.cents(earned)}"]
        return ["Earned premium (by days, each change from its own day)", "", f"{sign}{layout.cents(earned)}"]
    days = (period.expiration - period.effective).days
    used = (event.effective - period.effective).days
    by_days = f"({used:,} of {days:,} days in force)"
    is_least = event.canceled_by is not CanceledBy.INSURER and used < days * MINIMUM_EARNED
    if is_least:
        label, rate = f"Minimum earned premium {by_days}", MINIMUM_EARNED
    else:
        label, rate = f"Earned premium {by_days}", Decimal(used) / days
    # What is due is no deduction from the premium: nothing of it was paid.
    sign = "" if event.reason_code is CancellationReason.NONPAYMENT else "\N{MINUS SIGN}"
    assert earned <= offer.premium, "no more is earned than was charged"
    return [label, f"{rate * 100:.2f}%", f"{sign}{layout.cents(earned)}"]


def _reporting(facts: DocumentFacts, event: Canceled) -> layout.Content | None:
    """Return the extended reporting; None for notices from before anybody was asked for the reason."""
    term = Term(facts.period.effective, facts.period.expiration)
    premium = layout.offer_of(facts).of_the_term
    extended = extended_reporting(premium, term, event.reason_code, event.effective)
    if event.reason_code is None or extended is None:
        return None
    return {
        "automatic": long_date(extended.automatic_until) if extended.automatic_until else None,
        "rewritten": event.reason_code is CancellationReason.REWRITTEN,
        "prices": [[f"{months} months", layout.cents(price)] for months, price in extended.prices],
        "until": long_date(extended.offered_until),
    }


def nonrenewal_notice_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, event = layout.offer_of(facts), event_of(facts, NotRenewed)
    period = facts.period
    extended = reporting_after_term(offer.of_the_term, Term(period.effective, period.expiration))
    assert extended.automatic_until is not None, "a policy that is not renewed has the automatic period"
    content = {
        **notice_content(
            facts,
            DocumentType.NONRENEWAL_NOTICE,
            event,
            title="Notice of nonrenewal",
            footnote="Please keep this notice with the policy.",
        ),
        "ends": long_date(event.expiration),
        "last_day": long_date(event.expiration - ONE_DAY),
        "reason": typographic(event.reason),
        "days": event.days,
        "days_left": (event.expiration - event.on).days,
        "sent": _sent(facts, event),
        "reporting": {
            "automatic": long_date(extended.automatic_until),
            "prices": [[f"{months} months", layout.cents(price)] for months, price in extended.prices],
            "until": long_date(extended.offered_until),
        },
    }
    return layout.DocumentInput(event.on, content)


def lapse_notice_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    event = event_of(facts, Lapsed)
    fulfil_by = long_date(event.fulfil_by)
    content = {
        **notice_content(
            facts,
            DocumentType.LAPSE_NOTICE,
            event,
            title="Notice of lapse",
            footnote="There is no coverage under the binder that this notice is about.",
        ),
        "binder_number": Whole(f"B-{binding.policy_number}"),
        "statement_number": Whole(f"S-{binding.policy_number}"),
        "bound_on": long_date(binding.bound_on),
        "fulfil_by": fulfil_by,
        "lapsed_on": long_date(event.on),
        "missing": [
            {"text": contingency.text, "closed": False, "note": f"was due {fulfil_by}"}
            for contingency in facts.contingencies
            if contingency.is_open
        ],
        "total": layout.cents(offer.total),
    }
    return layout.DocumentInput(event.on, content)


def reinstatement_notice_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    event = event_of(facts, Reinstated)
    due, rows = _due_again(facts, event)
    content = {
        **notice_content(
            facts,
            DocumentType.REINSTATEMENT_NOTICE,
            event,
            title="Notice of reinstatement",
            footnote="Please keep this notice with the policy.",
        ),
        "reinstated_on": long_date(event.on),
        "canceled_from": long_date(event.canceled_from),
        "had_ended": has_ended(event.canceled_from, event.on),
        "reason": event.reason,
        "unpaid": event.is_unpaid,
        "due_rows": rows,
        "due": layout.cents(due),
        "due_by": long_date(payment_due(max(facts.period.effective, event.on))),
        "premium": layout.cents(offer.premium),
        "total": layout.cents(offer.total),
        "charges_known": event.is_unpaid or event.charges_returned is not None,
        "statement_number": Whole(f"S-{binding.policy_number}"),
        "fulfil_by": long_date(binding.fulfil_by) if facts.conditional and binding.fulfil_by else None,
    }
    return layout.DocumentInput(event.on, content)


def _due_again(facts: DocumentFacts, event: Reinstated) -> tuple[Decimal, list[list[str]]]:
    """Return what is due after a reinstatement, and its rows."""
    offer = layout.offer_of(facts)
    if event.is_unpaid:
        charges = offer.total - offer.premium
        return offer.total, [
            ["Premium for the term", "", layout.cents(offer.premium)],
            ["Taxes and fees", "", layout.cents(charges)],
        ]
    charges = event.charges_returned or Decimal(0)
    rows = [["Premium returned by the cancellation", "", layout.cents(event.returned_premium)]]
    if event.charges_returned is not None:
        rows.append(["Taxes and fees returned by the cancellation", "", layout.cents(charges)])
    return event.returned_premium + charges, rows
