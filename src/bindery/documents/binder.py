"""The binder: cover is in force, on which terms, and what it still hangs on."""

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.cuts import cuts
from bindery.documents.declarations import declarations
from bindery.documents.plain_text import Whole
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the binder shows."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    number = f"B-{binding.policy_number}"
    content = {
        **layout.basics(
            facts,
            DocumentType.BINDER,
            title=f"Binder {number}",
            footnote="This binder is replaced by the policy when that is issued.",
            reference=f"Binder {number}",
        ),
        "reference": [
            ["Binder", Whole(number)],
            ["Policy", Whole(binding.policy_number)],
            ["Bound on", long_date(binding.bound_on)],
        ],
        "date": long_date(binding.bound_on),
        "conditional": facts.conditional,
        "fulfil_by": long_date(binding.fulfil_by) if binding.fulfil_by else None,
        "policy_number": Whole(binding.policy_number),
        "total": layout.cents(offer.total),
        "terms": layout.principal_terms(facts),
        "owed": layout.still_owed(facts, ContingencyType.PRE_BIND, ContingencyType.POST_BIND),
        "received": layout.received(facts),
        "retroactive": layout.retroactive(facts),
        "cuts": cuts(facts),
        "declarations": declarations(facts),
        "forms": layout.parted_form_rows(facts.forms.binder, facts.forms.policy, name="binder"),
    }
    return layout.DocumentInput(binding.bound_on, content)
