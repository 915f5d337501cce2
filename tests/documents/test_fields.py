import io
import json
from typing import Final

import msgspec
import pikepdf
import pypdf
import pytest

from bindery.contract.documents import DocumentType, SignatureFinding, UploadFinding
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.fields import LABELS, filled_in, with_fields
from bindery.domain.documents.application_marks import ApplicationMark
from bindery.domain.documents.application_matching import PaperReading, match_application
from bindery.outside.upload_reader import child
from documents.reading import plain_document, plain_facts, text_of

D = DocumentType
P = InsuranceProduct
SIGNED: Final = {"name": "Ann Example", "title": "President", "date": "November 16, 2026"}


def filled_and_flattened(pdf: bytes, values: dict[str, str]) -> bytes:
    """Return the paper as somebody sends it back: filled in on the screen and printed to a file."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf))
    for page in writer.pages:
        if "/Annots" in page:
            writer.update_page_form_field_values(page, values, auto_regenerate=False, flatten=True)
    writer.remove_annotations(subtypes="/Widget")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("product", list(P))
def test_the_lines_of_an_application_are_fields(product: P) -> None:
    with pikepdf.open(io.BytesIO(plain_document(D.APPLICATION, product))) as pdf:
        fields = {str(field.T): field for field in pdf.Root.AcroForm.Fields}

        assert set(fields) == {"signature", "date", "name", "title"}
        assert fields["signature"].FT == "/Sig"
        assert {str(fields[name].FT) for name in ("date", "name", "title")} == {"/Tx"}
        assert all(str(field.TU) == LABELS[name] for name, field in fields.items())
        assert pdf.check_pdf_syntax() == []


def test_the_terrorism_form_has_two_boxes_to_mark_and_neither_is_marked() -> None:
    with pikepdf.open(io.BytesIO(plain_document(D.BINDER_TRIA, P.CYB))) as pdf:
        boxes = [field for field in pdf.Root.AcroForm.Fields if field.FT == "/Btn"]

        assert [str(field.T) for field in boxes] == ["keep", "decline"]
        assert {str(field.AS) for field in boxes} == {"/Off"}
    assert plain_document(D.BINDER_TRIA, P.MPL).count(b"/AcroForm") == 0


@pytest.mark.parametrize("kind", [D.APPLICATION, D.BINDER_TRIA])
def test_fields_keep_what_archives_and_screen_readers_want(kind: D) -> None:
    with pikepdf.open(io.BytesIO(plain_document(kind, P.CYB))) as pdf:
        elements = [
            element
            for element in pdf.objects
            if isinstance(element, pikepdf.Dictionary) and element.get("/S") == "/Form"
        ]

        assert len(elements) == len(pdf.Root.AcroForm.Fields)
        assert "/NeedAppearances" not in pdf.Root.AcroForm
        for field in pdf.Root.AcroForm.Fields:
            # Printed, with an appearance, without an action, and part of the structure.
            assert int(field.F) == 4
            assert "/N" in field.AP
            assert "/A" not in field
            assert "/StructParent" in field


def test_fields_of_ours_are_filled_in_as_on_the_screen() -> None:
    issued = plain_document(D.APPLICATION, P.CYB)

    filled = filled_in(issued, {**SIGNED, "signature": "Ann (Example)"})

    assert filled.startswith(issued)
    with pikepdf.open(io.BytesIO(filled)) as pdf:
        fields = {str(field.T): field for field in pdf.Root.AcroForm.Fields}
        assert {name: str(fields[name].V) for name in SIGNED} == SIGNED
        assert "/V" not in fields["signature"]
        assert b"(Ann Example)" in fields["signature"].AP.N.read_bytes()
        assert pdf.check_pdf_syntax() == []


def test_a_paper_without_fields_stays_as_it_is() -> None:
    letter = plain_document(D.QUOTE_LETTER, P.CYB)

    assert with_fields(letter) == letter


@pytest.mark.parametrize("product", list(P))
def test_an_application_that_was_filled_in_and_flattened_is_recognized(product: P) -> None:
    issued, facts = plain_document(D.APPLICATION, product), plain_facts(D.APPLICATION, product)
    mark = ApplicationMark(facts.quote_identifier, facts.fingerprint)

    sent_back = filled_and_flattened(issued, SIGNED)
    read = child.read(io.BytesIO(sent_back), "application/pdf", io.BytesIO(issued))
    finding = match_application(msgspec.json.decode(json.dumps(read), type=PaperReading), mark)

    assert "Ann Example" in text_of(sent_back)
    assert "President" in text_of(sent_back)
    assert (finding.verdict, finding.signature) == (UploadFinding.MATCHED, SignatureFinding.FOUND)
