"""Rules of PDF/A-2a and 3a (ISO 19005-2, -3) and PDF/UA-1 (ISO 14289-1) that a program can see in a file.

The compiler refuses what breaks others of them, such as a character without a glyph, a picture without a
text in its place or a document without a title. What only a person can judge, such as whether the text in a
picture's place says what it shows, is for whoever looks at the gallery.
"""

import io
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pikepdf
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import WITH_DATA
from documents.reading import plain_document, plain_facts

D = DocumentType
P = InsuranceProduct
KINDS: Final = [(kind, P.TEO) for kind in D] + [(D.RECOMMENDATIONS, P.MPL), (D.BINDER_TRIA, P.MPL)]
PRINTED: Final = 4
HIDDEN_OR_NO_VIEW: Final = 2 | 32
SHOWS_TEXT: Final = frozenset({"Tj", "TJ", "'", '"'})


def dictionaries(pdf: pikepdf.Pdf) -> Iterator[pikepdf.Object]:
    return (entry for entry in pdf.objects if isinstance(entry, pikepdf.Dictionary | pikepdf.Stream))


def elements(pdf: pikepdf.Pdf, *kinds: str) -> Iterator[pikepdf.Object]:
    """The elements of the structure in the order in which they are read."""

    def below(element: pikepdf.Object) -> Iterator[pikepdf.Object]:
        if not kinds or str(element.get("/S", "")).removeprefix("/") in kinds:
            yield element
        for kid in children(element):
            yield from below(kid)

    return below(pdf.Root.StructTreeRoot)


def children(element: pikepdf.Object) -> list[pikepdf.Object]:
    kids: Any = element.get("/K", [])
    listed = list(kids) if isinstance(kids, pikepdf.Array) else [kids]
    return [kid for kid in listed if isinstance(kid, pikepdf.Dictionary) and "/S" in kid]


def attribute(element: pikepdf.Object, name: str) -> str | None:
    given: Any = element.get("/A", [])
    sets = list(given) if isinstance(given, pikepdf.Array) else [given]
    return next((str(attributes[name]) for attributes in sets if name in attributes), None)


def annotations(pdf: pikepdf.Pdf) -> Iterator[pikepdf.Object]:
    return (annotation for page in pdf.pages for annotation in page.obj.get("/Annots", []))


@pytest.mark.parametrize(("kind", "product"), KINDS)
def test_a_paper_can_be_kept_for_good(kind: D, product: P) -> None:
    with pikepdf.open(io.BytesIO(plain_document(kind, product))) as pdf:
        metadata = pdf.open_metadata()

        # 6.1.3, 6.6.2, 6.6.4: not encrypted, with an identity, and saying what it is in the open.
        assert not pdf.is_encrypted
        assert len(pdf.trailer.ID) == 2
        assert "/Filter" not in pdf.Root.Metadata
        part = "3" if kind in WITH_DATA else "2"
        assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == (part, "A")
        # 6.2.3: colors that mean the same on every machine.
        assert [str(intent.S) for intent in pdf.Root.OutputIntents] == ["/GTS_PDFA1"]
        assert all("/DestOutputProfile" in intent for intent in pdf.Root.OutputIntents)
        for entry in dictionaries(pdf):
            # 6.1.7, 6.5: nothing outside the file, nothing that runs, and no filter that was left behind.
            assert not {"/JS", "/JavaScript", "/AA"} & set(entry.keys())
            assert str(entry.get("/S", "")) not in {
                "/Launch",
                "/Sound",
                "/Movie",
                "/ResetForm",
                "/ImportData",
            }
            assert "LZWDecode" not in str(entry.get("/Filter", ""))
            # 6.2.11: every font is within, and tells which letters it draws.
            if str(entry.get("/Type", "")) == "/FontDescriptor":
                assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(entry.keys())
            if str(entry.get("/Subtype", "")) == "/Type0":
                assert "/ToUnicode" in entry
        for annotation in annotations(pdf):
            # 6.3: what lies on a page is printed with it.
            assert int(annotation.F) & PRINTED
            assert not int(annotation.F) & HIDDEN_OR_NO_VIEW
        assert pdf.check_pdf_syntax() == []


