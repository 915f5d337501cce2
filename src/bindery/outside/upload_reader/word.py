"""Reading a Word document: its words, and the codes on its pictures."""

import io
import re
import time
import zipfile
from typing import Any, BinaryIO, Final
from xml.parsers import expat

from bindery.outside.upload_reader.pdf import MOST_CHARACTERS
from bindery.outside.upload_reader.pictures import LOOK_FOR_CODES_S, codes_in, open_picture

DOCUMENT: Final = "word/document.xml"
MOST_XML_BYTES: Final = 16_000_000
"""Of all parts together, unpacked; a long contract has one or two million."""
MOST_PICTURES: Final = 20
MOST_PICTURE_BYTES: Final = 25_000_000
PICTURE_KINDS: Final = ("PNG", "JPEG", "TIFF", "GIF", "BMP")
ENCRYPTED_PART: Final = 0x1

_EDGE = re.compile(r"word/(?:header|footer)[0-9]*\.xml")
_LINE_ENDS: Final = frozenset({"w:p", "w:br", "w:tab"})


class EncryptedWord(Exception):
    """The parts do not open without a password."""


class TooMuchText(Exception):
    """The parts would unpack to more than is read."""


class NotAWordDocument(Exception):
    """The parts are packed or written in a way that no Word document is."""


def read_word_document(file: BinaryIO) -> dict[str, Any]:
    """Return the words of a document with its headers and footers, and the codes on its pictures.

    Raises:
        Encrypted: it does not open without a password.
        TooMuchText: it would unpack to too much.
        NotAWordDocument: Word would not open it either.
    """
    with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        edges = (part for part in archive.infolist() if _EDGE.fullmatch(part.filename))
        left = MOST_XML_BYTES
        texts = []
        for part in (archive.getinfo(DOCUMENT), *edges):
            xml = _unpacked(archive, part, most=left + 1)
            left -= len(xml)
            if left < 0:
                raise TooMuchText
            texts.append(_words_of(xml))
        return {"text": "\n".join(texts)[:MOST_CHARACTERS], "codes": _codes_in(archive)}


def _unpacked(archive: zipfile.ZipFile, part: zipfile.ZipInfo, *, most: int) -> bytes:
    """Unpack a part up to a limit, whatever size the archive claims."""
    if part.flag_bits & ENCRYPTED_PART:
        raise EncryptedWord
    # Other ways of packing unpack in leaps that no limit holds back.
    if part.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise NotAWordDocument
    with archive.open(part) as packed:
        return packed.read(most)


def _words_of(xml: bytes) -> str:
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = found.append
    parser.EndElementHandler = lambda name: found.append("\n") if name in _LINE_ENDS else None
    parser.StartDoctypeDeclHandler = _refuse
    # In one piece: a parser that is fed by and by begins again at the start of whatever is not complete yet.
    parser.Parse(xml, True)  # noqa: FBT003 - says that this is all of it
    return "".join(found)


def _refuse(*_: object) -> None:
    """Refuse declarations, which Word documents do not have and which can make much out of little."""
    raise NotAWordDocument


def _codes_in(archive: zipfile.ZipFile) -> list[str]:
    until = time.process_time() + LOOK_FOR_CODES_S
    codes: list[str] = []
    pictures = [part for part in archive.infolist() if part.filename.startswith("word/media/")]
    for part in pictures[:MOST_PICTURES]:
        if codes or time.process_time() > until:
            break
        try:
            content = _unpacked(archive, part, most=MOST_PICTURE_BYTES)
            codes += codes_in(open_picture(io.BytesIO(content), *PICTURE_KINDS))
        except Exception:  # noqa: BLE001, S112 - a document with a picture that does not open is no broken document
            continue
    return codes
