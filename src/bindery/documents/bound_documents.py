"""Documents that follow a bind: binder, terrorism disclosure, billing statement and certificate."""

from datetime import timedelta
from decimal import Decimal
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.declarations import cuts, declarations, marks
from bindery.documents.placement import placement_content
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import Binding, DocumentFacts, Offer
from bindery.domain.documents.holders import HolderFacts, certificate_number, holder_wordings
from bindery.domain.documents.notices import Changed, NoticeFacts
from bindery.domain.policy.policy import minimum_earned, payment_due
from bindery.domain.rating.surcharges import charges_saved

DECLINED_WITHIN: Final = timedelta(days=30)


def binder_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    number = f"B-{binding.policy_number}"
    content = {
        **layout.basics(
            facts,
            DocumentType.BINDER,
            title=f"Binder {number}",
            footnote="This binder is replaced by the policy when that is issued."
            if binding.issued_on is None
            else "The policy has replaced this binder.",
            reference=f"Binder {number}",
        ),
        "reference": [
            ["Binder", Whole(number)],
            ["Policy", Whole(binding.policy_number)],
            ["Bound on", long_date(binding.bound_on)],
        ],
        "date": long_date(binding.bound_on),
        "conditional": facts.conditional,
        "issued_on": long_date(binding.issued_on) if binding.issued_on else None,
        "fulfil_by": long_date(binding.fulfil_by) if binding.fulfil_by else None,
        "policy_number": Whole(binding.policy_number),
        "total": layout.cents(offer.total),
        "terms": layout.terms_of(facts.terms),
        "owed": layout.still_owed(facts, ContingencyType.PRE_BIND, ContingencyType.POST_BIND),
        "received": layout.received(facts),
        "retroactive": layout.retroactive(facts),
        "cuts": cuts(facts),
        "declarations": declarations(facts),
        "forms": layout.parted_form_rows(
            facts.forms.binder, facts.forms.policy, DocumentType.BINDER, packet="binder"
        ),
        "placement": placement_content(facts),
    }
    return layout.DocumentInput(binding.bound_on, content)


def binder_tria_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    form = facts.form_of(DocumentType.BINDER_TRIA)
    charges = charges_saved(
        facts.insured.state,
        offer.surcharges,
        premium=Decimal(offer.premium),
        without=offer.premium - offer.terrorism,
    )
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
        "rate": layout.terrorism_basis(offer),
        "charges": layout.cents(charges) if charges else None,
        "saved": layout.cents(offer.terrorism + charges),
        "return_by": long_date(binding.bound_on + DECLINED_WITHIN),
        "beyond_program": layout.outlasts_terrorism_program(facts),
        "program_ends": long_date(layout.TERRORISM_PROGRAM_ENDS),
        "without": layout.cents(offer.premium - offer.terrorism),
    }
    return layout.DocumentInput(binding.bound_on, content)


def billing_statement_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    number = f"S-{binding.policy_number}"
    due = long_date(payment_due(facts.period.effective))
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
        "minimum_earned": layout.cents(minimum_earned(offer.premium)),
        "canceled": _canceled(offer, binding),
        "conditional": facts.conditional,
        "fulfil_by": long_date(binding.fulfil_by) if binding.fulfil_by else None,
    }
    return layout.DocumentInput(binding.bound_on, content)


def _canceled(offer: Offer, binding: Binding) -> layout.Content | None:
    if binding.canceled_from is None:
        return None
    earned = offer.premium - binding.returned_premium if binding.earned is None else binding.earned
    kept = _charges_kept(offer, binding)
    is_unpaid = binding.charges_due is not None
    return {
        "from": long_date(binding.canceled_from),
        "premium": layout.cents(offer.premium),
        "earned": layout.cents(earned),
        "unearned": f"\N{MINUS SIGN}{layout.cents(offer.premium - earned)}",
        "charges": layout.cents(offer.total - offer.premium),
        "charges_kept": None if kept is None else layout.cents(kept),
        "with_charges": None if kept is None else layout.cents(earned + kept),
        "is_unpaid": is_unpaid,
        "is_anything_due": bool(earned),
    }


def _charges_kept(offer: Offer, binding: Binding) -> Decimal | None:
    if binding.charges_due is not None or binding.charges_returned is None:
        return binding.charges_due
    return offer.total - offer.premium - binding.charges_returned


def certificate_input(facts: DocumentFacts) -> layout.DocumentInput:
    """Put a certificate together: of the day of the policy and with room for a holder, or for one holder."""
    offer, binding = layout.offer_of(facts), layout.binding_of(facts)
    if binding.issued_on is None:
        raise layout.MissingFacts(f"The policy of quote {facts.quote_identifier} is not issued")
    number, day = f"C-{binding.policy_number}", binding.issued_on
    if isinstance(facts, NoticeFacts) and isinstance(facts.event, Changed):
        day = facts.event.on
    if isinstance(facts, HolderFacts):
        number, day = certificate_number(binding.policy_number, facts.number), facts.issued_on
    dated = long_date(day)
    content = {
        **layout.basics(
            facts,
            DocumentType.CERTIFICATE,
            title=f"Certificate of insurance {number}",
            footnote="For information only. The policy controls.",
            reference=f"Certificate {number}",
        ),
        "reference": [
            ["Certificate", Whole(number)],
            ["Policy", Whole(binding.policy_number)],
            ["Dated", dated],
        ],
        "date": dated,
        "policy_number": Whole(binding.policy_number),
        "terms": layout.terms_of(facts.terms),
        "retroactive": layout.retroactive(facts),
        "coverages": layout.coverage_rows(offer.coverages, marks(facts)),
        "services": layout.services(facts),
        "cuts": [[cut["title"], cut["number"]] for cut in cuts(facts)],
        "state": facts.notice.state_name,
        "holder": _holder(facts) if isinstance(facts, HolderFacts) else None,
    }
    return layout.DocumentInput(day, content)


def _holder(facts: HolderFacts) -> layout.Content:
    begins = facts.period.effective
    return {
        "lines": list(facts.holder.lines),
        "status": "In force"
        if begins <= facts.issued_on
        else f"Issued; coverage begins on {long_date(begins)}",
        "wording": typographic(holder_wordings(facts.issued_on)[facts.holder.wording].text),
        "description": facts.holder.description or None,
    }
