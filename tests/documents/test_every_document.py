import io
from itertools import product as every
from typing import Final

import pikepdf
import pypdf
import pytest

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.documents import MissingFacts, render
from bindery.documents.wording import typographic
from bindery.domain.documents.forms import FORMS
from documents.cases import ISSUED, facts_of
from documents.reading import (
    WITH_A_BINDER,
    WITH_A_POLICY,
    numbered,
    overlapping_texts,
    pages_of,
    plain_document,
    plain_facts,
    squeezed,
    text_by_pypdf,
    text_of,
    texts_outside,
)

D = DocumentType
P = InsuranceProduct

NO_REPORT: Final = (D.SECURITY_REPORT, P.MPL)
ALL: Final = [pair for pair in every(D, P) if pair != NO_REPORT]
WITH_PRICE: Final = (D.QUOTE_LETTER, D.BINDER, D.POLICY, D.BILLING_STATEMENT)
WITH_TERMS: Final = (D.QUOTE_LETTER, D.BINDER, D.POLICY)
PRICES: Final = {
    P.CYB: ("$1,670.00", "$50.10", "$20.00", "$1,740.10"),
    P.TEO: ("$5,367.00", "$161.01", "$20.00", "$5,548.01"),
    P.MPL: ("$2,394.00", "$71.82", "$20.00", "$2,485.82"),
}
MOST_PAGES: Final = {
    D.QUOTE_LETTER: (2, 4),
    D.POLICY_SPECIMEN: (5, 10),
    D.BINDER: (3, 5),
    D.POLICY: (14, 24),
    D.APPLICATION: (2, 4),
    D.RECOMMENDATIONS: (1, 4),
    D.BINDER_TRIA: (1, 1),
    D.BILLING_STATEMENT: (1, 1),
    D.SECURITY_LETTER: (1, 2),
    D.SECURITY_REPORT: (2, 4),
    D.COMPARISON: (1, 2),
    D.CERTIFICATE: (1, 2),
    D.CANCELLATION_NOTICE: (1, 1),
    D.LAPSE_NOTICE: (1, 1),
    D.REINSTATEMENT_NOTICE: (2, 2),
    D.NONRENEWAL_NOTICE: (1, 1),
    D.ENDORSEMENT: (3, 6),
}


@pytest.mark.parametrize(("kind", "product"), ALL)
def test_a_document_of_every_kind_and_product_can_be_read(kind: D, product: P) -> None:
    pdf = plain_document(kind, product)

    text = text_of(pdf)
    form = FORMS.named("2026.1").of_document(kind, product)
    fewest, most = MOST_PAGES[kind]
    assert fewest <= pages_of(pdf) <= most
    assert f"{form.form_number} · Edition 01/2026" in text
    assert f"Page 1 of {pages_of(pdf)}" in text
    assert "SAMPLE" in text
    assert texts_outside(pdf, margin=20) == []
    if kind is not D.POLICY_SPECIMEN:
        assert "Harborlight Bakery LLC" in text


@pytest.mark.parametrize(("kind", "product"), list(every(WITH_PRICE, P)))
def test_premium_taxes_and_total_are_printed_to_the_cent(kind: D, product: P) -> None:
    text = text_of(plain_document(kind, product))

    premium, tax, fee, total = PRICES[product]
    assert f"Surplus lines tax 3% {tax}" in text
    assert f"Stamping fee flat {fee}" in text
    assert premium in text
    assert total in text


@pytest.mark.parametrize("product", list(P))
def test_another_reader_finds_the_same_figures(product: P) -> None:
    text = text_by_pypdf(plain_document(D.QUOTE_LETTER, product))

    premium, tax, fee, total = PRICES[product]
    assert f"{premium} Surplus lines tax 3% {tax} Stamping fee flat {fee} Total due {total}" in text


@pytest.mark.parametrize(("product", "portion"), [(P.CYB, "$16.70"), (P.TEO, "$17.03")])
@pytest.mark.parametrize("kind", [*WITH_PRICE, D.BINDER_TRIA])
def test_the_terrorism_portion_is_shown_within_the_premium(kind: D, product: P, portion: str) -> None:
    text = text_of(plain_document(kind, product))

    assert portion in text


