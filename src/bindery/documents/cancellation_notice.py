"""The notice of cancellation: from when there is no cover, and how much premium is returned."""

from decimal import Decimal

from bindery.contract.documents import DocumentType
from bindery.documents import layout, notices
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import Canceled
from bindery.domain.policy.ending import reinstate_by
from bindery.domain.policy.policy import MINIMUM_EARNED


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the notice of cancellation shows."""
    offer, event = layout.offer_of(facts), notices.event_of(facts, Canceled)
    charges = offer.total - offer.premium
    content = {
        **notices.notice_content(
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
    """Return what was earned and why so much: the days of cover, at least a quarter once it began."""
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
