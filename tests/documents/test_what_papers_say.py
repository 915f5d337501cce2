"""What papers say is true in every state of a quote, read back in the cases where that is hard."""

from dataclasses import replace

import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.documents.wording import typographic
from bindery.domain.questions.question import question_set
from documents.reading import first_page_of, squeezed, text_of
from documents.review_cases import case, made, read

D = DocumentType
P = InsuranceProduct


@pytest.mark.parametrize(("name", "question"), [("CYB", "Q2244"), ("TEO", "2226"), ("MPL", "Q2412")])
def test_the_application_prints_what_is_denied(name: str, question: str) -> None:
    asked = question_set(case(name).product, "2026.1").find(question)
    assert asked is not None
    denied = "; ".join(option.text for option in asked.options if not option.exclusive)

    assert f"None of these: {typographic(denied)}." in read(name, D.APPLICATION)


@pytest.mark.parametrize("name", ["C issued", "D", "E"])
def test_the_application_that_was_signed_is_part_of_the_policy(name: str) -> None:
    facts = case(name)
    text = read(name, D.POLICY)

    assert f"application of quote {facts.quote_identifier}, which was signed for this policy" in text
    assert facts.fingerprint in text
    assert "Questions and answers Question set" in text
    assert all(line in text for line in str(facts.questions[0].answer).splitlines())
    # The marks by which a signed application is known are on no other paper.
    assert facts.application_mark not in text


@pytest.mark.parametrize("product", list(P))
def test_a_renewal_cites_the_application_that_was_signed_last(product: P) -> None:
    facts = case(f"R {product} issued")
    text = read(f"R {product} issued", D.POLICY)

    assert facts.renewal is not None
    assert "No new application was signed for this renewal" in text
    assert facts.renewal.signed.fingerprint in text
    assert "November 21, 2026" in text
    assert facts.fingerprint not in text
    assert "which was signed for this policy" not in text


@pytest.mark.parametrize("name", ["C issued", "D", "E", "R CYB issued", "R TEO issued", "R MPL issued"])
def test_insurer_notices_and_signature_stand_on_the_face_of_the_declarations(name: str) -> None:
    face = first_page_of(made(name, D.POLICY))

    assert "Example Specialty Insurance Company 100 Specimen Plaza, Sampleton, DE 19700 The insurer." in face
    assert "The liability agreements are claims-made and reported" in face
    assert f"9. Surplus lines notice for {case(name).notice.state_name}" in face
    assert "Pat Specimen" in face
    assert "Authorized signature, Example Specialty Insurance Company" in face


def test_the_items_of_the_declarations_are_numbered_in_order() -> None:
    text = read("E", D.POLICY)
    declarations = text[: text.index("Schedule of forms These forms")]

    names = [
        *("Named insured", "Policy number", "Policy period", "Aggregate limit", "Retention", "Retroactive"),
        *("Premium, taxes", "Claims-made", "Surplus lines notice", "Issue and", "Coverage schedule"),
    ]
    places = [declarations.index(f"{number}. {name}") for number, name in enumerate(names, start=1)]
    later = ("12. Extended", "13. Notice", "14. Forms", "15. Broker", "16. Application")
    places += [declarations.index(name) for name in later]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["CYB bound", "MPL bound", "B bound"])
def test_claims_made_notice_and_legend_stand_on_the_face_of_a_binder(name: str) -> None:
    face = first_page_of(made(name, D.BINDER))

    assert "The liability agreements are claims-made and reported" in face
    assert f"Surplus lines notice for {case(name).notice.state_name}" in face


def test_california_has_its_statement_on_the_face_and_its_notice_in_the_policy_and_the_application() -> None:
    statement = "This policy is issued by an insurer that is not licensed by the State of California."

    assert statement in first_page_of(made("E", D.POLICY))
    assert "6. If coverage had to begin within two business days" in read("E", D.POLICY)
    assert "6. If coverage had to begin within two business days" in read("E", D.APPLICATION)


@pytest.mark.parametrize("name", ["A", "B", "H", "TEO", "E quoted"])
def test_a_bind_with_more_open_than_the_signature_goes_to_an_underwriter(name: str) -> None:
    text = read(name, D.QUOTE_LETTER)

    assert "an underwriter reviews the request first" in text
    assert "The policy is then issued at once" not in text


@pytest.mark.parametrize("name", ["CYB", "MPL", "F"])
def test_a_bind_with_the_signature_alone_is_issued_at_once(name: str) -> None:
    text = read(name, D.QUOTE_LETTER)

    assert "The policy is then issued at once" in text
    assert "underwriter reviews" not in text


