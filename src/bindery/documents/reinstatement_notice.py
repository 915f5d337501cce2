"""The notice of reinstatement: a cancellation is undone, and what is owed for that."""

from bindery.contract.documents import DocumentType
from bindery.documents import layout, notices
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import Reinstated


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the notice of reinstatement shows."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    event = notices.event_of(facts, Reinstated)
    kept = offer.premium - event.returned_premium
    content = {
        **notices.notice_content(
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
