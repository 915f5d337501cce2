"""The letter that offers the terms: what it costs, what it covers, what is still owed, how to bind."""

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.cuts import cuts
from bindery.documents.plain_text import Whole
from bindery.documents.renewing import renewal
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.policy.contingencies import in_the_way
from bindery.domain.products import record_of


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the quote letter shows."""
    offer = layout.offer_of(facts)
    if facts.valid_until is None:
        raise layout.MissingFacts(f"Quote {facts.quote_identifier} has no last day")
    content = {
        **layout.basics(
            facts,
            DocumentType.QUOTE_LETTER,
            title=f"{'Renewal of' if facts.renewal else 'Quotation for'} {record_of(facts.product).title}",
            footnote="A quotation, not a binder. Coverage is placed with a surplus lines insurer.",
            reference=f"Quote {facts.quote_identifier}",
        ),
        "reference": [
            ["Quote", Whole(facts.quote_identifier)],
            ["Valid until", long_date(facts.valid_until)],
        ],
        "date": long_date(facts.issued_on),
        "greeting": layout.greeting(facts),
        "scanned": facts.has_report,
        "valid_until": long_date(facts.valid_until),
        "retroactive": layout.retroactive(facts),
        "premium": in_dollars(offer.premium),
        "terrorism": layout.cents(offer.terrorism) if offer.terrorism else None,
        "terrorism_form": layout.number_of(facts, "TRIA"),
        "program_ends": long_date(layout.TERRORISM_PROGRAM_ENDS),
        "beyond_program": layout.outlasts_terrorism_program(facts),
        "terms": layout.principal_terms(facts),
        "coverages": layout.coverage_rows(offer.coverages),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "tariff_edition": offer.tariff_edition,
        "pre_bind": layout.still_owed(facts, ContingencyType.PRE_BIND),
        "post_bind": layout.still_owed(facts, ContingencyType.POST_BIND),
        "received": layout.received(facts),
        "needs_signature": any(
            contingency.is_signature and contingency.is_open for contingency in facts.contingencies
        ),
        "needs_review": bool(in_the_way(facts.contingencies)),
        "renewal": renewal(facts, facts.renewal) if facts.renewal else None,
        "services": layout.services(facts),
        "cuts": cuts(facts),
        "forms": layout.parted_form_rows(facts.forms.quote, facts.forms.policy, name="quotation"),
        "notice": layout.notice_content(facts),
    }
    return layout.DocumentInput(facts.issued_on, content)
