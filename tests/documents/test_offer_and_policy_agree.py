"""What letter, binder, declarations, endorsements, certificate and comparison of one quote say alike."""

import io
from datetime import date

import pikepdf
import pypdfium2
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.facts import read_option_facts, write_facts
from bindery.domain.documents.forms import FORMS
from bindery.domain.policy.extended_reporting import annual_premium, extended_reporting_prices
from documents.cases import facts_of
from documents.measuring import pages_of_lines
from documents.reading import first_page_of, numbered, plain_document, text_of
from documents.review_cases import ISSUED, case, made, read
from documents.test_standards import annotations, elements

D = DocumentType
P = InsuranceProduct


def test_letter_and_endorsement_name_the_same_services() -> None:
    words = "and services customarily incidental to them."

    assert words in read("C", D.QUOTE_LETTER)
    assert words in read("C issued", D.POLICY)
    assert "and no others" not in read("C", D.QUOTE_LETTER)


@pytest.mark.parametrize(
    ("name", "kind"), [("E quoted", D.QUOTE_LETTER), ("E", D.BINDER), ("E", D.POLICY), ("E", D.CERTIFICATE)]
)
def test_every_limit_that_an_endorsement_cuts_is_marked_with_it(name: str, kind: D) -> None:
    text = read(name, kind)

    assert "Extra Expense $1,000,000 $2,500 8 h waiting period subject to END 1020, END 1030" in text
    assert "Digital Asset Restoration $1,000,000 $2,500 subject to END 1020, END 1030" in text
    assert "25% betterment subject to END 1020, END 1030" in text
    assert "Call-back required subject to END 1010" in text
    assert "Media Liability $1,000,000 $2,500 \N{EN DASH}" in text


def test_the_ransomware_endorsement_prints_its_figures() -> None:
    text = read("E", D.POLICY)

    assert "Until it is, $250,000 is the limit for cyber extortion" in text
    assert "bears 50% of every extortion loss above the retention" in text
    assert "{" not in text


def test_a_form_number_stands_for_one_text_and_each_form_says_where_it_is() -> None:
    letter, policy = read("E quoted", D.QUOTE_LETTER), read("E", D.POLICY)

    assert "TRIA 0501 01 26 Certified Acts of Terrorism" in policy
    assert "TRIA 0500 01 26" not in policy
    assert "SLN 0800 01 26 Surplus Lines Notice to Policyholder this letter, policy" in letter
    assert "FRD 0830 01 26 State Fraud Warnings application" in letter
    assert "TRIA 0500 01 26 Policyholder" not in letter
    assert "TRIA 0500 01 26 Policyholder Disclosure" in read("E", D.BINDER)
    assert any(form.stem == "END 1060" for form in FORMS.named("2026.1").forms)


def test_a_policy_frozen_with_the_older_form_number_is_still_made() -> None:
    facts = facts_of(binding=ISSUED)
    older = write_facts(read_option_facts(write_facts(facts))).replace("TRIA 0501", "TRIA 0500")
    option = read_option_facts(older)

    text = text_of(render(D.POLICY, type(facts)(**(vars(facts) | vars(option)))))

    assert "TRIA 0500 01 26" in text
    assert "are covered like any other cause" in text


@pytest.mark.parametrize("name", ["E", "D", "C issued", "R CYB issued"])
def test_premium_total_and_minimum_earned_stand_on_the_face_of_the_declarations(name: str) -> None:
    offer = case(name).offer
    assert offer is not None
    face = first_page_of(made(name, D.POLICY))

    assert f"Total ${offer.total:,.2f}" in face
    assert "at least 25% of the premium, $" in face
    assert "10. Issue and signature" in face


def test_licensee_and_claims_are_in_the_declarations_with_addresses_that_lead_somewhere() -> None:
    text = read("E", D.POLICY)

    assert "Example Surplus Lines Brokers, LLC, 300 Specimen Plaza, Sampleton, DE 19700, license" in text
    with pikepdf.open(io.BytesIO(made("E", D.POLICY))) as pdf:
        leads = {str(link.A.URI) for link in annotations(pdf) if "/A" in link and "/URI" in link.A}
    assert {"mailto:claims@bindery.example", "tel:+15550100199"} <= leads


