"""The letter that comes with a binder: which security items are owed, which are advice, how alerts come."""

from collections.abc import Iterable
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import Contact, DocumentFacts
from bindery.domain.products import ProductRecord, record_of
from bindery.domain.scan.scan import ScanOutcome, Severity
from bindery.domain.submission.checks import is_email

MOST_ADVICE: Final = 4
MUCH_OWED: Final = 2
LESS_ADVICE: Final = 3
"""The letter is kept as one sheet: where more is owed, it holds less advice."""
NO_DOMAIN: Final = (
    "No domain was named to us, so nothing was scanned. If you have a website or use a domain for email, "
    "please notify your broker."
)
NOTHING_COLLECTED: Final = (
    "We tried to look at your domains from the internet, and nothing could be collected. There is no score."
)


def security_letter_input(facts: DocumentFacts) -> layout.DocumentInput:
    binding = layout.binding_of(facts)
    product = record_of(facts.product)
    scan = facts.scan
    due = long_date(binding.fulfil_by) if binding.fulfil_by else None
    owed = layout.still_owed(facts, ContingencyType.POST_BIND)
    advice = [
        recommendation
        for recommendation in facts.recommendations
        if recommendation.severity is not Severity.INFO
    ]
    named = facts.alert_contacts if product.is_scanned else facts.notice_contacts
    main = (facts.contact,) if facts.contact else ()
    # Those whom the mails reach: of a contact's address the contract asks little.
    contacts = _reachable(named) or _reachable(main)
    content = {
        **layout.basics(
            facts,
            DocumentType.SECURITY_LETTER,
            title=facts.form_of(DocumentType.SECURITY_LETTER).title,
            footnote="Please keep this letter where you can find it when you need it.",
            reference=f"Policy {binding.policy_number}",
        ),
        "reference": [
            ["Policy", Whole(binding.policy_number)],
            ["Date", long_date(binding.bound_on)],
        ],
        "date": long_date(binding.bound_on),
        "greeting": layout.greeting(facts),
        "policy_number": Whole(binding.policy_number),
        "conditional": facts.conditional,
        "due": due,
        "scanned": scan is not None and scan.has_report,
        "score": scan.score if scan else None,
        "band": scan.band if scan else None,
        "meaning": scan.band_meaning if scan else None,
        "scanned_on": long_date(scan.scanned_at.date()) if scan else None,
        "partial": scan is not None and scan.outcome is ScanOutcome.PARTIAL,
        "not_scanned": _nothing_scanned(product) if scan is None else NOTHING_COLLECTED,
        "owed": owed,
        "practice": not product.is_scanned,
        "watched": product.is_scanned and bool(facts.insured.domains),
        "advice": [
            {
                "title": typographic(recommendation.title),
                "severity": recommendation.severity.value,
                "advice": typographic(recommendation.advice),
            }
            for recommendation in advice[: MOST_ADVICE if len(owed) < MUCH_OWED else LESS_ADVICE]
        ],
        "contacts": [
            ", ".join(part for part in (contact.name, contact.email, contact.phone) if part)
            for contact in contacts
        ],
    }
    return layout.DocumentInput(binding.bound_on, content)


def _reachable(contacts: Iterable[Contact]) -> tuple[Contact, ...]:
    return tuple(contact for contact in contacts if is_email(contact.email))


def _nothing_scanned(product: ProductRecord) -> str:
    if product.is_scanned:
        return NO_DOMAIN
    return (
        f"Nothing was scanned for {product.line} insurance. The advice below comes from the answers in your "
        "application."
    )
