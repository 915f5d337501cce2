"""The seal of a document: what it changes in a file, and that no change of a sealed file goes unseen."""

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

import pikepdf
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.seal import seal_pdf, verify_seal
from bindery.documents.seal.sealing import FIELD, LABEL
from bindery.domain.documents.seal import MOST_BYTES, SENTENCES, SealFlaw, SealReport
from bindery.outside.seal_keys import make_seal_key
from documents.reading import plain_document, text_of
from support import seals
from support.seals import AT, appended, flipped, key_of, rewritten, sealed, swapped

D = DocumentType
F = SealFlaw
P = InsuranceProduct
TRUSTED: Final = key_of().certificates
FINGERPRINT: Final = key_of().sha256.hex()


def flaws(pdf: bytes) -> tuple[SealFlaw, ...]:
    return verify_seal(pdf, TRUSTED).flaws


def test_a_sealed_document_says_who_sealed_it_and_when() -> None:
    assert verify_seal(sealed(), TRUSTED) == SealReport(
        flaws=(),
        sealed_by="Bindery document seal, quotes.example.com",
        sealed_at=AT,
        certificate_sha256=FINGERPRINT,
        stamp=None,
    )


def test_the_seal_is_appended_and_nothing_of_it_is_seen() -> None:
    pdf = plain_document(D.APPLICATION, P.CYB)

    assert sealed().startswith(pdf)
    assert text_of(sealed()) == text_of(pdf)
    assert key_of().private_key not in sealed()
    assert key_of().private_key.hex() not in repr(key_of())


@pytest.mark.parametrize("kind", [D.APPLICATION, D.QUOTE_LETTER])
def test_a_sealed_document_is_as_archival_as_before(kind: D) -> None:
    before = pikepdf.open(io.BytesIO(plain_document(kind, P.CYB)))
    after = pikepdf.open(io.BytesIO(sealed(kind)))
    with before, after:
        # PDF/A-2 and 3 are PDF 1.7, and the file says of itself what it said.
        assert after.pdf_version == before.pdf_version == "1.7"
        assert "/Version" not in after.Root
        was, is_now = before.open_metadata(), after.open_metadata()
        for said in ("pdfaid:part", "pdfaid:conformance", "pdfuaid:part", "dc:title", "dc:language"):
            assert is_now[said] == was[said]
        assert str(after.docinfo["/Producer"]) == is_now["pdf:Producer"]
        (field,) = [field for field in after.Root.AcroForm.Fields if str(field.T) == FIELD]
        # 6.3: a field is printed and not hidden; one without a size needs no picture.
        assert int(field.F) & (1 | 2 | 4 | 32) == 4
        assert [int(side) for side in field.Rect] == [0, 0, 0, 0]
        assert str(field.TU) == LABEL
        assert str(after.pages[0].obj.Tabs) == "/S"
        # 6.1.12: it certifies the whole file, and lets nobody change anything.
        assert list(after.Root.Perms.keys()) == ["/DocMDP"]
        (reference,) = field.V.Reference
        assert not {"/DigestLocation", "/DigestMethod", "/DigestValue"} & set(reference.keys())
        assert int(reference.TransformParams.P) == 1
        assert str(field.V.SubFilter) == "/ETSI.CAdES.detached"
        assert after.check_pdf_syntax() == []