def test_the_terms_of_long_policies_are_priced_by_the_year() -> None:
    year = (date(2026, 12, 1), date(2027, 12, 1))

    assert annual_premium(2_273, *year) == 2_273
    assert annual_premium(2_273, date(2027, 3, 1), date(2028, 3, 1)) == 2_273  # 366 days
    assert annual_premium(2_273, date(2026, 12, 1), date(2028, 5, 24)) == 1_536  # 540 days
    assert extended_reporting_prices(1_536) == [(12, 100, 1_536), (24, 150, 2_304), (36, 185, 2_842)]


def test_extended_reporting_is_priced_in_dollars() -> None:
    text = text_of(plain_document(D.POLICY, P.CYB))

    assert "12. Extended reporting 12 months for $1,670.00, 24 months for $2,505.00 or" in text
    assert "36 months 185% of the annual premium: $3,090.00" in text
    assert "Annual premium means the premium in the declarations" in text


def test_a_binder_is_signed_on_its_first_page_and_final_once_the_policy_is_issued() -> None:
    conditional, issued = made("CYB bound", D.BINDER), made("R TEO issued", D.BINDER)

    assert "Authorized signature" in first_page_of(conditional)
    assert "Declarations in draft" in text_of(conditional)
    assert "was issued on December 1, 2027 and replaces this binder" in first_page_of(issued)
    assert "in draft" not in text_of(issued)


def test_what_changed_since_last_year_names_forms_that_were_added() -> None:
    text = read("R TEO", D.QUOTE_LETTER)

    assert "Neglected Software Sliding Scale Exclusion \N{EN DASH} END 1030 01 26 added" in text


def test_the_cyber_part_of_technology_insurance_is_shown() -> None:
    assert "(1% of the cyber part, $1,703.00)" in text_of(plain_document(D.QUOTE_LETTER, P.TEO))
    assert "$17.03 (1% of the cyber part, $1,703.00)" in text_of(plain_document(D.POLICY, P.TEO))


@pytest.mark.parametrize("name", ["E quoted", "B", "C", "MPL", "R TEO"])
def test_a_letter_ends_with_its_signature_and_not_with_a_table(name: str) -> None:
    pages = pages_of_lines(made(name, D.QUOTE_LETTER))

    assert len(pages) <= 3
    assert any("on behalf of Example Specialty Insurance Company" in line for line in pages[-1].lines)
    first = first_page_of(made(name, D.QUOTE_LETTER))
    assert "Underwritten by Example Specialty Insurance Company, NAIC no. 00000" in first
    assert f"TOTAL DUE ${case(name).offer.total:,.2f}" in first  # type: ignore[union-attr] # it is quoted


def test_agreements_are_headings_and_definitions_and_conditions_are_lists() -> None:
    with pikepdf.open(io.BytesIO(plain_document(D.POLICY_SPECIMEN, P.CYB))) as pdf:
        counts = {kind: sum(1 for _ in elements(pdf, kind)) for kind in ("H4", "LI")}

    # 25 agreements; definitions, exclusions and conditions beside the five points of one agreement.
    assert counts["H4"] == 25
    assert counts["LI"] > 70
    outline = pypdfium2.PdfDocument(plain_document(D.POLICY_SPECIMEN, P.CYB)).get_toc()
    assert "A.1 Information Privacy Liability" in {" ".join(entry.get_title().split()) for entry in outline}


@pytest.mark.parametrize("product", list(P))
def test_no_policy_says_save_where_or_cover(product: P) -> None:
    facts = facts_of(product, binding=numbered(ISSUED, product))
    text = text_of(render(D.POLICY, facts)).split("Questions and answers")[0]

    for british in ("save where", " cover ", " cover.", " cover,", "the least that the law"):
        assert british not in text
    assert "In witness whereof, Example Specialty Insurance Company has caused this policy" in text
