"""Workbooks of many rows: XlsxWriter makes one without rows, and the rows are put into it.

XlsxWriter writes a cell in some twenty microseconds, which for a hundred thousand rows of eighty columns is
minutes. So it makes the workbook with its sheets, heads, widths and formats, and with one row that has what
is the same in all rows: from it we learn these cells, and the number of each other column's format. The rows
themselves are joined column by column in Arrow, and go into the file without being kept.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.compute as pc
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from bindery.base.spreadsheets import harmless
from bindery.documents.bordereaux.columns import fixed_cell, is_fixed
from bindery.domain.bordereaux.lines import BordereauFrame
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
_SAMPLE_ADDRESS: Final = re.compile(r' r="[A-Z]+\d+"')
_COUNT: Final = re.compile(rb' count="\d+"')
_DIMENSION: Final = re.compile(r'<dimension ref="[^"]*"/>')
_DAY_ZERO: Final = 25_569
"""January 1, 1970, as spreadsheets count days."""
_TEXTS: Final = "xl/sharedStrings.xml"
EMPTY: Final = "<c/>"
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
        frame: BordereauFrame,
        *,
        rows: int,
        title: str,
        note: str,
        at: datetime,
    ) -> None:
        self._columns = columns
        self._head = 2 if note else 1
        self._per_sheet = MOST_ROWS - self._head
        self._rows = rows
        sheets = max(1, -(-rows // self._per_sheet))
        skeleton = io.BytesIO(_skeleton(columns, frame, sheets=sheets, title=title, note=note, at=at))
        self._inner = zipfile.ZipFile(skeleton)
        self._outer = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_QUICK)
        for name in self._inner.namelist():
            if not _SHEET.fullmatch(name):
                content = self._inner.read(name)
                if name == _TEXTS:
                    # The rows have some of them again and again; the count may be left out.
                    content = _COUNT.sub(b"", content, count=1)
                self._outer.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        self._number = 0
        self._sheet: IO[bytes] | None = None
        self._rest = ""
        self._next_row = MOST_ROWS
        self._sample: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and not self._number:
            self._begin_sheet()
        self._end_sheet()
        self._outer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows whose texts no spreadsheet takes for a formula."""
        start = 0
        while start < batch.num_rows:
            if self._next_row >= MOST_ROWS:
                self._end_sheet()
                self._begin_sheet()
            length = min(batch.num_rows - start, MOST_ROWS - self._next_row)
            part = batch.slice(start, length)
            assert self._sheet is not None
            self._sheet.write(_rows_of(part, self._columns, self._sample, first=self._next_row + 1))
            self._next_row += length
            start += length

    def _begin_sheet(self) -> None:
        self._number += 1
        name = f"xl/worksheets/sheet{self._number}.xml"
        xml = self._inner.read(name).decode()
        start, end = xml.rindex("<row "), xml.rindex("</row>")
        self._sample = [f"<c{cell}" for cell in _SAMPLE_ADDRESS.sub("", xml[start:end]).split("<c")[1:]]
        assert len(self._sample) == len(self._columns)
        left = self._rows - (self._number - 1) * self._per_sheet
        last = self._head + min(left, self._per_sheet)
        ref = f'<dimension ref="A1:{_letters(len(self._columns))}{last}"/>'
        self._sheet = self._outer.open(name, "w", force_zip64=True)
        self._sheet.write(_DIMENSION.sub(ref, xml[:start], count=1).encode())
        self._rest = xml[end + len("</row>") :]
        self._next_row = self._head

    def _end_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.write(self._rest.encode())
            self._sheet.close()
            self._sheet = None


def _skeleton(
    columns: Sequence[BordereauColumn],
    frame: BordereauFrame,
    *,
    sheets: int,
    title: str,
    note: str,
    at: datetime,
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
                cell = harmless(fixed_cell(column, frame)) if is_fixed(column) else None
                _write_cell(sheet, head + 1, place, cell, formats.get(column.type, plain))
            sheet.freeze_panes(head + 1, 0)
    return content.getvalue()


def _write_cell(sheet: Worksheet, row: int, column: int, cell: object, format_: Format) -> None:
    match cell:
        case None:
            sheet.write_blank(row, column, None, format_)
        case str():
            sheet.write_string(row, column, cell, format_)
        case date():
            sheet.write_datetime(row, column, cell, format_)
        case _:
            sheet.write_number(row, column, cell, format_)


def _rows_of(
    rows: pa.RecordBatch, columns: Sequence[BordereauColumn], sample: Sequence[str], *, first: int
) -> memoryview:
    """Return rows as XML. Cells without their address stand one after the other, so empty ones are there."""
    numbers = pa.array(range(first, first + rows.num_rows), pa.int64()).cast(pa.string())
    pieces: list[str | pa.Array] = ['<row r="', numbers, '">']
    for column, array, cell in zip(columns, rows.columns, sample, strict=True):
        if array.null_count == len(array):
            pieces.append(EMPTY)
        elif is_fixed(column):
            pieces.append(cell)
        else:
            cells = _cells(column.type, array, opening=cell.removesuffix("/>"))
            pieces += (
                [pc.binary_join_element_wise(*cells, "").fill_null(EMPTY)] if array.null_count else cells
            )
    pieces.append("</row>")
    whole = pc.binary_join_element_wise(*_merged(pieces), "")
    # The texts of an array lie one behind the other.
    _, offsets, texts = whole.buffers()
    end = pa.Array.from_buffers(pa.int32(), rows.num_rows + 1, [None, offsets])[rows.num_rows].as_py()
    return memoryview(texts)[:end]


def _merged(pieces: Sequence[str | pa.Array]) -> Iterator[str | pa.Array]:
    """Join neighbors that are the same in all rows."""
    for is_same, neighbors in groupby(pieces, key=lambda piece: isinstance(piece, str)):
        if is_same:
            yield "".join(neighbors)
        else:
            yield from neighbors


def _cells(kind: CellType, array: pa.Array, *, opening: str) -> list[str | pa.Array]:
    """Return what cells begin with, what they have and what they end with."""
    match kind:
        case CellType.TEXT:
            return _texts(array, opening)
        case CellType.DAY:
            days = pc.add(array.cast(pa.int32()), _DAY_ZERO)
            return [f"{opening}><v>", days.cast(pa.string()), "</v></c>"]
        case _:
            return [f"{opening}><v>", array.cast(pa.string()), "</v></c>"]


def _texts(array: pa.Array, opening: str) -> list[str | pa.Array]:
    encoded = array.dictionary_encode()
    mark = "<t>"
    # Most columns have few different texts, and hardly any has a sign of XML.
    if pc.any(pc.match_substring_regex(encoded.dictionary, _SPECIAL)).as_py():
        mark = '<t xml:space="preserve">'
        array = _escaped(encoded.dictionary).take(encoded.indices)
    return [f'{opening} t="inlineStr"><is>{mark}', array, "</t></is></c>"]


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
