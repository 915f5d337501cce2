"""The application that was signed on the insured's page: its lines, its certificate, what a reader sees."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Final

import msgspec
import pikepdf
import pypdfium2
import pytest

from bindery.contract.documents import DocumentType, SignatureFinding, UploadFinding
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.application_marks import ApplicationMark
from bindery.domain.documents.application_matching import JudgedUpload, PaperReading, match_application
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.signing_record import SigningRecord
from bindery.outside.upload_reader import child
from documents.cases import facts_of
from documents.reading import squeezed, text_of

P = InsuranceProduct
SIGNING: Final = SigningRecord(
    request_id="019a5b6c-7d8e-7f90-a1b2-c3d4e5f60999",
    name="Ann Example",
    title="Chief Executive Officer",
    email="ann@harborlight.example",
    address="203.0.113.7",
    agent="Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)",
    consent="I agree to sign electronically.\nI can ask for a paper copy.",
    stated="I am authorized to sign for the applicant.",
    shown_sha256="0123456789abcdef" * 4,
    sent_by="dana@shoreline.example",
    sent_at=datetime(2026, 11, 17, 14, 0, 1, tzinfo=UTC),
    opened_at=datetime(2026, 11, 18, 15, 0, 2, tzinfo=UTC),
    confirmed_at=datetime(2026, 11, 18, 15, 4, 3, tzinfo=UTC),
    signed_at=datetime(2026, 11, 18, 15, 5, 4, tzinfo=UTC),
    signed_on=date(2026, 11, 18),
)


def signed(facts: DocumentFacts, signing: SigningRecord = SIGNING) -> bytes:
    return render(DocumentType.APPLICATION, replace(facts, signing=signing))


def read_as_upload(facts: DocumentFacts, pdf: bytes) -> JudgedUpload:
    issued = render(DocumentType.APPLICATION, facts)
    read = child.read(io.BytesIO(pdf), "application/pdf", io.BytesIO(issued))
    reading = msgspec.json.decode(json.dumps(read), type=PaperReading)
    return match_application(reading, ApplicationMark(facts.quote_identifier, facts.fingerprint))


def in_state(state: str, code: str) -> Callable[[dict[str, Any]], None]:
    def moved(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": state, "zip": code}

    return moved


@pytest.mark.parametrize("product", list(P))
def test_our_own_reader_finds_the_signature_and_every_page(product: P) -> None:
    facts = facts_of(product)

    judged = read_as_upload(facts, signed(facts))

    assert (judged.verdict, judged.signature) == (UploadFinding.MATCHED, SignatureFinding.FOUND)
    assert judged.pages is not None
    assert judged.pages.is_complete
    assert judged.pages.unclear == 0


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("W" * 255, "Vice President of Everything Else " * 7),
        ("Wolfeschlegelstein Hausenberger " * 7, "CFO"),
        (
            "\u05e2\u05de\u05e0\u05d5\u05d0\u05dc \u0628\u0646 \u0645\u062d\u0645\u062f",
            "\u05de\u05e0\u05db\u05dc",
        ),
        ("\U0001f600", "\u674e\u5c0f\u9f99"),
        ('#set page(fill: red) \\ "$x$" <script>', "*_`"),
    ],
    ids=["a name of 255 letters", "many words", "right to left", "emoji", "markup"],
)
def test_any_name_fits_its_line_and_is_found(name: str, title: str) -> None:
    facts = facts_of(P.CYB)

    pdf = signed(facts, replace(SIGNING, name=name, title=title, agent="x" * 2000))

    assert len(pypdfium2.PdfDocument(pdf)) == 3
    judged = read_as_upload(facts, pdf)
    assert (judged.verdict, judged.signature) == (UploadFinding.MATCHED, SignatureFinding.FOUND)


@pytest.mark.parametrize(("state", "code"), [("CA", "94105"), ("FL", "33101")])
def test_a_notice_of_the_state_is_signed_with_it(state: str, code: str) -> None:
    facts = facts_of(P.CYB, in_state(state, code))

    pdf = signed(facts, replace(SIGNING, name="Zoe Signer"))

    judged = read_as_upload(facts, pdf)
    assert (judged.verdict, judged.signature) == (UploadFinding.MATCHED, SignatureFinding.FOUND)
    # In script, in print and on the certificate, and once more for a notice that asks for it.
    assert text_of(pdf).count("Zoe Signer") == (4 if facts.notice.acknowledged else 3)


def test_the_certificate_says_who_when_from_where_and_what() -> None:
    facts = facts_of(P.CYB)

    pages = pypdfium2.PdfDocument(signed(facts))
    certificate = pages[len(pages) - 1].get_textpage().get_text_range()
    text = squeezed(certificate)

    for said in (
        "Certificate of electronic signature",
        "Ann Example",
        "Chief Executive Officer",
        "ann@harborlight.example",
        "203.0.113.7",
        "iPhone OS 18_1",
        "2026-11-17 14:00:01 UTC",
        "2026-11-18 15:00:02 UTC",
        "2026-11-18 15:04:03 UTC",
        "2026-11-18 15:05:04 UTC",
        SIGNING.request_id,
        SIGNING.shown_sha256,
        SIGNING.consent_sha256,
        facts.fingerprint,
        "dana@shoreline.example",
        facts.broker_email,
        "I agree to sign electronically.",
        "I can ask for a paper copy.",
        "I am authorized to sign for the applicant.",
    ):
        assert squeezed(said) in text, said
    assert "BINDERY:APP" not in certificate


def test_the_pages_before_the_certificate_say_what_was_issued() -> None:
    facts = facts_of(P.CYB)
    issued = pypdfium2.PdfDocument(render(DocumentType.APPLICATION, facts))

    pages = pypdfium2.PdfDocument(signed(facts))

    assert len(pages) == len(issued) + 1
    first, before = (of[0].get_textpage().get_text_range() for of in (pages, issued))
    assert first.replace("Page 1 of 3", "Page 1 of 2") == before


def test_the_same_facts_give_the_same_bytes() -> None:
    facts = facts_of(P.TEO)

    assert signed(facts) == signed(facts)


def test_it_is_archival_has_no_field_left_and_is_dated_when_it_was_signed() -> None:
    with pikepdf.open(io.BytesIO(signed(facts_of(P.CYB, in_state("FL", "33101"))))) as pdf:
        metadata = pdf.open_metadata()

        assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("2", "A")
        assert metadata["pdfuaid:part"] == "1"
        assert "/AcroForm" not in pdf.Root
        assert str(pdf.docinfo["/CreationDate"]).startswith("D:20261118")
        assert pdf.check_pdf_syntax() == []
