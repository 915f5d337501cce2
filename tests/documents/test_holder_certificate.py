"""A certificate for a holder, read back: what it says, and that it promises nothing."""

from dataclasses import replace
from datetime import date

import msgspec
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import MissingFacts, render
from bindery.documents.wording import typographic
from bindery.domain.documents.facts import DocumentFacts, read_document_facts, write_facts
from bindery.domain.documents.holders import (
    Holder,
    HolderFacts,
    holder_facts,
    holder_wordings,
    without_unshown,
)
from documents.cases import BOUND, ISSUED, facts_of
from documents.reading import numbered, pages_of, text_of

P = InsuranceProduct
HOLDER = Holder(
    name="First Harbor Bank, N.A.",
    street="12 Wharf Street",
    street2="Suite 900",
    city="Boston",
    state="MA",
    zip="02110",
    wording="interest",
    description="Lease of 4 Pier Road, unit 7",
)


def issued(product: P = P.CYB, on: date = date(2027, 1, 15)) -> DocumentFacts:
    return replace(facts_of(product, binding=numbered(ISSUED, product)), issued_on=on)


def certificate(facts: DocumentFacts, holder: Holder = HOLDER) -> bytes:
    return render(DocumentType.CERTIFICATE, holder_facts(facts, holder, 7))


def test_a_certificate_says_for_whom_as_of_when_and_what() -> None:
    facts = issued()

    pdf = certificate(facts)
    text = text_of(pdf)

    assert "C-CYB-26-0001234-7-00-0007" in text
    assert "Certificate holder First Harbor Bank, N.A. 12 Wharf Street Suite 900 Boston, MA 02110" in text
    assert "As of January 15, 2027, the policy below has been issued by" in text
    assert "Status on this day In force" in text
    assert "December 1, 2026 to December 1, 2027" in text
    assert f"${facts.terms.aggregate_limit:,}" in text
    assert f"${facts.terms.aggregate_retention:,}" in text
    assert "Project or contract Lease of 4 Pier Road, unit 7 (as stated by the named insured)" in text
    # Nothing is left to be filled in.
    assert b"/AcroForm" not in pdf


def test_a_certificate_gives_no_rights_whatever_its_wording() -> None:
    for code, wording in holder_wordings(date(2027, 1, 15)).items():
        text = text_of(certificate(issued(), replace(HOLDER, wording=code)))

        assert typographic(wording.text) in text
        assert "confers no rights on the holder and does not amend, extend or alter the policy" in text
        assert "The holder is not an insured under the policy unless an endorsement that is part of" in text
        assert "no obligation to notify holders" in text


def test_a_policy_that_has_not_begun_says_when_it_does() -> None:
    text = text_of(certificate(issued(on=date(2026, 11, 30))))

    assert "Status on this day Issued; coverage begins on December 1, 2026" in text
    assert "Status on this day In force" in text_of(certificate(issued(on=date(2026, 12, 1))))


@pytest.mark.parametrize("product", P)
def test_a_certificate_of_each_product_is_its_page_and_a_schedule(product: P) -> None:
    longest = replace(
        HOLDER,
        name="W" * 100 + " Holdings " + "i" * 90,
        street="1 " + "Long Road " * 25,
        street2="Floor " * 42,
        description="Project " * 37,
    )

    assert pages_of(certificate(issued(product))) <= 2
    assert pages_of(certificate(issued(product), longest)) <= 3


def test_what_is_kept_of_the_facts_makes_the_same_certificate() -> None:
    facts = issued()
    assert facts.scan is not None

    kept = read_document_facts(write_facts(without_unshown(facts)))

    assert certificate(kept) == certificate(facts)
    assert len(msgspec.json.encode(kept)) < 40_000


def test_a_binder_has_no_certificate() -> None:
    facts = facts_of(P.CYB, binding=numbered(BOUND, P.CYB))

    with pytest.raises(MissingFacts):
        certificate(facts)


def test_other_holders_are_only_data() -> None:
    hostile = replace(HOLDER, name='#panic("x") $x$ *b* <script>', description="@ref // [x] \\ {y}")

    text = text_of(certificate(issued(), hostile))

    assert '#panic("x") $x$ *b* <script>' in text
    assert "@ref // [x] \\ {y}" in text
    assert isinstance(holder_facts(issued(), hostile, 1), HolderFacts)
