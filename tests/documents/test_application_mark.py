from dataclasses import replace
from typing import Any, Final

import pypdfium2
import pytest
import zxingcpp

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.application_marks import ApplicationMark, PageMark, marks_in, page_marks_in
from bindery.domain.documents.facts import AnsweredQuestion, DocumentFacts, Insured, application_fingerprint
from documents.cases import QUOTE_ID, facts_of
from documents.reading import plain_document, squeezed, text_of

P = InsuranceProduct

BAKERY: Final = Insured(
    name="Harborlight Bakery LLC",
    trade_name=None,
    address_lines=("1200 Market Street", "Philadelphia, PA 19107"),
    state="PA",
    revenue=2_500_000,
    industry="311812 Commercial Bakeries",
    domains=("clean.example.com",),
)
ANSWERS: Final = (
    AnsweredQuestion(id="Q2134", text="Does the applicant have a website?", answer="Yes"),
    AnsweredQuestion(id="Q2311", text="How are the backups stored?", answer=None),
)


def codes_of(pdf: bytes, *, dpi: int = 150) -> list[str]:
    pages = pypdfium2.PdfDocument(pdf)
    return [
        code.text
        for page in pages
        for code in zxingcpp.read_barcodes(page.render(scale=dpi / 72, grayscale=True).to_pil())
    ]


@pytest.mark.parametrize("product", list(P))
def test_the_code_on_the_first_and_on_the_signed_page_says_whose_application_it_is(product: P) -> None:
    facts = facts_of(product)

    codes = codes_of(plain_document(DocumentType.APPLICATION, product))

    large = [code for code in codes if code.startswith(f"BINDERY:APP:{QUOTE_ID}:{facts.fingerprint}")]
    assert [code.rpartition(":")[2] for code in large] == ["first", "signature"]


@pytest.mark.parametrize("product", list(P))
def test_every_page_carries_its_number_in_a_code(product: P) -> None:
    assert_every_page_is_numbered(plain_document(DocumentType.APPLICATION, product), facts_of(product))


def test_every_page_of_a_very_long_application_carries_its_number() -> None:
    facts = facts_of(P.CYB)
    long = tuple(replace(question, answer="A long story. " * 600) for question in facts.questions[:6])

    pdf = render(DocumentType.APPLICATION, replace(facts, questions=(*long, *facts.questions[6:])))

    assert len(pypdfium2.PdfDocument(pdf)) == 8
    assert_every_page_is_numbered(pdf, facts)


def assert_every_page_is_numbered(pdf: bytes, facts: DocumentFacts) -> None:
    count = len(pypdfium2.PdfDocument(pdf))
    pages = [page for page in page_marks_in(codes_of(pdf)) if page.quote_identifier == str(QUOTE_ID)]
    assert pages == [PageMark(str(QUOTE_ID), facts.fingerprint[:8], number) for number in range(1, count + 1)]


def test_the_code_is_read_from_a_poor_copy() -> None:
    codes = codes_of(plain_document(DocumentType.APPLICATION, P.CYB), dpi=96)

    mark = ApplicationMark(str(QUOTE_ID), facts_of(P.CYB).fingerprint)
    assert [found for code in codes for found in marks_in(code)] == [mark] * 2


def test_mark_identifier_and_fingerprint_are_printed_as_text() -> None:
    facts = facts_of(P.CYB)

    text = squeezed(text_of(plain_document(DocumentType.APPLICATION, P.CYB)))

    assert f"belongstoquote{QUOTE_ID}" in text
    assert f"(SHA-256):{facts.fingerprint}BINDERY:APP:{QUOTE_ID}:{facts.fingerprint}" in text


def test_the_fingerprint_is_sixty_four_hexadecimal_digits_of_the_contents() -> None:
    first = application_fingerprint("quote-1", BAKERY, ANSWERS)

    assert first == application_fingerprint("quote-1", replace(BAKERY), list(ANSWERS))
    assert first == "89c96ec6ffb3cd342d17a16c556933be7c4d5160dfe6113ad68b65a569ff5caa"


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "Harborlight Bakery Inc"},
        {"trade_name": "Harborlight"},
        {"address_lines": ("1201 Market Street", "Philadelphia, PA 19107")},
        {"revenue": 2_500_001},
        {"industry": None},
        {"domains": ()},
    ],
)
def test_another_fact_of_the_applicant_is_another_fingerprint(changed: dict[str, Any]) -> None:
    before = application_fingerprint("quote-1", BAKERY, ANSWERS)

    assert application_fingerprint("quote-1", replace(BAKERY, **changed), ANSWERS) != before


def test_another_answer_or_quote_is_another_fingerprint() -> None:
    before = application_fingerprint("quote-1", BAKERY, ANSWERS)
    other_answer = (replace(ANSWERS[0], answer="No"), ANSWERS[1])

    assert application_fingerprint("quote-1", BAKERY, other_answer) != before
    assert application_fingerprint("quote-1", BAKERY, ANSWERS[:1]) != before
    assert application_fingerprint("quote-2", BAKERY, ANSWERS) != before


def test_contacts_and_dates_that_a_bind_may_change_leave_the_fingerprint_alone() -> None:
    def rearranged(body: dict[str, Any]) -> None:
        body["client"]["insured_main_contact"] = {"email": "bob@harborlight.example"}
        body["policy"]["dates"] = {"effective": "2026-12-10", "expiration": "2027-12-10"}

    assert facts_of(P.CYB, rearranged).fingerprint == facts_of(P.CYB).fingerprint


def test_the_application_of_a_renamed_applicant_carries_its_own_mark() -> None:
    def renamed(body: dict[str, Any]) -> None:
        body["client"]["name"] = "Another Bakery LLC"

    facts = facts_of(P.CYB, renamed)

    assert facts.fingerprint != facts_of(P.CYB).fingerprint
    codes = codes_of(render(DocumentType.APPLICATION, facts))
    assert {f"{facts.application_mark}:first", f"{facts.application_mark}:signature"} <= {*codes}
