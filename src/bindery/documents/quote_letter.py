"""The letter that offers the terms: what it costs, what it covers, what is still owed, how to bind."""

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.domain.papers.facts import DocumentFacts
from bindery.domain.products import record_of


def paper(facts: DocumentFacts) -> layout.Paper:
    """Gather what the quote letter shows."""
    offer = layout.offer_of(facts)
    if facts.valid_until is None:
        raise layout.MissingFacts(f"Quote {facts.quote_identifier} has no last day")
    product = record_of(facts.product).title
    content = {
        "frame": layout.frame(
            facts.form_of(DocumentType.QUOTE_LETTER),
            facts.product,
            title=f"Quotation for {product}: {facts.insured.name}",
            footnote="A quotation, not a binder. Coverage is placed with a surplus lines insurer.",
            running=facts.insured.name,
            reference=f"Quote {facts.quote_identifier}",
        ),
        "reference": [
            ["Quote", Whole(facts.quote_identifier)],
            ["Valid until", layout.long_date(facts.valid_until)],
        ],
        "date": layout.long_date(facts.issued_on),
        "addressee": layout.addressee(facts),
        "greeting": layout.greeting(facts),
        "insured": facts.insured.name,
        "broker": facts.broker_email,
        "product": product,
        "scanned": facts.scan is not None and facts.scan.has_report,
        "valid_until": layout.long_date(facts.valid_until),
        "effective": layout.long_date(facts.period.effective),
        "expiration": layout.long_date(facts.period.expiration),
        "retroactive": layout.retroactive(facts),
        "premium": in_dollars(offer.premium),
        "terrorism": layout.cents(offer.terrorism) if offer.terrorism else None,
        "terms": layout.principal_terms(facts),
        "coverages": layout.coverage_rows(offer.coverages),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "tariff_edition": offer.tariff_edition,
        "pre_bind": layout.owed(facts.contingencies, ContingencyType.PRE_BIND, note="before the bind"),
        "post_bind": layout.owed(
            facts.contingencies, ContingencyType.POST_BIND, note="within 30 days of the bind"
        ),
        "needs_signature": any(one.is_signature for one in facts.contingencies),
        "forms": layout.form_rows(facts.forms.quote),
        "policy_forms": layout.form_rows(facts.forms.policy),
        "notice": layout.notice_content(facts),
    }
    return layout.Paper(facts.issued_on, content)
