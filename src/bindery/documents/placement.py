"""What a state asks of the placement itself: the producer's record, and notices that the insured signs."""

from typing import Final

from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import read_wording, typographic
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import Form, placement_facts

RECORD: Final = "SLP"
NOTICE: Final = "NYP"


def placement_content(facts: DocumentFacts) -> layout.Content | None:
    """Return the pages of the placement; None where the binder was made before it had them."""
    record = _attached(facts, RECORD)
    if record is None:
        return None
    rules = _rules(facts)
    names = read_wording("issuer", facts.form_edition.edition)
    return {
        "foot": layout.form_foot(record),
        "title": typographic(f"{record.title}: {facts.notice.state_name}"),
        "state": facts.notice.state_name,
        "rows": [
            ["Policy", Whole(layout.binding_of(facts).policy_number)],
            ["Insured", facts.insured.name],
            ["Broker of record", layout.broker_in_words(facts)],
            ["Surplus lines licensee", ", ".join((names["licensee"], *names["licensee_address"]))],
            ["License of the licensee", names["license"]],
            ["Regulator", rules["regulator"]],
        ],
        "effort": rules["effort"],
        "declinations": int(rules["declinations"]),
        "exempt": rules["exempt"],
        "filing": rules["filing"],
        "charges": [
            [charge.title, layout.cents(charge.price)] for charge in layout.offer_of(facts).surcharges
        ],
        "number": rules.get("number"),
        "number_note": rules.get("number_note"),
        "stamp": rules.get("stamp"),
        "notice": _notice(facts, rules),
    }


def declarations_rows(facts: DocumentFacts) -> list[list[str]]:
    """Return what a state wants on the declarations besides the legend: a number, or room for a stamp."""
    rules = _rules(facts)
    rows = []
    if "number" in rules:
        line = Whole("_" * 24)
        rows.append(["      Transaction number", f"{line}\n{rules['number']}, {rules['number_note']}"])
    if "stamp" in rules:
        rows.append(["      Stamp", f"{rules['stamp']}:\n\n\n\n"])
    return rows


def _notice(facts: DocumentFacts, rules: dict[str, str]) -> layout.Content | None:
    form = _attached(facts, NOTICE)
    if form is None:
        return None
    offer = layout.offer_of(facts)
    names = read_wording("issuer", facts.form_edition.edition)
    paragraphs = (
        rules["notice"].replace("{licensee}", names["licensee"]).replace("{insured}", facts.insured.name)
    )
    return {
        "foot": layout.form_foot(form),
        "title": typographic(form.title),
        "paragraphs": paragraphs.splitlines(),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "agreement": rules["agreement"].splitlines(),
    }


def _rules(facts: DocumentFacts) -> dict[str, str]:
    rules = placement_facts(facts.insured.state, edition=facts.form_edition.edition)
    return {fact: typographic(text) for fact, text in rules.items()}


def _attached(facts: DocumentFacts, stem: str) -> Form | None:
    return next((form for form in facts.forms.binder if form.form_number.startswith(stem)), None)
