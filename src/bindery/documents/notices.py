"""Notices about a policy: cancellation, lapse of a conditional binder, and reinstatement."""

from decimal import Decimal
from typing import TypeVar

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import Canceled, Lapsed, NoticeFacts, PolicyEvent, Reinstated
from bindery.domain.policy.ending import reinstate_by
from bindery.domain.policy.policy import MINIMUM_EARNED

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
    charges = offer.total - offer.premium
    content = {
        **notice_content(
            facts,
            DocumentType.CANCELLATION_NOTICE,
            event,
            title="Notice of cancellation",
            footnote="Please keep this notice with the policy.",
        ),
        "never_began": _never_began(facts, event),
        "canceled_from": long_date(event.effective),
        "reason": event.reason,
        "returned": layout.cents(event.returned_premium),
        "premium": layout.cents(offer.premium),
        "premium_rows": [
            ["Premium for the term", "", layout.cents(offer.premium)],
            _earned_row(facts, event),
        ],
        "earned": layout.cents(offer.premium - event.returned_premium),
        "charges": layout.cents(charges),
        "minimum_earned": f"{MINIMUM_EARNED * 100:.0f}%",
        "reinstate_by": long_date(reinstate_by(event.on)),
    }
    return layout.DocumentInput(event.on, content)


def _never_began(facts: DocumentFacts, event: Canceled) -> bool:
    """Whether cover never began; earlier notices, when a quarter was kept then too, stay as they were."""
    is_all_returned = event.returned_premium == layout.offer_of(facts).premium
    return is_all_returned and event.effective <= facts.period.effective


def _earned_row(facts: DocumentFacts, event: Canceled) -> list[str]:
    if _never_began(facts, event):
        return ["Earned: nothing, as cover does not begin", "0.00%", layout.cents(0)]
    offer, period = layout.offer_of(facts), facts.period
    earned = offer.premium - event.returned_premium
    days = (period.expiration - period.effective).days
    used = (event.effective - period.effective).days
    by_days = f"{used:,} of {days:,} days of cover"
    if used < days * MINIMUM_EARNED:
        label, rate = f"Earned: the least that is earned, for {by_days}", MINIMUM_EARNED
    else:
        label, rate = f"Earned: {by_days}", Decimal(used) / days
    return [label, f"{rate * 100:.2f}%", f"\N{MINUS SIGN}{layout.cents(earned)}"]


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
            footnote="There is no cover under the binder that this notice is about.",
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
    kept = offer.premium - event.returned_premium
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
        "reason": event.reason,
        "premium_rows": [
            ["Earned when the policy was canceled", "", layout.cents(kept)],
            ["Returned by the cancellation, owed again", "", layout.cents(event.returned_premium)],
        ],
        "premium": layout.cents(offer.premium),
        "returned": layout.cents(event.returned_premium),
        "fulfil_by": long_date(binding.fulfil_by) if facts.conditional and binding.fulfil_by else None,
    }
    return layout.DocumentInput(event.on, content)
