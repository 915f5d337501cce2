"""The disclosure under the Terrorism Risk Insurance Act, or the statement that it does not apply."""

from datetime import timedelta
from decimal import Decimal
from typing import Final

from bindery.base.money import to_cents
from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts, Offer

DECLINED_WITHIN: Final = timedelta(days=30)
RATE: Final = Decimal("0.01")


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the terrorism disclosure shows."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    form = facts.form_of(DocumentType.BINDER_TRIA)
    content = {
        **layout.basics(
            facts,
            DocumentType.BINDER_TRIA,
            title=form.title,
            footnote=f"Belongs to binder B-{binding.policy_number}.",
            reference=f"Policy {binding.policy_number}",
        ),
        "reference": [
            ["Policy", Whole(binding.policy_number)],
            ["Date", long_date(binding.bound_on)],
        ],
        "title": form.title,
        "policy_number": Whole(binding.policy_number),
        "applies": bool(offer.terrorism),
        "premium": layout.cents(offer.premium),
        "terrorism": layout.cents(offer.terrorism),
        "rate": _rate(offer),
        "return_by": long_date(binding.bound_on + DECLINED_WITHIN),
        "beyond_program": layout.outlasts_terrorism_program(facts),
        "program_ends": long_date(layout.TERRORISM_PROGRAM_ENDS),
        "without": layout.cents(offer.premium - offer.terrorism),
    }
    return layout.DocumentInput(binding.bound_on, content)


def _rate(offer: Offer) -> str:
    """Word the rate: it is one percent of the premium, or of the part of it that the Act concerns."""
    return "1%" if offer.terrorism == to_cents(offer.premium * RATE) else "1% of the cyber part"