@pytest.mark.parametrize("product", list(P))
def test_a_renewal_offer_says_what_it_renews_what_changed_and_that_it_renews_automatically(
    product: P,
) -> None:
    facts = case(f"R {product}")
    text = read(f"R {product}", D.QUOTE_LETTER)

    assert facts.renewal is not None
    assert facts.offer is not None
    assert text.count("Your renewal of") == 1
    assert f"Policy {product}-26-0001234-7-00 of Harborlight Bakery LLC expires on December 1, 2027" in text
    assert f"Premium ${facts.renewal.premium:,} ${facts.offer.premium:,}" in text
    assert "The policy renews automatically on December 1, 2027" in text
    assert "or to pause the renewal, ask your broker" in text
    assert "judged as of December 1, 2026" in text
    assert "Thank you for the opportunity" not in text


@pytest.mark.parametrize("product", list(P))
def test_a_renewal_offer_gives_no_other_effective_date_than_its_own(product: P) -> None:
    assert "7 days in the past" in read(str(product), D.QUOTE_LETTER)
    assert "7 days in the past" not in read(f"R {product}", D.QUOTE_LETTER)


def test_letter_and_notice_agree_on_how_terrorism_cover_is_declined() -> None:
    letter, renewal = read("CYB", D.QUOTE_LETTER), read("R CYB", D.QUOTE_LETTER)

    assert "decline this part of the coverage on the notice that comes with the binder" in letter
    assert "within 30 days of the bind; the premium is then reduced by that amount" in letter
    assert "with the taxes and fees on it" in letter
    assert "broker@example.com, by December 15, 2026" in read("CYB bound", D.BINDER_TRIA)
    assert "would run beyond that day" not in letter
    assert "The policy would run beyond that day; the notice says what follows." in renewal


def test_a_renewal_offer_names_changed_answers_and_what_the_scan_found_since() -> None:
    text = read("R CYB", D.QUOTE_LETTER)

    assert "How many people does the applicant employ? Before: 35. Now: 40." in text
    assert "New since the last scan: SPF allows any sender" in text
    assert "Security score 100 of 100 76 of 100 \N{MINUS SIGN}24 points" in text


def test_a_renewal_offer_compares_no_scan_with_one() -> None:
    facts = case("R CYB")
    assert facts.renewal is not None
    not_scanned = replace(facts, renewal=replace(facts.renewal, score=None))

    assert "Security score \N{EN DASH} 76 of 100 \N{EN DASH}" in text_of(render(D.QUOTE_LETTER, not_scanned))


def test_no_day_contradicts_the_text_beside_it() -> None:
    for kind in (D.BINDER, D.SECURITY_LETTER):
        text = read("B bound", kind)
        assert "(needed by December 15, 2026, when this binder lapses)" in text
        assert "new effective date (due" not in text
    assert "(January 9, 2027, and no later than 30 days after the bind)" in read("B", D.QUOTE_LETTER)


def test_endorsements_that_limit_the_coverage_are_explained_with_their_amounts() -> None:
    text = read("E quoted", D.QUOTE_LETTER)

    assert "Ransomware Sublimit and Coinsurance (END 1020 01 26)" in text
    assert "$250,000 is the most that is paid after ransomware" in text
    assert "you bear 50% of it" in text
    assert "Business Interruption and Extra Expense $1,000,000" in text
    assert "25% after that" in text
    assert "END 1020" not in read("F", D.QUOTE_LETTER)


def test_the_professional_services_are_named_and_other_is_what_was_described() -> None:
    services = question_set(P.MPL, "2026.1").find("Q2401")
    assert services is not None

    for kind in (D.QUOTE_LETTER, D.BINDER, D.POLICY):
        # The reader writes a hyphen at the end of a line as a sign of its own.
        text = read("C issued", kind).replace("\ufffe", "-").replace("\x02", "-")
        assert "Forensic beekeeping" in text
        named = [option.text for option in services.options if option.text != "Other"]
        assert all(squeezed(service) in squeezed(text) for service in named)
    assert "27 Forensic beekeeping" in read("C issued", D.POLICY)
    assert "27 Other" not in read("C issued", D.POLICY)


def test_what_was_known_is_judged_as_of_the_first_policy_without_a_gap() -> None:
    text = read("R TEO issued", D.POLICY)

    assert "Continuity date December 1, 2026" in text
    assert "knew, before the continuity date, of a circumstance" in text
