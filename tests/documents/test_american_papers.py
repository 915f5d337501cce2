"""The application, the bill, the terrorism notice and the advice: amounts, links, lines and words."""

import io
from typing import Any, Final

import pikepdf
import pypdfium2
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from documents.cases import facts_of
from documents.measuring import pages_of_lines
from documents.reading import text_of
from documents.review_cases import CONDITIONAL, DOMAINS, case, located, made, read

D = DocumentType
P = InsuranceProduct
OURS: Final = (
    D.APPLICATION,
    D.BILLING_STATEMENT,
    D.BINDER_TRIA,
    D.RECOMMENDATIONS,
    D.SECURITY_LETTER,
    D.SECURITY_REPORT,
)


def links_of(pdf: bytes) -> set[str]:
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        return {
            str(note.A.URI)
            for page in opened.pages
            for note in page.get("/Annots", ())
            if "/A" in note and "/URI" in note.A
        }


@pytest.mark.parametrize("kind", OURS)
def test_these_papers_say_coverage(kind: D) -> None:
    text = read("CYB bound", kind).lower()

    assert " cover " not in text
    assert " cover." not in text


@pytest.mark.parametrize("state", ["PA", "NY", "NJ", "IL", "LA"])
def test_a_short_application_has_two_pages(state: str) -> None:
    def moved(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": state}

    pages = pypdfium2.PdfDocument(render(D.APPLICATION, facts_of(P.CYB, moved)))

    assert len(pages) == 2
    assert "Signature of an authorized officer" in pages[1].get_textpage().get_text_range()


def test_a_continued_answer_has_its_number_again() -> None:
    text = read("A", D.APPLICATION)

    assert "Q2124, continued What happened in each cyber event, loss or claim?" in text
    assert text.count("continued") == len(pypdfium2.PdfDocument(made("A", D.APPLICATION))) - 4
    assert "continued" not in read("CYB", D.APPLICATION)


def test_75_domains_stand_on_the_first_page() -> None:
    first = pypdfium2.PdfDocument(made("A", D.APPLICATION))[0].get_textpage().get_text_range()

    assert all(domain in first for domain in DOMAINS)


def test_a_bill_to_the_longest_name_is_one_page_with_its_slip() -> None:
    bill = made("A bound", D.BILLING_STATEMENT)

    assert len(pypdfium2.PdfDocument(bill)) == 1
    assert "Remittance slip" in text_of(bill)


@pytest.mark.parametrize("name", ["R CYB issued", "R TEO issued", "B bound"])
def test_the_terrorism_notice_is_one_page(name: str) -> None:
    assert len(pypdfium2.PdfDocument(made(name, D.BINDER_TRIA))) == 1


def test_the_tax_on_the_terrorism_premium_falls_with_it() -> None:
    text = read("CYB bound", D.BINDER_TRIA)

    # Pennsylvania: 3% of $16.70; the flat stamping fee stays.
    assert "The premium falls by $16.70 and the taxes on it by $0.50, in all by $17.20." in text
    assert "reduced by $16.70 and the taxes on it by $0.50" in text


def test_whole_dollars_of_tax_fall_by_whole_dollars() -> None:
    def moved(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": "IL"}

    facts = facts_of(P.CYB, moved, binding=CONDITIONAL)
    assert facts.offer is not None
    tax = facts.offer.surcharges[0]
    assert tax.price == tax.price.to_integral_value()

    assert "the taxes on it by $1.00, in all by" in text_of(render(D.BINDER_TRIA, facts))


def test_the_cyber_part_of_a_technology_premium_is_shown() -> None:
    text = read("D", D.BINDER_TRIA)

    assert "1% of the cyber part, $1,703.00 $17.03" in text
    assert "cyber part" not in read("CYB bound", D.BINDER_TRIA)


def test_addresses_in_the_application_and_the_terrorism_notice_are_links() -> None:
    assert {"mailto:broker@example.com", "mailto:ann@harborlight.example"} <= links_of(
        made("CYB", D.APPLICATION)
    )
    assert {"tel:+18009274357", "https://insurance.ca.gov"} <= {
        link.rstrip("/") for link in links_of(made("E quoted", D.APPLICATION))
    }
    for name in ("CYB bound", "MPL bound"):
        assert {"mailto:broker@example.com", "mailto:underwriting@bindery.example"} <= links_of(
            made(name, D.BINDER_TRIA)
        )


def test_florida_has_a_field_for_the_license_of_the_producer() -> None:
    florida = render(D.APPLICATION, facts_of(P.CYB, lambda body: located(body, "FL")))

    with pikepdf.open(io.BytesIO(florida)) as pdf:
        assert "license" in {str(field.T) for field in pdf.Root.AcroForm.Fields}
        assert set(pdf.Root.AcroForm.DR.Font.keys()) == {"/Times"}


def test_a_telephone_number_is_written_as_americans_write_it_and_stays_on_one_line() -> None:
    letter = made("CYB bound", D.SECURITY_LETTER)

    assert "(555) 010-0199" in text_of(letter)
    assert "tel:+15550100199" in links_of(letter)
    assert not any(line.endswith("(555)") for page in pages_of_lines(letter) for line in page.lines)


def test_advice_to_a_practice_speaks_of_claims_and_counts_nothing_critical() -> None:
    text = read("MPL", D.RECOMMENDATIONS)

    assert "even before you are insured" not in text
    assert "To report a claim or a complaint of a client, call (555) 010-0199." in text
    assert "Critical" not in text
    assert "Critical" in read("CYB", D.RECOMMENDATIONS)
    assert case("MPL").recommendations


def test_a_letter_to_a_practice_owes_no_security_item() -> None:
    assert "no document is owed" in read("C issued", D.SECURITY_LETTER)
    assert "no security item or document is owed" in read("E", D.SECURITY_LETTER)
