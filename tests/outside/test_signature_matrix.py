"""What a signed application turns out to be, however it comes back: filled in, scanned or photographed."""

import io
import json
import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

import msgspec
import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from reportlab.pdfgen.canvas import Canvas

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.application_marks import ApplicationMark
from bindery.domain.documents.application_matching import (
    PaperReading,
    match_application,
    other_quote_in,
)
from bindery.domain.documents.facts import DocumentFacts
from bindery.outside.upload_reader import child
from documents.cases import Body, facts_of
from documents.reading import plain_facts
from support import papers

PDF: Final = "application/pdf"
LONGER, USUAL, NOTICED, LICENSED = "longer", "usual", "with a notice to sign", "with a license"
"""Applications: signed on page 3, signed on page 2, with another signature, with a producer's license."""
Strokes = Sequence[tuple[float, float]]
Place = tuple[float, float, float, float]
"""Left, top, right and bottom of the signature field in points from the top left."""


def facts_in(product: InsuranceProduct, state: str) -> DocumentFacts:
    def moved(body: Body) -> None:
        body["client"]["address"]["state"] = state

    return facts_of(product, moved)


@cache
def facts(of: str) -> DocumentFacts:
    if of == NOTICED:
        return facts_in(InsuranceProduct.TEO, "CA")
    if of == LICENSED:
        return facts_in(InsuranceProduct.TEO, "FL")
    return plain_facts(
        DocumentType.APPLICATION, InsuranceProduct.CYB if of == USUAL else InsuranceProduct.TEO
    )


@cache
def issued(of: str = LONGER) -> bytes:
    return render(DocumentType.APPLICATION, facts(of))


@cache
def count(of: str) -> int:
    return len(pdfium.PdfDocument(issued(of)))


@cache
def place(of: str = LONGER, name: str = "signature") -> Place:
    with pikepdf.open(io.BytesIO(issued(of))) as pdf:
        (field,) = (field for field in pdf.Root.AcroForm.Fields if str(field.T) == name)
        left, bottom, right, top = (float(edge) for edge in field.Rect.as_list())
    return left, 792 - top, right, 792 - bottom


# What people write with.


def name_by_hand(on: Place) -> Strokes:
    left, _, _, bottom = on
    chance = random.Random(1)
    x, strokes = left + 20, []
    for _ in range(30):
        x += chance.uniform(-1, 5.5)
        strokes.append((x, bottom - 4 + chance.uniform(-16, 6)))
    return strokes


def initials(on: Place) -> Strokes:
    left, _, _, bottom = on
    steps = [(30, 2), (36, 16), (42, 2), (33, 8), (40, 8), (50, 15), (48, 2), (58, 3)]
    return [(left + right, bottom - up) for right, up in steps]


PEN: Final = (name_by_hand, 40, 1.2)
PENCIL: Final = (name_by_hand, 140, 0.8)
LIGHT_INITIALS: Final = (initials, 150, 0.7)
Signing = tuple[Callable[[Place], Strokes], int, float]


def page(
    number: int, *, dpi: float, signed: Signing | None, of: str = LONGER, at: str = "signature"
) -> Image.Image:
    """A page as it comes out of a scanner, signed on the last one."""
    scale = dpi / 72
    picture: Image.Image = (
        pdfium.PdfDocument(issued(of))[number - 1].render(scale=scale).to_pil().convert("L")
    )
    if signed is not None and number == count(of):
        strokes, shade, width = signed
        line = [(x * scale, y * scale) for x, y in strokes(place(of, at))]
        ImageDraw.Draw(picture).line(line, fill=shade, width=max(1, round(width * scale)), joint="curve")
    return picture


# What happens to it on the way.


