import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.documents.wording import endorsement, pieces, policy_form, read_wording, typographic
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.documents.forms import FORMS, FormKind
from documents.cases import ISSUED, facts_of
from documents.reading import body_of, numbered, plain_document, squeezed, text_of

P = InsuranceProduct
D = DocumentType
FILES: Final = (
    "agreements",
    "application",
    "conditions",
    "definitions",
    "endorsements",
    "exclusions",
    "security",
)


def test_every_coverage_has_an_insuring_agreement_and_every_agreement_a_coverage() -> None:
    covered = {rule.code for rules in COVERAGES.named("2026.1").products.values() for rule in rules}

    assert set(read_wording("agreements", "2026.1")["agreements"]) == covered


@pytest.mark.parametrize("product", list(P))
def test_the_specimen_holds_the_whole_form(product: P) -> None:
    form = policy_form(product, "2026.1", "2026.1")
    text = body_of(plain_document(D.POLICY_SPECIMEN, product))

    titles = [typographic(rule.name) for rule in COVERAGES.named("2026.1").products[product]]
    titles += [definition["term"] for definition in form["definitions"]]
    titles += [exclusion["title"] for exclusion in form["exclusions"]]
    titles += [clause["title"] for section in form["sections"] for clause in section["clauses"]]
    assert len(titles) > 50
    for title in titles:
        assert squeezed(title) in text
    for part in form["agreements"]:
        for item in part["items"]:
            assert squeezed("".join(item["text"])) in text
    assert "Harborlight" not in text
    # The watermark is drawn: letters of it would stand between those of the form.
    assert "SPECIMEN" not in text
    assert "Specimen of a policy form. It provides no coverage." in text_of(
        plain_document(D.POLICY_SPECIMEN, product)
    )


@pytest.mark.parametrize("product", list(P))
def test_terms_in_bold_are_defined_in_the_same_form(product: P) -> None:
    form = policy_form(product, "2026.1", "2026.1")
    defined = {term.lower() for definition in form["definitions"] for term in definition["term"].split(", ")}

    used = {bold for text in _texts(form) for bold in text[1::2]}
    used |= {bold for text in _endorsements(product) for bold in pieces(text)[1::2]}

    assert {term for term in used if _singular(term) not in defined and term.lower() not in defined} == set()


@pytest.mark.parametrize("product", list(P))
def test_every_defined_term_is_used(product: P) -> None:
    form = policy_form(product, "2026.1", "2026.1")
    used = {_singular(bold) for text in _texts(form) for bold in text[1::2]}
    used |= {_singular(bold) for text in _endorsements(product) for bold in pieces(text)[1::2]}

    unused = [
        definition["term"]
        for definition in form["definitions"]
        if not set(_spellings(definition["term"])) & used
    ]

    assert unused == []


@pytest.mark.parametrize("name", FILES)
def test_every_asterisk_has_its_partner(name: str) -> None:
    for text in _strings(read_wording(name, "2026.1")):
        assert text.count("*") % 2 == 0, text
        assert text == text.strip()


def test_every_endorsement_and_notice_of_the_policy_has_its_wording() -> None:
    attached = [
        form
        for form in FORMS.named("2026.1").forms
        if form.kind in {FormKind.ENDORSEMENT, FormKind.NOTICE} and "policy" in form.packets
    ]

    for form in attached:
        wording = endorsement(form, "2026.1")
        assert wording.get("text") or wording.get("notice"), form.form_number
    # What excludes certified acts is attached by hand, where they were declined.
    assert {form.stem for form in attached} | {"END 1060"} == set(read_wording("endorsements", "2026.1"))


@pytest.mark.parametrize("product", list(P))
def test_the_policy_holds_each_form_of_its_schedule_with_its_number_at_the_foot(product: P) -> None:
    facts = facts_of(product, binding=numbered(ISSUED, product))
    text = text_of(plain_document(D.POLICY, product))

    for form in facts.forms.policy:
        assert typographic(form.title) in text
        if form.kind is not FormKind.APPLICATION:
            assert f"{form.form_number} · Edition 01/2026 Page" in text


def test_the_services_applied_for_are_those_insured() -> None:
    text = text_of(plain_document(D.POLICY, P.MPL))

    assert "1 Management or business consulting 2 Staffing or recruiting" in text


def test_full_prior_acts_are_endorsed() -> None:
    def with_prior_acts(body: dict[str, Any]) -> None:
        body["policy"]["dates"]["mpl_retroactive_date"] = "full_prior_acts"
        body["questions"] += [{"id": "Q2414", "value": "2015-01-01"}, {"id": "Q2415", "value": True}]

    facts = facts_of(P.MPL, with_prior_acts, binding=numbered(ISSUED, P.MPL))

    text = text_of(render(D.POLICY, facts))

    assert "6. Retroactive date Full prior acts" in text
    assert "The exclusion of acts before the retroactive date is deleted, and so are the words" in text
    assert "that took place on or after the retroactive date shown in the declarations” in the" in text
    assert "The exclusion of known matters remains: it looks to the continuity date." in text


def _texts(node: object) -> Iterator[list[str]]:
    """Return every text of a form that was cut at its asterisks."""
    match node:
        case dict():
            for key, value in node.items():
                if key in {"text", "introduction", "exclusions_introduction"}:
                    yield value
                else:
                    yield from _texts(value)
        case list():
            for value in node:
                yield from _texts(value)


def _endorsements(product: P) -> Iterator[str]:
    for form in FORMS.named("2026.1").forms:
        attached = form.kind in {FormKind.ENDORSEMENT, FormKind.NOTICE} and "policy" in form.packets
        if attached and product in form.products:
            yield from endorsement(form, "2026.1").get("text", ())


def _strings(node: object) -> Iterator[str]:
    match node:
        case str():
            yield node
        case dict():
            for value in node.values():
                yield from _strings(value)
        case list():
            for value in node:
                yield from _strings(value)


def _spellings(term: str) -> Iterator[str]:
    for spelling in term.lower().split(", "):
        yield _singular(spelling)


def _singular(term: str) -> str:
    """Return the form in which a term is defined: not possessive, and singular where the definition is."""
    bare = re.sub("\N{RIGHT SINGLE QUOTATION MARK}s$", "", term.lower())
    defined = {
        name.lower()
        for definition in read_wording("definitions", "2026.1")["definitions"]
        for name in definition["term"].split(", ")
    }
    return bare if bare in defined else bare.removesuffix("s")