def test_the_act_does_not_apply_to_professional_liability() -> None:
    notice = text_of(plain_document(D.BINDER_TRIA, P.MPL))
    letter = text_of(plain_document(D.QUOTE_LETTER, P.MPL))

    assert "Professional liability insurance is not one of them" in notice
    assert "Your choice" not in notice
    assert "does not extend to professional liability" in letter
    assert "certified acts of terrorism)" not in letter


@pytest.mark.parametrize(("kind", "product"), list(every(WITH_TERMS, P)))
def test_limits_retentions_and_every_coverage_are_printed(kind: D, product: P) -> None:
    facts = plain_facts(kind, product)
    text = text_of(plain_document(kind, product))

    assert facts.offer is not None
    assert in_dollars(facts.terms.aggregate_limit) in text
    assert in_dollars(facts.terms.per_claim_limit) in text
    for coverage in facts.offer.coverages:
        retention = in_dollars(coverage.retention) if coverage.retention else "None"
        assert f"{typographic(coverage.coverage_name)} {in_dollars(coverage.limit)} {retention}" in text


@pytest.mark.parametrize(
    ("kind", "product"), [pair for pair in ALL if pair[0] in {*WITH_TERMS, D.APPLICATION}]
)
def test_the_policy_period_is_printed(kind: D, product: P) -> None:
    text = text_of(plain_document(kind, product))

    assert "December 1, 2026" in text
    assert "December 1, 2027" in text


def test_the_quote_letter_says_until_when_it_is_valid_and_shows_no_commission() -> None:
    text = text_of(plain_document(D.QUOTE_LETTER, P.CYB))

    assert "Valid until January 14, 2027" in text
    assert "November 15, 2026" in text
    assert "not a binder" in text
    assert "ommission" not in text


def test_an_offer_on_answers_signed_for_before_asks_for_no_signature() -> None:
    fresh = text_of(plain_document(D.QUOTE_LETTER, P.CYB))
    renewal = text_of(render(D.QUOTE_LETTER, facts_of(contingencies=())))

    assert "Have the application that belongs to this quote signed" in fresh
    assert "No signed application is needed" not in fresh
    assert "No signed application is needed" in renewal
    assert "this offer is subject to no contingencies" in renewal


def test_the_retroactive_date_of_technology_cover_is_printed() -> None:
    assert "March 1, 2024" in text_of(plain_document(D.QUOTE_LETTER, P.TEO))
    assert "March 1, 2024" in text_of(plain_document(D.POLICY, P.TEO))


@pytest.mark.parametrize(
    ("kind", "product"), [pair for pair in ALL if pair[0] in {*WITH_A_BINDER, *WITH_A_POLICY}]
)
def test_what_follows_a_bind_carries_the_policy_number(kind: D, product: P) -> None:
    text = text_of(plain_document(kind, product))

    assert f"{product}-26-0001234-7-00" in text


def test_a_conditional_binder_names_the_day_it_lapses() -> None:
    text = text_of(plain_document(D.BINDER, P.CYB))

    assert "This binder is conditional" in text
    assert "(due December 20, 2026)" in text
    assert "B-CYB-26-0001234-7-00" in text


def test_an_unconditional_binder_says_so() -> None:
    pdf = render(D.BINDER, facts_of(binding=numbered(ISSUED, P.CYB), contingencies=()))

    text = text_of(pdf)
    assert "Coverage is bound without conditions" in text
    assert "conditional." not in text
    assert "What is still owed" not in text


def test_a_bill_is_due_thirty_days_after_the_policy_begins() -> None:
    text = text_of(plain_document(D.BILLING_STATEMENT, P.CYB))

    assert "by December 31, 2026" in text
    assert "$418.00" in text  # a quarter of 1,670


def test_the_application_prints_every_question_with_its_answer() -> None:
    facts = plain_facts(D.APPLICATION, P.TEO)
    text = squeezed(text_by_pypdf(plain_document(D.APPLICATION, P.TEO)))

    assert len(facts.questions) == 40
    for question in facts.questions:
        assert question.id in text
        if question.answer is not None:
            assert squeezed(typographic(question.text)) in text
            for line in question.answer.removesuffix(".00").split("\n"):
                assert squeezed(line) in text
    assert squeezed("I have read this application.") in text
    assert squeezed("Signature of an authorized officer") in text


