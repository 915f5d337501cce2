"""The notice that a conditional binder has lapsed: why, what follows, and what to do about it."""

from bindery.contract.documents import DocumentType
from bindery.documents import layout, notices
from bindery.documents.plain_text import Whole
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import Lapsed


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the notice of lapse shows."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    event = notices.event_of(facts, Lapsed)
    fulfil_by = long_date(event.fulfil_by)
    content = {
        **notices.notice_content(
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
