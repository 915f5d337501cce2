"""Files made to keep a reader busy: each can be made larger, and must then cost in proportion at most."""

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

from PIL import Image, ImageDraw

from bindery.domain.documents.file_types import PaperType
from support import papers

WORD_PARTS = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w:document/>"}
MOST_PARTS = 0xFFFF
"""More are counted in a record of their own, which came later to the format."""
DAY = 1 << 5 | 1
"""The first that a ZIP file can name."""


def _word(parts: Mapping[str, bytes]) -> bytes:
    return papers.word_document(extra=dict(parts))


def open_tags(size: int) -> bytes:
    """A document of nothing but beginnings of tags."""
    return _word({"word/document.xml": b"<" * size})


def long_attribute(size: int) -> bytes:
    """A document of one tag that hardly ends."""
    return _word({"word/document.xml": b'<w:document a="' + b"x" * size + b'"/>'})


def many_elements(size: int) -> bytes:
    return _word({"word/document.xml": b"<w:document>" + b"<w:p/>" * (size // 6) + b"</w:document>"})


def deep_elements(size: int) -> bytes:
    depth = size // 7
    return _word({"word/document.xml": b"<a>" * depth + b"</a>" * depth})


def many_headers(size: int) -> bytes:
    """300 headers of equal size."""
    header = b"<w:hdr>" + b"a " * (size // 600) + b"</w:hdr>"
    return _archive(
        {**WORD_PARTS, **{f"word/header{number}.xml": header for number in range(300)}}, packed=True
    )


def many_parts(size: int) -> bytes:
    """An archive of very many empty parts."""
    return _archive({**WORD_PARTS, **{f"word/media/{number}": b"" for number in range(size // 120)}})


def many_pictures(size: int) -> bytes:
    """20 pictures of noise that no code is in."""
    side = int((size / 20) ** 0.5)
    picture = noise(side * side)
    return _word({f"word/media/{number}.png": picture for number in range(20)})


def _archive(parts: Mapping[str, bytes], *, packed: bool = False) -> bytes:
    """Return a ZIP file as `zipfile` writes it, in a twentieth of the time; equal parts are packed once."""
    stored = {content: _deflated(content) if packed else content for content in set(parts.values())}
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    files, directory, offset = [], [], 0
    facts = {
        content: struct.pack("<2H3I", 0, DAY, zlib.crc32(content), len(stored[content]), len(content))
        for content in stored
    }
    for name, content in parts.items():
        # Version 2.0, no flags; in the directory made on Unix, to be read and written by its owner.
        common = struct.pack("<3H", 20, 0, method) + facts[content] + struct.pack("<2H", len(name), 0)
        file = b"PK\3\4" + common + name.encode() + stored[content]
        files.append(file)
        directory.append(
            b"PK\1\2\x14\3" + common + struct.pack("<3H2I", 0, 0, 0, 0o600 << 16, offset) + name.encode()
        )
        offset += len(file)
    count, length = len(directory), sum(map(len, directory))
    more = b""
    if count > MOST_PARTS:
        more = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, offset)
        more += struct.pack("<4sIQI", b"PK\6\7", 0, offset + length, 1)
    counted = min(count, MOST_PARTS)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, counted, counted, length, offset, 0)
    return b"".join((*files, *directory, more, end))


def _deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


def noise(pixels: int) -> bytes:
    side = int(pixels**0.5)
    file = io.BytesIO()
    Image.frombytes("L", (side, side), random.Random(1).randbytes(side * side)).save(
        file, "PNG", compress_level=1
    )
    return file.getvalue()


def blank_picture(pixels: int) -> bytes:
    side = int(pixels**0.5)
    file = io.BytesIO()
    Image.new("1", (side, side), 1).save(file, "PNG")
    return file.getvalue()


def finder_patterns(pixels: int) -> bytes:
    """A picture of nothing but corners of codes, each pair of which might be the edge of one."""
    side = int(pixels**0.5)
    tile = Image.new("L", (9, 9), 255)
    draw = ImageDraw.Draw(tile)
    draw.rectangle((1, 1, 7, 7), fill=0)
    draw.rectangle((2, 2, 6, 6), fill=255)
    draw.rectangle((3, 3, 5, 5), fill=0)
    row = Image.new("L", (side, 9), 255)
    for left in range(0, side, 9):
        row.paste(tile, (left, 0))
    page = Image.new("L", (side, side), 255)
    for top in range(0, side, 9):
        page.paste(row, (0, top))
    file = io.BytesIO()
    page.save(file, "PNG")
    return file.getvalue()


def many_frames(size: int) -> bytes:
    """A TIFF of very many pages of one pixel."""
    count = size // 64
    entries = ((256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 1), (279, 1))
    length = 2 + 12 * len(entries) + 4
    file = bytearray(b"II*\x00" + struct.pack("<I", 16) + b"\x00" * 8)
    for number in range(count):
        file += struct.pack("<H", len(entries))
        for tag, value in entries:
            file += struct.pack("<HHII", tag, 4, 1, value)
        file += struct.pack("<I", 16 + length * (number + 1) if number + 1 < count else 0)
    return bytes(file)


def many_operators(size: int) -> bytes:
    """A page with very many words, each put in its place."""
    return _page(b"BT /F 8 Tf " + b"1 0 0 1 10 10 Tm (aaaa) Tj " * (size // 27) + b"ET")


def many_shapes(size: int) -> bytes:
    return _page(b"0 0 9 9 re f " * (size // 13))


def long_text(size: int) -> bytes:
    line = b"(" + b"lorem ipsum " * 8 + b") Tj 0 -1 Td "
    return _page(b"BT /F 8 Tf " + line * (size // len(line)) + b"ET")


def many_pages(size: int) -> bytes:
    """60 pages that share one content."""
    return _page(b"BT /F 8 Tf " + b"1 0 0 1 10 10 Tm (aaaa) Tj " * (size // 60 // 27) + b"ET", pages=60)


def _page(content: bytes, *, pages: int = 1) -> bytes:
    packed = zlib.compress(content)
    first = 5
    kids = b" ".join(b"%d 0 R" % (first + number) for number in range(pages))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 3 0 R "
        b"/Resources << /Font << /F 4 0 R >> >> >>"
    )
    return papers._assemble(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *[page] * pages,
        ]
    )


Make = Callable[[int], bytes]

GROWING: dict[str, tuple[Make, PaperType, int]] = {
    "beginnings of tags": (open_tags, PaperType.DOCX, 4_000_000),
    "a long attribute": (long_attribute, PaperType.DOCX, 4_000_000),
    "many elements": (many_elements, PaperType.DOCX, 4_000_000),
    "deep elements": (deep_elements, PaperType.DOCX, 4_000_000),
    "many headers": (many_headers, PaperType.DOCX, 6_000_000),
    "many parts": (many_parts, PaperType.DOCX, 4_000_000),
    "many pictures": (many_pictures, PaperType.DOCX, 8_000_000),
    "noise": (noise, PaperType.PNG, 10_000_000),
    "a blank picture": (blank_picture, PaperType.PNG, 35_000_000),
    "many frames": (many_frames, PaperType.TIFF, 8_000_000),
    "many operators": (many_operators, PaperType.PDF, 3_000_000),
    "many shapes": (many_shapes, PaperType.PDF, 3_000_000),
    "long text": (long_text, PaperType.PDF, 3_000_000),
    "many pages": (many_pages, PaperType.PDF, 6_000_000),
}
"""How to make one, what it is, and a size at which it is read to the end."""

BOMBS: dict[str, tuple[Callable[[], bytes], PaperType]] = {
    "300 headers of 3 MB": (lambda: many_headers(900_000_000), PaperType.DOCX),
    "23 MB of parts": (lambda: many_parts(25_000_000), PaperType.DOCX),
    "23 MB of frames": (lambda: many_frames(13_000_000), PaperType.TIFF),
    "corners of codes": (lambda: finder_patterns(8_000_000), PaperType.PNG),
    "too many pixels": (lambda: blank_picture(140_000_000), PaperType.PNG),
    "a page of gigabytes": (papers.pdf_bomb, PaperType.PDF),
    "a page without end": (papers.endless_page, PaperType.PDF),
}
"""The worst that we know of."""
