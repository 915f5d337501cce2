"""Workbooks of many rows: XlsxWriter makes one without rows, and the rows are put into it.

XlsxWriter writes a cell in some twenty microseconds, which for a hundred thousand rows of eighty columns is
minutes. So it makes the workbook with its sheets, heads, widths and formats, and with one row of empty cells,
from which we learn the number of each column's format. The rows themselves are joined column by column in
Arrow, and go into the file without being kept.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.compute as pc
import xlsxwriter

from bindery.documents.bordereaux.columns import FilledColumn, defused
from bindery.domain.bordereaux.template import BordereauColumn
from bindery.domain.bordereaux.values import CellType

MOST_ROWS: Final = 1_048_576
"""Of a sheet, its head included."""
_FORMATS: Final = {
    CellType.MONEY: "#,##0.00",
    CellType.PERCENT: "0.00##",
    CellType.WHOLE: "0",
    CellType.DAY: "yyyy-mm-dd",
}
_NARROWEST, _WIDEST = 12, 40
_SHEET: Final = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_SAMPLE: Final = re.compile(rb'<row r="\d+"[^>]*>(?:<c [^>]*/>)+</row>(?=</sheetData>)')
_STYLE: Final = re.compile(rb'<c r="[A-Z]+\d+"(?: s="(\d+)")?')
_DIMENSION: Final = re.compile(rb'<dimension ref="[^"]*"/>')
_DAY_ZERO: Final = 25_569
"""January 1, 1970, as spreadsheets count days."""
_QUICK: Final = 1
"""The level of compression: a third larger than the usual one, in a third of the time."""
# What XML cannot have, and what spreadsheets take for the number of a character.
_FORBIDDEN: Final = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{FFFE}\x{FFFF}]"
_ESCAPED: Final = r"_(x[0-9A-Fa-f]{4}_)"
_SPECIAL: Final = r"[&<>]|^\s|\s$|" + _FORBIDDEN + "|" + _ESCAPED


class WorkbookWriter:
    """Writes rows into the sheets of a workbook; how many there will be is known before the first."""

    def __init__(
        self,
        path: Path,
        columns: Sequence[BordereauColumn],
        *,
        rows: int,
        title: str,
        note: str,
        at: datetime,
    ) -> None:
        self._head = 2 if note else 1
        self._per_sheet = MOST_ROWS - self._head
        self._rows = rows
        sheets = max(1, -(-rows // self._per_sheet))
        self._width = len(columns)
        skeleton = io.BytesIO(_skeleton(columns, sheets=sheets, title=title, note=note, at=at))
        self._inner = zipfile.ZipFile(skeleton)
        self._outer = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_QUICK)
        for name in self._inner.namelist():
            if not _SHEET.fullmatch(name):
                self._outer.writestr(zipfile.ZipInfo(name), self._inner.read(name), zipfile.ZIP_DEFLATED)
        self._number = 0
        self._sheet: IO[bytes] | None = None
        self._rest = b""
        self._next_row = MOST_ROWS
        self._styles: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and not self._number:
            self._begin_sheet()
        self._end_sheet()
        self._outer.close()

    def write(self, columns: Sequence[FilledColumn]) -> None:
        count = len(columns[0].array)
        start = 0
        while start < count:
            if self._next_row >= MOST_ROWS:
                self._end_sheet()
                self._begin_sheet()
            length = min(count - start, MOST_ROWS - self._next_row)
            part = _rows_of(columns, self._styles, first=self._next_row + 1, start=start, length=length)
            assert self._sheet is not None
            self._sheet.write(part)
            self._next_row += length
            start += length

    def _begin_sheet(self) -> None:
        self._number += 1
        name = f"xl/worksheets/sheet{self._number}.xml"
        xml = self._inner.read(name)
        sample = _SAMPLE.search(xml)
        assert sample is not None, "XlsxWriter wrote the sample row"
        self._styles = [style.decode() for style in _STYLE.findall(sample[0])]
        assert len(self._styles) == self._width
        left = self._rows - (self._number - 1) * self._per_sheet
        last = self._head + min(left, self._per_sheet)
        ref = f'<dimension ref="A1:{_letters(self._width)}{last}"/>'.encode()
        self._sheet = self._outer.open(name, "w", force_zip64=True)
        self._sheet.write(_DIMENSION.sub(ref, xml[: sample.start()], count=1))
        self._rest = xml[sample.end() :]
        self._next_row = self._head

    def _end_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.write(self._rest)
            self._sheet.close()
            self._sheet = None


def _skeleton(
    columns: Sequence[BordereauColumn], *, sheets: int, title: str, note: str, at: datetime
) -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        book.set_properties({"title": title, "comments": note, "created": at.replace(tzinfo=None)})
        bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        warning = book.add_format({"bold": True, "font_color": "#B91C1C"})
        plain = book.add_format({"num_format": "@"})
        formats = {kind: book.add_format({"num_format": text}) for kind, text in _FORMATS.items()}
        for number in range(1, sheets + 1):
            sheet = book.add_worksheet("Bordereau" if number == 1 else f"Bordereau {number}")
            head = 0
            if note:
                sheet.write_string(0, 0, note, warning)
                head = 1
            for place, column in enumerate(columns):
                sheet.write_string(head, place, column.name, bold)
                sheet.set_column(place, place, min(_WIDEST, max(_NARROWEST, len(column.name) * 0.6)))
                sheet.write_blank(head + 1, place, None, formats.get(column.type, plain))
            sheet.freeze_panes(head + 1, 0)
    return content.getvalue()


def _rows_of(
    columns: Sequence[FilledColumn], styles: Sequence[str], *, first: int, start: int, length: int
) -> memoryview:
    """Return rows as XML. Cells without their address stand one after the other, so empty ones are there."""
    numbers = pa.array(range(first, first + length), pa.int64()).cast(pa.string())
    pieces: list[object] = ['<row r="', numbers, '">']
    for filled, style in zip(columns, styles, strict=True):
        if filled.fixed:
            pieces.append(_cell(filled, filled.array.slice(0, 1), style)[0].as_py())
        else:
            pieces.append(_cell(filled, filled.array.slice(start, length), style))
    pieces.append("</row>")
    whole = pc.binary_join_element_wise(*_merged(pieces), "")
    # The texts of an array lie one behind the other.
    _, offsets, texts = whole.buffers()
    end = pa.Array.from_buffers(pa.int32(), length + 1, [None, offsets])[length].as_py()
    return memoryview(texts)[:end]


def _merged(pieces: Sequence[object]) -> Iterator[object]:
    """Join neighbors that are the same in all rows."""
    waiting = ""
    for piece in pieces:
        if isinstance(piece, str):
            waiting += piece
            continue
        if waiting:
            yield waiting
            waiting = ""
        yield piece
    yield waiting


def _cell(filled: FilledColumn, array: pa.Array, style: str) -> pa.Array:
    match filled.column.type:
        case CellType.TEXT:
            opening, closing = f'<c s="{style}" t="inlineStr"><is><t>', "</t></is></c>"
            array = defused(array)
            if pc.any(pc.match_substring_regex(array, _SPECIAL)).as_py():
                opening = opening.replace("<t>", '<t xml:space="preserve">')
                array = _escaped(array)
        case CellType.DAY:
            opening, closing = f'<c s="{style}"><v>', "</v></c>"
            array = pc.add(array.cast(pa.int32()), _DAY_ZERO).cast(pa.string())
        case _:
            opening, closing = f'<c s="{style}"><v>', "</v></c>"
            array = array.cast(pa.string())
    return pc.binary_join_element_wise(opening, array, closing, "").fill_null("<c/>")


def _escaped(array: pa.Array) -> pa.Array:
    array = pc.replace_substring_regex(array, _FORBIDDEN, "\N{REPLACEMENT CHARACTER}")
    array = pc.replace_substring_regex(array, _ESCAPED, r"_x005F_\1")
    for sign in "&<>":
        array = pc.replace_substring(array, sign, escape(sign))
    return array


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