ALTERATIONS: Final[dict[str, tuple[Callable[[bytes], bytes], set[SealFlaw]]]] = {
    "a byte of the content": (lambda pdf: flipped(pdf, pdf.index(b"stream\n") + 50), {F.CHANGED}),
    "a letter of the title": (lambda pdf: swapped(pdf, b"Harborlight", b"Horborlight"), {F.CHANGED}),
    "the metadata": (lambda pdf: swapped(pdf, b"Typst 0.15.0", b"Typst 0.15.1"), {F.CHANGED}),
    "the date of the seal": (lambda pdf: swapped(pdf, b"20261118123015", b"20261118123014"), {F.CHANGED}),
    "the words of a page": (lambda pdf: rewritten(pdf, seals.change_words), {F.SEAL_DAMAGED}),
    "the title, written anew": (lambda pdf: rewritten(pdf, seals.change_title), {F.SEAL_DAMAGED}),
    "a page removed": (lambda pdf: rewritten(pdf, seals.drop_last_page), {F.SEAL_DAMAGED}),
    "a page added": (lambda pdf: rewritten(pdf, seals.put_page_of_another), {F.SEAL_DAMAGED}),
    "pages in another order": (lambda pdf: rewritten(pdf, seals.put_last_page_first), {F.SEAL_DAMAGED}),
    "nothing, but written anew": (lambda pdf: rewritten(pdf, lambda _: None), {F.SEAL_DAMAGED}),
    "an update: a page removed": (lambda pdf: appended(pdf, seals.remove_page), {F.ADDED_TO}),
    "an update: a page added": (lambda pdf: appended(pdf, seals.add_page), {F.ADDED_TO}),
    "an update: pages turned around": (lambda pdf: appended(pdf, seals.turn_pages_around), {F.ADDED_TO}),
    "an update: a page's content": (lambda pdf: appended(pdf, seals.replace_content), {F.ADDED_TO}),
    "an update: a field's value": (lambda pdf: appended(pdf, seals.fill_in_field), {F.ADDED_TO}),
    "an update: a note": (lambda pdf: appended(pdf, seals.add_note), {F.ADDED_TO}),
    "an update: a hidden layer": (lambda pdf: appended(pdf, seals.hide_content), {F.ADDED_TO}),
    "an update: a script": (lambda pdf: appended(pdf, seals.run_script), {F.ADDED_TO}),
    "an update: another form (XFA)": (lambda pdf: appended(pdf, seals.add_xfa), {F.ADDED_TO}),
    "an update: the seal taken out": (lambda pdf: appended(pdf, seals.take_seal_out), {F.NOT_SEALED}),
    "an update: the form taken out": (lambda pdf: appended(pdf, seals.drop_form), {F.NOT_SEALED}),
    "the seal cut off": (lambda _: plain_document(D.APPLICATION, P.CYB), {F.NOT_SEALED}),
    "the last byte cut off": (lambda pdf: pdf[:-1], {F.CHANGED}),
    "the end cut off": (lambda pdf: pdf[:-200], {F.UNREADABLE}),
    "half of it": (lambda pdf: pdf[: len(pdf) // 2], {F.UNREADABLE}),
    "a line after the end": (lambda pdf: pdf + b"\n", {F.ADDED_TO}),
    "a file after the end": (lambda pdf: pdf + b"PK\3\4 something else", {F.ADDED_TO}),
    "a PDF after the end": (lambda pdf: pdf + plain_document(D.QUOTE_LETTER, P.CYB), {F.UNREADABLE}),
    "something before the beginning": (lambda pdf: b"#!/bin/sh\n" + pdf, {F.NOT_A_PDF}),
    "an encrypted copy": (
        lambda pdf: rewritten(pdf, lambda _: None, encryption=pikepdf.Encryption(owner="o", user="")),
        {F.ENCRYPTED},
    ),
    "nothing of it": (lambda _: b"", {F.NOT_A_PDF}),
    "a picture": (lambda _: b"\x89PNG\r\n\x1a\n", {F.NOT_A_PDF}),
    "a text": (lambda _: b"This is as it was sealed.", {F.NOT_A_PDF}),
}


@pytest.mark.parametrize("what", ALTERATIONS)
def test_an_alteration_is_found(what: str) -> None:
    change, expected = ALTERATIONS[what]

    assert set(flaws(change(sealed()))) == expected


def test_another_file_attached_is_found() -> None:
    assert flaws(sealed(D.QUOTE_LETTER)) == ()

    assert flaws(rewritten(sealed(D.QUOTE_LETTER), seals.exchange_data)) == (F.SEAL_DAMAGED,)


def test_a_byte_changed_anywhere_is_found() -> None:
    pdf = sealed()
    step = len(pdf) // 30

    unseen = [at for at in range(0, len(pdf), step) if not flaws(flipped(pdf, at))]

    assert unseen == []


@pytest.mark.parametrize(
    "forged",
    [
        lambda pdf, begin, end: pdf[: end - 9] + b"41" + pdf[end - 7 :],
        lambda pdf, begin, end: pdf[: end - 9] + b">  <<>> " + pdf[end - 1 :],
        lambda pdf, begin, end: pdf[:begin] + b"(" + pdf[begin + 1 : end - 1] + b")" + pdf[end:],
        lambda pdf, begin, end: flipped(pdf, begin + 900),
        lambda pdf, begin, end: pdf.replace(b"/ByteRange [0 ", b"/ByteRange [1 ", 1),
        lambda pdf, begin, end: pdf.replace(b"/ByteRange [0 ", b"/ByteRange [ 0", 1).replace(b"0 ", b"0", 1),
        lambda pdf, begin, end: seals.with_signature(pdf, b"no signature"),
        lambda pdf, begin, end: seals.with_signature(
            pdf, seals.signature_of(sealed(room_for_stamp=True)).dump()
        ),
    ],
    ids=[
        "more digits",
        "an object within",
        "another string",
        "a digit",
        "a range",
        "a list",
        "none",
        "another's",
    ],
)
def test_a_seal_that_was_tampered_with_is_found(forged: Callable[[bytes, int, int], bytes]) -> None:
    pdf = sealed()

    found = flaws(forged(pdf, *seals.hole_of(pdf)))

    assert found
    assert set(found) <= {F.SEAL_DAMAGED, F.CHANGED, F.UNREADABLE}


def test_a_seal_of_another_key_is_not_taken_for_ours() -> None:
    foreign = seal_pdf(plain_document(D.APPLICATION, P.CYB), key_of("foreign.example"), at=AT)

    report = verify_seal(foreign, TRUSTED)

    assert report.flaws == (F.UNKNOWN_CERTIFICATE,)
    assert report.sealed_by == "Bindery document seal, foreign.example"


def test_a_seal_of_another_key_with_the_same_name_is_not_taken_for_ours() -> None:
    pdf = plain_document(D.APPLICATION, P.CYB)
    namesake = make_seal_key("quotes.example.com", at=AT)

    assert flaws(seal_pdf(pdf, namesake, at=AT)) == (F.UNKNOWN_CERTIFICATE,)
    assert flaws(seal_pdf(pdf, replace(namesake, certificates=TRUSTED), at=AT)) == (F.SEAL_DAMAGED,)


def test_a_certificate_that_was_swapped_is_found() -> None:
    assert flaws(seals.with_other_certificate(plain_document(D.APPLICATION, P.CYB))) == (F.SEAL_DAMAGED,)


def test_a_signature_of_somebody_else_on_top_does_not_hide_what_became_of_the_seal() -> None:
    # No honest program signs what is certified against changes, so that goes first.
    opened = appended(sealed(), seals.take_certification_out)

    report = verify_seal(seals.signed(opened, key_of("foreign.example")), TRUSTED)

    assert report.flaws == (F.ADDED_TO,)
    assert report.certificate_sha256 == FINGERPRINT


def test_a_seal_made_outside_the_days_of_its_certificate_says_so() -> None:
    pdf = plain_document(D.APPLICATION, P.CYB)

    early, late = AT - timedelta(days=31), AT + timedelta(days=20 * 365)

    assert flaws(seal_pdf(pdf, key_of(), at=early)) == (F.CERTIFICATE_NOT_VALID,)
    assert flaws(seal_pdf(pdf, key_of(), at=late)) == (F.CERTIFICATE_NOT_VALID,)


def test_a_file_that_is_too_large_is_not_read() -> None:
    assert flaws(sealed() + bytes(MOST_BYTES)) == (F.TOO_LARGE,)


@pytest.mark.parametrize(
    "make",
    [
        lambda: seals.nested(100_000),
        seals.going_round,
        lambda: seals.packed_objects(300 * 1024 * 1024),
        lambda: b"%PDF-1.7\n",
        lambda: b"%PDF-1.7\n" + b"startxref\n0\n%%EOF\n" * 10_000,
        lambda: b"%PDF-1.7\n" + b"<<" * 50_000,
    ],
    ids=["nested", "going round", "packed", "head only", "many ends", "open"],
)
def test_a_hostile_file_is_refused(make: Callable[[], bytes]) -> None:
    found = flaws(make())

    assert found
    assert set(found) <= {F.UNREADABLE, F.TOO_COSTLY}


def test_every_flaw_has_a_sentence() -> None:
    assert set(SENTENCES) == set(SealFlaw)
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())
