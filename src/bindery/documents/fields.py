"""Fields to fill in on the screen: links of a finished PDF that name a field become fields of a form.

The changes are appended to the file, as PDF foresees it, so that what was set stays byte for byte. Typst
writes its objects plainly, each on a line, which is all that is relied on here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

LABELS: Final = {
    "signature": "Signature",
    "date": "Date signed",
    "name": "Printed name",
    "title": "Title",
    "exceptions": "Exceptions, or none",
    "license": "License number of the producer",
    "keep": "I keep the coverage for certified acts of terrorism",
    "decline": "I decline the coverage for certified acts of terrorism",
    "holder": "Name of the certificate holder",
    "holderstreet": "Street of the certificate holder",
    "holdercity": "City, state and ZIP code of the certificate holder",
    "disclosure_signature": "Signature of the applicant for the surplus lines notice",
    "disclosure_date": "Date on which the surplus lines notice was signed",
    "insured_signature": "Signature of the insured",
    "insured_date": "Date signed by the insured",
    "insured_name": "Printed name of the person who signs for the insured",
    "insured_title": "Title of the person who signs for the insured",
    "searched": "A diligent effort was made",
    "exempt": "The insured is an exempt commercial purchaser",
    "listed": "No diligent effort is required for another reason",
    "reason": "Why no diligent effort is required",
    "transaction": "Transaction number of the state",
    "producer_signature": "Signature of the producer",
    "producer_date": "Date signed by the producer",
    "producer_name": "Printed name of the producer",
    "producer_license": "License number of the producer",
} | {
    f"declined_{row}_{column}": f"{title} that declined, number {row}"
    for row in range(1, 4)
    for column, title in (("insurer", "Insurer"), ("person", "Person at the insurer"), ("day", "Day"))
}
TO_MARK: Final = frozenset({"keep", "decline", "searched", "exempt", "listed"})
FACE: Final = b"/Times 10 Tf 0 g"
"""The type of what is filled in: of those that every reader has, the one nearest to the document's face."""

_FIELD: Final = re.compile(rb"\n(\d+) 0 obj\n<<[^\n]*/Subtype/Link[^\n]*\(field:([a-z0-9_]+)\)[^\n]*\nendobj")
_RECTANGLE: Final = re.compile(rb"/Rect\[([-\d. ]+)\]")
_PARENT: Final = re.compile(rb"/StructParent \d+")
_LINK_ELEMENT: Final = re.compile(rb"\n(\d+) 0 obj\n(<</Type/StructElem/S/Link[^\n]*)\nendobj")
_WIDGET: Final = re.compile(rb"\n(\d+) 0 obj\n(<<[^\n]*/Subtype/Widget[^\n]*/T\(([a-z]+)\)[^\n]*)\nendobj")
_TRAILER: Final = re.compile(
    rb"trailer\s*<</Size (\d+)/Root (\d+) 0 R([\s\S]*?)>>\s*startxref\s*(\d+)\s*%%EOF\s*$"
)


@dataclass(frozen=True, slots=True)
class _Found:
    number: int
    name: str
    rectangle: bytes
    parent: bytes


def with_fields(pdf: bytes) -> bytes:
    found = list(_fields(pdf))
    if not found:
        return pdf
    trailer = _TRAILER.search(pdf)
    assert trailer is not None, "typst ends a file with a trailer"
    size, root = int(trailer[1]), int(trailer[2])
    changed = _form_elements(pdf, {field.number for field in found})
    empty, marked = size, size + 1
    changed |= {empty: _drawing(b""), marked: _drawing(b"1.2 w 2 5 m 4 2 l 8 8 l S")}
    for field in found:
        changed[field.number] = _widget(field, empty, marked)
    names = b" ".join(b"%d 0 R" % field.number for field in found)
    catalog = _object(pdf, root)
    font = b"<</Font<</Times<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>>>>>"
    form = b"/AcroForm<</Fields[%s]/DA(%s)/DR%s>>>>" % (names, FACE, font)
    changed[root] = catalog.removesuffix(b">>") + form
    return pdf + _update(pdf, changed, size=size + 2, trailer=trailer)