def test_the_report_shows_every_finding_with_its_host_and_the_score() -> None:
    facts = plain_facts(D.SECURITY_REPORT, P.CYB)
    text = text_of(plain_document(D.SECURITY_REPORT, P.CYB))

    assert facts.scan is not None
    assert "76 / 100" in text
    assert "November 15, 2026, 15:30 UTC" in text
    for finding in facts.scan.findings:
        assert finding.title in text
        assert finding.evidence in text
        assert finding.check_id in text


def test_the_security_letter_of_an_unscanned_company_says_so() -> None:
    text = text_of(plain_document(D.SECURITY_LETTER, P.MPL))

    assert "Nothing was scanned for professional liability insurance" in text


def test_the_security_letter_parts_what_is_owed_from_advice() -> None:
    text = text_of(plain_document(D.SECURITY_LETTER, P.CYB))

    assert "76 of 100, band C." in text
    assert "A signed and dated application" in text
    assert "Web software without support" in text
    assert "Ann Example, ann@harborlight.example" in text
    assert "(555) 010-0199" in text


def test_recommendations_come_with_all_their_parts() -> None:
    text = squeezed(text_of(plain_document(D.RECOMMENDATIONS, P.MPL)))

    for recommendation in plain_facts(D.RECOMMENDATIONS, P.MPL).recommendations:
        for part in (
            recommendation.title,
            recommendation.seen,
            recommendation.why,
            recommendation.advice,
            recommendation.proof,
        ):
            assert squeezed(typographic(part)) in text


@pytest.mark.parametrize(("kind", "product"), ALL)
def test_documents_are_archival_accessible_and_carry_their_fonts(kind: D, product: P) -> None:
    pdf = plain_document(kind, product)

    with pikepdf.open(io.BytesIO(pdf)) as opened:
        metadata = opened.open_metadata()
        assert metadata["pdfaid:part"] in {"2", "3"}
        assert metadata["pdfaid:conformance"] == "A"
        assert metadata["pdfuaid:part"] == "1"
        assert opened.Root.MarkInfo.Marked
        assert str(opened.Root.Lang) == "en-US"
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    assert reader.metadata is not None
    assert reader.metadata.title
    assert reader.metadata.author == "Bindery"
    fonts = [font for page in reader.pages for font in page["/Resources"]["/Font"].values()]  # type: ignore[index] # pypdf gives dictionaries
    for font in fonts:
        descendant = font["/DescendantFonts"][0] if "/DescendantFonts" in font else font
        assert {"/FontFile2", "/FontFile3"} & set(descendant["/FontDescriptor"])


@pytest.mark.parametrize(
    ("kind", "bookmark"),
    [
        (D.POLICY, "III. Exclusions"),
        (D.POLICY, "Signatures"),
        (D.POLICY_SPECIMEN, "VII. Extended reporting"),
        (D.QUOTE_LETTER, "How to bind"),
    ],
)
def test_long_documents_have_bookmarks(kind: D, bookmark: str) -> None:
    outline = pypdf.PdfReader(io.BytesIO(plain_document(kind, P.CYB))).outline

    assert bookmark in _titles(outline)


@pytest.mark.parametrize(("kind", "product"), [pair for pair in ALL if pair[0] is not D.POLICY_SPECIMEN])
def test_no_text_lies_over_another(kind: D, product: P) -> None:
    assert overlapping_texts(plain_document(kind, product)) == []


def _titles(outline: object) -> list[str]:
    if isinstance(outline, list):
        return [title for item in outline for title in _titles(item)]
    return [outline["/Title"]]  # type: ignore[index] # as above


@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, *WITH_A_BINDER, D.POLICY])
def test_a_quote_without_price_or_bind_has_no_such_document(kind: D) -> None:
    facts = facts_of(status=QuoteStatus.QUOTE_REFERRED)

    with pytest.raises(MissingFacts):
        render(kind, facts)


def test_a_conditional_binder_has_no_policy_yet() -> None:
    with pytest.raises(MissingFacts):
        render(D.POLICY, plain_facts(D.BINDER, P.CYB))


def test_a_company_that_was_not_scanned_has_no_report() -> None:
    with pytest.raises(MissingFacts):
        render(D.SECURITY_REPORT, facts_of(P.MPL))


@pytest.mark.parametrize("kind", [D.APPLICATION, D.RECOMMENDATIONS])
def test_a_referred_quote_has_its_application_and_recommendations(kind: D) -> None:
    pdf = render(kind, facts_of(status=QuoteStatus.QUOTE_REFERRED))

    assert "Harborlight Bakery LLC" in text_of(pdf)