@pytest.mark.parametrize(("kind", "product"), KINDS)
def test_a_paper_can_be_heard(kind: D, product: P) -> None:
    with pikepdf.open(io.BytesIO(plain_document(kind, product))) as pdf:
        # 5, 7.1, 7.2: says what it is, has a structure, a title and a language.
        assert pdf.open_metadata()["pdfuaid:part"] == "1"
        assert pdf.Root.MarkInfo.Marked
        assert "/Suspects" not in pdf.Root.MarkInfo
        assert str(pdf.docinfo["/Subject"])
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        assert str(pdf.Root.Lang) == "en-US"
        # 7.3: a picture has a text in its place.
        assert all(str(figure.get("/Alt", "")) for figure in elements(pdf, "Figure"))
        # 7.4: headings go down one level at a time.
        levels = [
            int(str(heading.S)[2:]) for heading in elements(pdf, *(f"H{level}" for level in range(1, 7)))
        ]
        assert levels[:1] in ([], [1])
        assert all(after <= before + 1 for before, after in pairwise(levels))
        # 7.18: links and fields can be reached, in the order of the structure, and say what they are.
        for page in pdf.pages:
            assert "/Annots" not in page.obj or str(page.obj.Tabs) == "/S"
        for annotation in annotations(pdf):
            assert "/StructParent" in annotation
            assert str(annotation.get("/Contents", annotation.get("/TU", "")))


def test_a_paper_of_an_offer_or_a_bind_carries_its_quote_as_data() -> None:
    facts = plain_facts(D.POLICY, P.TEO)
    assert facts.offer is not None
    with pikepdf.open(io.BytesIO(plain_document(D.POLICY, P.TEO))) as pdf:
        (named,) = pdf.Root.AF
        data = json.loads(named.EF.F.read_bytes())

        assert str(named.AFRelationship) == "/Data"
        assert str(named.EF.F.Subtype) == "/application/json"
        assert [str(name) for name in pdf.attachments] == ["quote.json"]
    assert data["quote_identifier"] == facts.quote_identifier
    assert (data["premium"], data["total"]) == (facts.offer.premium, float(facts.offer.total))
    assert data["dates"]["teo_retroactive_date"] == "2024-03-01"
    assert data["policy_number"] == "TEO-26-0001234-7-00"
    assert len(data["coverages"]) == len(facts.offer.coverages)
    assert set(data) <= set(QuoteBody.__struct_fields__)


def test_a_comparison_carries_the_quotes_of_all_its_options() -> None:
    with pikepdf.open(io.BytesIO(plain_document(D.COMPARISON, P.CYB))) as pdf:
        quotes = json.loads(pdf.attachments["quote.json"].get_file().read_bytes())["quotes"]

    assert [quote["premium"] for quote in quotes] == [1_670, 2_284, 1_070]


@pytest.mark.parametrize("kind", [kind for kind in D if kind not in WITH_DATA])
def test_other_papers_carry_no_file(kind: D) -> None:
    with pikepdf.open(io.BytesIO(plain_document(kind, P.TEO))) as pdf:
        assert "/AF" not in pdf.Root


@pytest.mark.parametrize(("kind", "product"), KINDS)
def test_every_row_of_a_table_has_its_header(kind: D, product: P) -> None:
    with pikepdf.open(io.BytesIO(plain_document(kind, product))) as pdf:
        rows = [children(row) for row in elements(pdf, "TR")]
        heads = [row for row in rows if {str(cell.S) for cell in row} == {"/TH"} and len(row) > 1]
        others = [row for row in rows if row not in heads]

        assert all(attribute(cell, "/Scope") == "/Column" for head in heads for cell in head)
        for row in others:
            spoken = [cell for cell in row if "/K" in cell and (children(cell) or cell.K != [])]
            assert [str(cell.S) for cell in spoken] == ["/TH"] + ["/TD"] * (len(spoken) - 1)
            assert attribute(spoken[0], "/Scope") == "/Row"


@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, D.APPLICATION, D.POLICY_SPECIMEN, D.SECURITY_REPORT])
def test_no_text_is_outside_of_the_structure(kind: D) -> None:
    # 7.1: what is on a page is content with a place in the structure, or marked as decoration.
    with pikepdf.open(io.BytesIO(plain_document(kind, P.CYB))) as pdf:
        for page in pdf.pages:
            depth = 0
            for instruction in pikepdf.parse_content_stream(page):
                operator = str(instruction.operator)
                depth += operator in {"BMC", "BDC"}
                depth -= operator == "EMC"
                assert depth > 0 or operator not in SHOWS_TEXT