def filled_in(pdf: bytes, values: Mapping[str, str]) -> bytes:
    """Fill in the fields of a document of ours, as somebody does on the screen who signs by typing."""
    trailer = _TRAILER.search(pdf, pdf.rindex(b"trailer"))
    assert trailer is not None, "our own update ends the file"
    size = int(trailer[1])
    changed: dict[int, bytes] = {}
    for match in _WIDGET.finditer(pdf):
        value = values.get(match[3].decode())
        rectangle = _RECTANGLE.search(match[2])
        if value is None or rectangle is None:
            continue
        text = value.encode("latin-1", "replace").translate(None, b"\\()")
        left, bottom, right, top = map(float, rectangle[1].split())
        changed[size] = _written(text, right - left, top - bottom)
        shown = re.sub(rb"/AP<</N \d+ 0 R>>", b"/AP<</N %d 0 R>>" % size, match[2])
        # A field for a digital signature takes no text: there the name is drawn alone.
        typed = b"" if b"/FT/Sig" in shown else b"/V(%s)" % text
        changed[int(match[1])] = shown.removesuffix(b">>") + typed + b">>"
        size += 1
    return pdf + _update(pdf, changed, size=size, trailer=trailer)


def _written(text: bytes, width: float, height: float) -> bytes:
    font = b"<</Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    content = b"/Tx BMC BT /Helv 11 Tf 0 g 3 5 Td (%s) Tj ET EMC" % text
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 %.2f %.2f]/Resources%s/Length %d>>"
    return head % (width, height, font, len(content)) + b"\nstream\n" + content + b"\nendstream"


def _fields(pdf: bytes) -> Iterator[_Found]:
    for match in _FIELD.finditer(pdf):
        rectangle, parent = _RECTANGLE.search(match[0]), _PARENT.search(match[0])
        assert rectangle is not None, "a link has a place"
        yield _Found(int(match[1]), match[2].decode(), rectangle[1], parent[0] if parent else b"")


def _form_elements(pdf: bytes, fields: set[int]) -> dict[int, bytes]:
    changed = {}
    for match in _LINK_ELEMENT.finditer(pdf):
        if any(int(number) in fields for number in re.findall(rb"/Obj (\d+) 0 R", match[2])):
            changed[int(match[1])] = match[2].replace(b"/S/Link", b"/S/Form", 1)
    return changed


def _widget(field: _Found, empty: int, marked: int) -> bytes:
    """Write a field that is its own widget, printed, with an appearance of its own as archives want it."""
    label = LABELS[field.name].encode()
    if field.name in TO_MARK:
        states = b"/FT/Btn/AS/Off/V/Off/AP<</N<</Yes %d 0 R/Off %d 0 R>>>>" % (marked, empty)
    else:
        kind = b"/FT/Sig" if field.name.endswith("signature") else b"/FT/Tx/DA(%s)" % FACE
        states = kind + b"/AP<</N %d 0 R>>" % empty
    return b"<</Type/Annot/Subtype/Widget/F 4/Rect[%s]%s/T(%s)/TU(%s)/Contents(%s)%s>>" % (
        field.rectangle,
        field.parent,
        field.name.encode(),
        label,
        label,
        states,
    )


def _drawing(content: bytes) -> bytes:
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 10 10]/Resources<<>>/Length %d>>" % len(content)
    return head + b"\nstream\n" + content + b"\nendstream"


def _object(pdf: bytes, number: int) -> bytes:
    start = pdf.rindex(b"\n%d 0 obj\n" % number) + len(b"\n%d 0 obj\n" % number)
    return pdf[start : pdf.index(b"\nendobj", start)]


def _update(pdf: bytes, changed: dict[int, bytes], *, size: int, trailer: re.Match[bytes]) -> bytes:
    out = bytearray(b"\n")
    places = {}
    for number in sorted(changed):
        places[number] = len(pdf) + len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, changed[number])
    start = len(pdf) + len(out)
    out += b"xref\n"
    for number in sorted(places):
        out += b"%d 1\n%010d 00000 n \n" % (number, places[number])
    rest, before = re.sub(rb"/Prev \d+", b"", trailer[3]), int(trailer[4])
    out += b"trailer\n<</Size %d/Root %s 0 R%s/Prev %d>>\n" % (size, trailer[2], rest, before)
    return bytes(out + b"startxref\n%d\n%%%%EOF" % start)
