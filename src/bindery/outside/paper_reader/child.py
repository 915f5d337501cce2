"""Reads one uploaded file and prints what it found as JSON; runs in a process of its own with limits.

Whatever a hostile file does here ends with this process: its memory, time and files are bounded before the
first byte is looked at, and its environment holds no secret.
"""

import io
import json
import re
import resource
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Final

MEMORY_BYTES: Final = 1024 * 1024 * 1024
CPU_SECONDS: Final = 8
LOOK_FOR_CODES_S: Final = 4.0
MOST_PAGES: Final = 60
MOST_PICTURED_PAGES: Final = 20
MOST_CHARACTERS: Final = 400_000
MOST_PIXELS: Final = 80_000_000
MOST_XML_BYTES: Final = 20_000_000
DOTS_PER_POINT: Final = 2.5
PAGE_PICTURE_SHARE: Final = 0.5
_TAG = re.compile(r"<[^>]*>")
_PARAGRAPH_END = re.compile(r"</w:p>|<w:br\s*/>|<w:tab\s*/>")

Reading = dict[str, Any]


def main() -> None:
    """Read standard input as the kind of file that the first argument names."""
    limit_this_process()
    read = READERS[sys.argv[1]]
    try:
        found = read(sys.stdin.buffer)
    except MemoryError:
        found = {"flaw": "The file needs more memory than it may take."}
    except Exception as fault:  # noqa: BLE001 - the libraries raise anything over a broken file
        found = {"flaw": f"The file is broken: {type(fault).__name__}."}
    sys.stdout.write(json.dumps(found))


def limit_this_process() -> None:
    """Bound memory and processor time, and allow no new files and no core dump."""
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (ceiling, ceiling))


def read_pdf(file: BinaryIO) -> Reading:
    """Give the text of a PDF and, where its pages are pictures, the codes on them."""
    from pypdf import PdfReader  # noqa: PLC0415 - imported under the limits

    content = file.read()
    document = PdfReader(io.BytesIO(content), strict=False)
    if document.is_encrypted and not document.decrypt(""):
        return {"flaw": "The file is encrypted."}
    pages = len(document.pages)
    texts: list[str] = []
    for number in range(min(pages, MOST_PAGES)):
        texts.append(document.pages[number].extract_text())
        if sum(map(len, texts)) > MOST_CHARACTERS:
            break
    pictured, codes = _look_at_pages(content)
    return {
        "text": "\n".join(texts)[:MOST_CHARACTERS],
        "codes": codes,
        "pages": pages,
        "pictured": pictured,
    }


def _look_at_pages(content: bytes) -> tuple[bool, list[str]]:
    """Draw pages until a code is found or the time for it is up; say whether any page is one big picture."""
    import pypdfium2 as pdfium  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; as above
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    until = time.monotonic() + LOOK_FOR_CODES_S
    codes: list[str] = []
    pictured = False
    document = pdfium.PdfDocument(content)
    for number in range(min(len(document), MOST_PICTURED_PAGES)):
        if time.monotonic() > until:
            break
        page = document[number]
        width, height = page.get_size()
        for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
            left, bottom, right, top = picture.get_bounds()
            pictured |= (right - left) * (top - bottom) > PAGE_PICTURE_SHARE * width * height
        scale = min(DOTS_PER_POINT, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
        if not codes:
            codes += _codes_in(page.render(scale=scale, grayscale=True).to_pil())
        page.close()
    return pictured, codes


def read_picture(file: BinaryIO) -> Reading:
    """Give the codes on a picture or on the pages of a TIFF."""
    from PIL import Image, ImageSequence  # noqa: PLC0415 - as above

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2  # twice that is refused by the library
    picture = Image.open(file)
    codes: list[str] = []
    pages = getattr(picture, "n_frames", 1)
    for number, frame in enumerate(ImageSequence.Iterator(picture)):
        if number >= MOST_PICTURED_PAGES or codes:
            break
        codes += _codes_in(frame.convert("L"))
    return {"codes": codes, "pages": pages, "pictured": True}


def read_docx(file: BinaryIO) -> Reading:
    """Give the text of a Word document and the codes on its pictures."""
    from PIL import Image  # noqa: PLC0415 - as above

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2
    with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        text = "\n".join(_words_of(archive, name) for name in archive.namelist() if _holds_text(name))
        codes = [code for picture in _pictures_of(archive) for code in _codes_in(picture)]
    return {"text": text[:MOST_CHARACTERS], "codes": codes}


def _holds_text(name: str) -> bool:
    return re.fullmatch(r"word/(document|header\d*|footer\d*)\.xml", name) is not None


def _words_of(archive: zipfile.ZipFile, name: str) -> str:
    # Read up to a limit rather than by the size that the archive claims.
    with archive.open(name) as part:
        xml = part.read(MOST_XML_BYTES).decode("utf-8", "replace")
    plain = _TAG.sub("", _PARAGRAPH_END.sub("\n", xml))
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        plain = plain.replace(entity, character)
    return plain


def _pictures_of(archive: zipfile.ZipFile) -> Iterator[Any]:
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - as above

    names = [name for name in archive.namelist() if name.startswith("word/media/")]
    for name in names[:MOST_PICTURED_PAGES]:
        with archive.open(name) as part:
            try:
                yield Image.open(io.BytesIO(part.read(MOST_XML_BYTES))).convert("L")
            except UnidentifiedImageError:
                continue


def _codes_in(picture: Any) -> list[str]:  # noqa: ANN401 - a picture of a library without types
    import zxingcpp  # noqa: PLC0415 - as above

    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    return [code.text for code in found if code.text]


READERS: Final[Mapping[str, Callable[[BinaryIO], Reading]]] = {
    "application/pdf": read_pdf,
    "image/png": read_picture,
    "image/jpeg": read_picture,
    "image/tiff": read_picture,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": read_docx,
}

if __name__ == "__main__":
    main()
