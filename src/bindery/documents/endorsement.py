"""The endorsement of a change during the term, with the declarations as they are from then on."""

from decimal import Decimal

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.declarations import amounts, declarations
from bindery.documents.notices import event_of
from bindery.documents.plain_text import Whole
from bindery.documents.policy import attachment
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import Changed
from bindery.domain.policy.policy import payment_due


def endorsement_input(facts: DocumentFacts) -> layout.DocumentInput:
    event, binding = event_of(facts, Changed), layout.binding_of(facts)
    number = f"{binding.policy_number}, endorsement {event.number}"
    content = {
        **layout.basics(
            facts,
            DocumentType.ENDORSEMENT,
            title=f"Endorsement {event.number} to policy {binding.policy_number}",
            footnote=f"Belongs to policy {binding.policy_number}.",
            reference=f"Policy {number}",
        ),
        "reference": [
            ["Policy", Whole(binding.policy_number)],
            ["Endorsement", Whole(str(event.number))],
            ["Issued on", long_date(event.on)],
        ],
        "title": facts.form_of(DocumentType.ENDORSEMENT).title,
        "form_number": Whole(facts.form_of(DocumentType.ENDORSEMENT).form_number),
        "number": Whole(str(event.number)),
        "date": long_date(event.on),
        "policy_number": Whole(binding.policy_number),
        "from": long_date(event.effective),
        "reason": typographic(event.reason),
        "items": [[item.label, item.before or "None", item.after or "None"] for item in event.items],
        "is_free": not event.premium_difference,
        "is_returned": event.premium_difference < 0,
        "basis": (
            f"{_signed(event.premium_after - event.premium_before)} for the whole term, for "
            f"{event.days_left:,} of {event.days:,} days"
        ),
        "before": in_dollars(event.premium_before),
        "after": in_dollars(event.premium_after),
        "premium_rows": [
            ["Premium", "", _cents(event.premium_difference)],
            *(
                [charge.title, layout.rate(charge.percentage), _cents(charge.price)]
                for charge in event.charges
            ),
        ],
        "total": _cents(event.total),
        "amount": layout.cents(abs(event.total)),
        "due": long_date(payment_due(max(event.effective, event.on))),
        "statement_number": Whole(f"S-{binding.policy_number}"),
        "declarations": declarations(facts),
        "forms": layout.form_rows(facts.forms.policy),
        "attachments": [
            attachment(form, facts, amounts(facts))
            for form in facts.forms.policy
            if form.form_number in event.new_forms
        ],
    }
    return layout.DocumentInput(event.on, content)


def _signed(amount: int) -> str:
    return f"\N{MINUS SIGN}{in_dollars(-amount)}" if amount < 0 else in_dollars(amount)


def _cents(amount: int | Decimal) -> str:
    return f"\N{MINUS SIGN}{layout.cents(-amount)}" if amount < 0 else layout.cents(amount)
