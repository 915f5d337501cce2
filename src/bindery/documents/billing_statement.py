"""The bill: premium, each tax and fee, when it is due and where to pay it."""

from datetime import timedelta
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.policy.policy import MINIMUM_EARNED

DUE_AFTER: Final = timedelta(days=30)


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the billing statement shows."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    number = f"S-{binding.policy_number}"
    due = long_date(facts.period.effective + DUE_AFTER)
    content = {
        **layout.basics(
            facts,
            DocumentType.BILLING_STATEMENT,
            title=f"Billing statement {number}",
            footnote=f"Please give {number} with your payment.",
            reference=f"Statement {number}",
        ),
        "reference": [
            ["Statement", Whole(number)],
            ["Policy", Whole(binding.policy_number)],
            ["Date", long_date(binding.bound_on)],
        ],
        "number": Whole(number),
        "date": long_date(binding.bound_on),
        "policy_number": Whole(binding.policy_number),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "due": due,
        "state": facts.notice.state_name,
        "minimum_earned": layout.cents(offer.premium * MINIMUM_EARNED),
        "conditional": facts.conditional,
        "fulfil_by": long_date(binding.fulfil_by) if binding.fulfil_by else None,
    }
    return layout.DocumentInput(binding.bound_on, content)
