"""The certificate of insurance: what is insured, for third parties that ask the insured for proof."""

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.cuts import cuts
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the certificate shows."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    if binding.issued_on is None:
        raise layout.MissingFacts(f"The policy of quote {facts.quote_identifier} is not issued")
    dated = long_date(binding.issued_on)
    number = f"C-{binding.policy_number}"
    content = {
        **layout.basics(
            facts,
            DocumentType.CERTIFICATE,
            title=f"Certificate of insurance {number}",
            footnote="Informs only. The policy alone decides what is insured.",
            reference=f"Certificate {number}",
        ),
        "reference": [
            ["Certificate", Whole(number)],
            ["Policy", Whole(binding.policy_number)],
            ["Dated", dated],
        ],
        "date": dated,
        "policy_number": Whole(binding.policy_number),
        "limit": in_dollars(facts.terms.aggregate_limit),
        "terms": ", ".join(f"{label}: {amount}" for label, amount in layout.principal_terms(facts)),
        "retroactive": layout.retroactive(facts),
        "coverages": [
            [typographic(coverage.coverage_name), in_dollars(coverage.limit)] for coverage in offer.coverages
        ],
        "services": layout.services(facts),
        "cuts": [[cut["title"], cut["number"]] for cut in cuts(facts)],
        "state": facts.notice.state_name,
    }
    return layout.DocumentInput(binding.issued_on, content)