def noisy(picture: Image.Image, sigma: float) -> Image.Image:
    # Noise of the library's own is not seeded: the same test would see another picture each time.
    chance = random.Random(3)
    tile = Image.new("L", (256, 256))
    tile.putdata([max(0, min(255, int(chance.gauss(128, sigma)))) for _ in range(256 * 256)])
    grain = Image.new("L", picture.size)
    for x in range(0, picture.width, 256):
        for y in range(0, picture.height, 256):
            grain.paste(tile.rotate(90 * ((x + 3 * y) // 256)), (x, y))
    return ImageChops.add(picture, grain, 1, -128)


def photographed(picture: Image.Image) -> Image.Image:
    """Slanted, on a dark table, with a shadow over it."""
    width, height = picture.size
    canvas = (int(width * 1.3), int(height * 1.2))
    corners = [
        (x * canvas[0], y * canvas[1]) for x, y in ((0.05, 0.06), (0.93, 0.02), (1.0, 0.97), (0.0, 0.9))
    ]
    slant = _slant(corners, [(0, 0), (width, 0), (width, height), (0, height)])
    seen = picture.transform(
        canvas, Image.Transform.PERSPECTIVE, slant, Image.Resampling.BICUBIC, fillcolor=90
    )
    shadow = Image.linear_gradient("L").resize(seen.size).point(lambda value: 140 + value * 110 // 255)
    return ImageChops.multiply(seen, shadow).filter(ImageFilter.GaussianBlur(0.7))


def _slant(seen: Sequence[tuple[float, float]], page: Sequence[tuple[float, float]]) -> list[float]:
    rows = []
    for (x, y), (u, v) in zip(seen, page, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    for place in range(8):
        pivot = max(range(place, 8), key=lambda row: abs(rows[row][place]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        for row in range(8):
            if row != place:
                factor = rows[row][place] / rows[place][place]
                rows[row] = [own - factor * other for own, other in zip(rows[row], rows[place], strict=True)]
    return [rows[place][8] / rows[place][place] for place in range(8)]


def turned(picture: Image.Image, degrees: float) -> Image.Image:
    return picture.rotate(degrees, expand=True, fillcolor=250, resample=Image.Resampling.BICUBIC)


def faxed(picture: Image.Image) -> Image.Image:
    return picture.resize((1728, 1078)).point(lambda value: 255 if value > 150 else 0).convert("1")


def recompressed(picture: Image.Image, quality: int) -> Image.Image:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("L")


def scanned(
    *pages: int,
    signed: Signing | None = None,
    dpi: float = 150,
    by: Callable[[Image.Image], Image.Image] | None = None,
    kind: str = "PDF",
    of: str = LONGER,
    at: str = "signature",
) -> bytes:
    pictures = [
        page(number, dpi=dpi, signed=signed, of=of, at=at) for number in pages or range(1, count(of) + 1)
    ]
    first, *others = [by(picture) if by else picture for picture in pictures]
    file = io.BytesIO()
    more: dict[str, Any] = {"save_all": True, "append_images": others} if kind != "JPEG" else {}
    first.save(file, kind, resolution=dpi, **more)
    return file.getvalue()


# What is done to the file itself.


def edited(change: Callable[[pikepdf.Pdf], None], of: str = LONGER) -> bytes:
    with pikepdf.open(io.BytesIO(issued(of))) as pdf:
        change(pdf)
        file = io.BytesIO()
        pdf.save(file)
    return file.getvalue()


def only(*numbers: int) -> bytes:
    def cut(pdf: pikepdf.Pdf) -> None:
        for number in reversed(range(1, count(LONGER) + 1)):
            if number not in numbers:
                del pdf.pages[number - 1]

    return edited(cut)


def written(number: int, x: float, y: float, words: str, of: str = LONGER) -> bytes:
    """The file with words printed over a page, at points from its top left."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(612, 792))
    canvas.drawString(x, 792 - y, words)
    canvas.save()

    def overlay(pdf: pikepdf.Pdf) -> None:
        with pikepdf.open(io.BytesIO(file.getvalue())) as over:
            pdf.pages[number - 1].add_overlay(over.pages[0], None)

    return edited(overlay, of)


def annotated(number: int, subtype: str, box: Place, of: str = LONGER, **more: Any) -> bytes:
    left, top, right, bottom = box

    def annotate(pdf: pikepdf.Pdf) -> None:
        annotation = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name(subtype),
            Rect=[left, 792 - bottom, right, 792 - top],
            **more,
        )
        pdf.pages[number - 1].Annots.append(pdf.make_indirect(annotation))

    def with_list(pdf: pikepdf.Pdf) -> None:
        if "/Annots" not in pdf.pages[number - 1]:
            pdf.pages[number - 1].Annots = pikepdf.Array()
        annotate(pdf)

    return edited(with_list, of)


def digitally_signed() -> bytes:
    def seal(pdf: pikepdf.Pdf) -> None:
        (field,) = (field for field in pdf.Root.AcroForm.Fields if str(field.T) == "signature")
        field.V = pikepdf.Dictionary(
            Type=pikepdf.Name.Sig, Filter=pikepdf.Name("/Adobe.PPKLite"), Contents=pikepdf.String("x" * 40)
        )

    return edited(seal)


def inside(of: str = LONGER, name: str = "signature") -> Place:
    left, top, right, bottom = place(of, name)
    return left + 20, top + 2, right - 60, bottom - 2


JPEG: Final = "image/jpeg"
F, N, C = "found", "not_found", "cannot_tell"
ALL, BOTH, SIGNATURE_PAGE = (3, 3), (2, 2), (1, 3)
Row = tuple[Callable[[], bytes], str, str | None, tuple[int, int] | None]

FAX = {"dpi": 204, "by": faxed}
CHEAP: Final[dict[str, Row]] = {
    "as it was issued": (issued, "matched", N, ALL),
    "saved again without values": (lambda: edited(lambda _: None), "matched", N, ALL),
    "typed into the form": (lambda: papers.signed(issued()), "matched", F, ALL),
    "only the date typed": (lambda: papers.signed(issued(), date="11/16/2026"), "matched", N, ALL),
    "digitally signed": (digitally_signed, "matched", F, ALL),
    "drawn as ink": (
        lambda: annotated(3, "/Ink", inside(), InkList=[[90.0, 620.0, 120.0, 630.0]]),
        "matched",
        F,
        ALL,
    ),
    "stamped": (lambda: annotated(3, "/Stamp", inside()), "matched", F, ALL),
    "typed over the box": (
        lambda: annotated(3, "/FreeText", inside(), Contents="Ann Example"),
        "matched",
        F,
        ALL,
    ),
    "flattened by a platform": (
        lambda: written(3, place()[0] + 9, place()[3] - 4, "Ann Example"),
        "matched",
        F,
        ALL,
    ),
    "a platform's line on top": (lambda: written(1, 60, 20, "Envelope 7F3A"), "matched", N, ALL),
    "words beside an answer": (lambda: written(1, 400, 500, "Yes, see attached"), "altered", N, ALL),
    "a note beside an answer": (
        lambda: annotated(1, "/FreeText", (400, 490, 500, 510), Contents="Yes, see attached"),
        "altered",
        N,
        ALL,
    ),
    "an answer struck out": (
        lambda: annotated(1, "/StrikeOut", (400, 490, 500, 510), QuadPoints=[400, 300, 500, 300]),
        "altered",
        N,
        ALL,
    ),
    "without the signature page": (lambda: only(1, 2), "matched", C, (2, 3)),
    "without the answers": (lambda: only(1, 3), "matched", N, (2, 3)),
    "a letter": (lambda: papers.letter("Dear broker"), "not_recognized", C, None),
    "scan, signed": (lambda: scanned(signed=PEN), "matched", F, ALL),
    "scan, nobody signed": (scanned, "matched", N, ALL),
    "scan of pages 1 and 2": (lambda: scanned(1, 2, dpi=100), "matched", C, (2, 3)),
}
WORDS: Final = "Ann Example, 11/16/2026"
APART: Final[dict[str, tuple[str, Row]]] = {
    f"{name}, {way}": (of, (make, "matched", signature, ALL))
    for of, name in ((NOTICED, "disclosure_signature"), (LICENSED, "license"))
    for way, make, signature in (
        (
            "typed into the form",
            partial(lambda of, name: papers.signed(issued(of), **{name: WORDS}), of, name),
            N,
        ),
        ("drawn", partial(lambda of, name: annotated(3, "/Ink", inside(of, name), of), of, name), N),
        ("stamped", partial(lambda of, name: annotated(3, "/Stamp", inside(of, name), of), of, name), N),
        (
            "typed over",
            partial(
                lambda of, name: annotated(3, "/FreeText", inside(of, name), of, Contents=WORDS), of, name
            ),
            N,
        ),
        (
            "flattened by a platform",
            partial(
                lambda of, name: written(3, place(of, name)[0] + 9, place(of, name)[3] - 4, WORDS, of),
                of,
                name,
            ),
            N,
        ),
        ("scanned", partial(scanned, signed=PEN, of=of, at=name), N),
        ("scanned, and signed below", partial(scanned, signed=PEN, of=of), F),
    )
}
WAYS: Final[dict[str, dict[str, Any]]] = {
    "100 dpi": {"dpi": 100},
    "150 dpi": {"dpi": 150},
    "200 dpi": {"dpi": 200},
    "300 dpi": {"dpi": 300},
    "turned 2°": {"by": partial(turned, degrees=2)},
    "turned 3° at 100 dpi": {"dpi": 100, "by": partial(turned, degrees=-3)},
    "upside down": {"by": partial(turned, degrees=180)},
    "noise": {"by": partial(noisy, sigma=10)},
    "noise at 100 dpi": {"dpi": 100, "by": partial(noisy, sigma=8)},
    "JPEG 40": {"by": partial(recompressed, quality=40)},
    "JPEG 40 at 100 dpi": {"dpi": 100, "by": partial(recompressed, quality=40)},
    "one bit": {"dpi": 200, "by": lambda picture: picture.convert("1")},
    "blurred": {"by": lambda picture: picture.filter(ImageFilter.GaussianBlur(1.5))},
    "fax": FAX,
    "fax as TIFF": {**FAX, "kind": "TIFF"},
    "photos, slanted and shaded": {"dpi": 200, "by": photographed},
}
WITH: Final[dict[str, tuple[Signing | None, str]]] = {
    "nobody signed": (None, N),
    "pen": (PEN, F),
    "pencil": (PENCIL, F),
    "light initials": (LIGHT_INITIALS, F),
}
ALONE: Final[dict[str, Row]] = {
    "photo of the signed page": (
        lambda: scanned(3, signed=PEN, dpi=200, by=photographed, kind="JPEG"),
        "matched",
        F,
        SIGNATURE_PAGE,
    ),
    "photo of that page, not signed": (
        lambda: scanned(3, dpi=200, by=photographed, kind="JPEG"),
        "matched",
        N,
        SIGNATURE_PAGE,
    ),
    "photo of page 1": (
        lambda: scanned(1, dpi=200, by=photographed, kind="JPEG"),
        "matched",
        C,
        SIGNATURE_PAGE,
    ),
    "small blurred photo": (lambda: scanned(3, signed=PEN, dpi=40, kind="JPEG"), "unreadable", C, None),
}
LONG: Final[dict[str, Row]] = {
    f"{way}, {pen}": (partial(scanned, signed=signing, of=USUAL, **made), "matched", signature, BOTH)
    for way, made in WAYS.items()
    for pen, (signing, signature) in WITH.items()
}
IN_SHORT: Final = {name for name, (of, _) in APART.items() if of == NOTICED} | {"license, typed over"}
"""Every way to fill in one place, and one way for the other; `make test-long` tries all."""


def judged(content: bytes, of: str) -> tuple[str, str | None, tuple[int, int] | None]:
    """Read a file as the child process does, and judge it."""
    kind = PDF if content.startswith(b"%PDF") else "image/tiff" if content[:2] in {b"II", b"MM"} else JPEG
    read = child.read(io.BytesIO(content), kind, io.BytesIO(issued(of)))
    reading = msgspec.json.decode(json.dumps(read), type=PaperReading)
    mark = ApplicationMark(facts(of).quote_identifier, facts(of).fingerprint)
    assert other_quote_in(reading, mark) is None
    finding = match_application(reading, mark)
    pages = (finding.pages.found, finding.pages.of) if finding.pages else None
    return finding.verdict.value, finding.signature, pages


def check(row: Row, of: str = LONGER) -> None:
    make, finding, signature, pages = row
    assert judged(make(), of) == (finding, signature, pages)


@pytest.mark.parametrize("name", CHEAP)
def test_an_application_is_what_it_looks_like(name: str) -> None:
    check(CHEAP[name])


@pytest.mark.parametrize(
    "name", [name if name in IN_SHORT else pytest.param(name, marks=pytest.mark.long) for name in APART]
)
def test_what_is_filled_in_elsewhere_is_neither_the_signature_nor_a_change(name: str) -> None:
    of, row = APART[name]
    check(row, of)


def test_words_are_a_change_also_where_there_is_more_to_fill_in() -> None:
    made = written(1, 400, 500, "Yes, see attached", NOTICED)
    assert judged(made, NOTICED) == ("altered", N, ALL)


@pytest.mark.long
@pytest.mark.parametrize("name", ALONE)
def test_a_photo_of_one_page_is_what_it_looks_like(name: str) -> None:
    check(ALONE[name])


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_a_picture_of_an_application_is_what_it_looks_like(name: str) -> None:
    check(LONG[name], USUAL)
