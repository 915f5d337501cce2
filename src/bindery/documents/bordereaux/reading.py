"""The rows of a bordereau read back from any of its files, to be compared with what they should be."""

import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import openpyxl
import pyarrow as pa
import pyarrow.compute as pc
from openpyxl.utils.exceptions import InvalidFileException
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from bindery.documents.bordereaux.columns import ARROW_TYPES, FilledColumn, defused
from bindery.documents.bordereaux.files import MARK
from bindery.domain.bordereaux.template import BordereauColumn
from bindery.domain.bordereaux.values import CellType

DRAFT: Final = "DRAFT"
_PLACES: Final = {
    CellType.MONEY: Decimal("0.01"),
    CellType.PERCENT: Decimal("0.0001"),
    CellType.WHOLE: Decimal(1),
}


class NotABordereau(Exception):
    """A file has not the columns of the bordereau, or cells that cannot be what they should."""


def read_rows(path: Path, columns: Sequence[BordereauColumn]) -> pa.Table:
    """Read the rows of a file.

    Raises:
        NotABordereau: it has other columns, or a cell of it cannot be read.
    """
    schema = pa.schema([pa.field(column.name, ARROW_TYPES[column.type]) for column in columns])
    try:
        match path.suffix:
            case ".parquet":
                table = parquet.read_table(path)
                _check_head(table.column_names, columns)
                return table.cast(schema)
            case ".xlsx":
                return _workbook(path, columns, schema)
            case _:
                return _csv(path, columns, schema)
    except (
        pa.ArrowException,
        OSError,
        BadZipFile,
        InvalidFileException,
        KeyError,
        UnicodeDecodeError,
    ) as fault:
        raise NotABordereau(f"it cannot be read: {str(fault).splitlines()[0]}") from fault


def _check_head(head: Sequence[object], columns: Sequence[BordereauColumn]) -> None:
    for place, column in enumerate(columns):
        found = head[place] if place < len(head) else None
        if found != column.name:
            raise NotABordereau(f"its column {place + 1} is {found!r}, and should be {column.name!r}")
    if len(head) > len(columns):
        raise NotABordereau(f"it has {len(head)} columns, and should have {len(columns)}")


def _csv(path: Path, columns: Sequence[BordereauColumn], schema: pa.Schema) -> pa.Table:
    with path.open("rb") as file:
        begins = file.read(3)
        if begins != MARK.encode():
            file.seek(0)
        start = file.tell()
        if not file.readline().lstrip(b'"').startswith(DRAFT.encode()):
            file.seek(start)
        types = dict(zip(schema.names, schema.types, strict=True))
        options = arrow_csv.ConvertOptions(
            column_types=types, strings_can_be_null=True, quoted_strings_can_be_null=True, null_values=[""]
        )
        parse = arrow_csv.ParseOptions(newlines_in_values=True)
        table = arrow_csv.read_csv(io.BytesIO(file.read()), convert_options=options, parse_options=parse)
    _check_head(table.column_names, columns)
    return table.select(schema.names)


def _workbook(path: Path, columns: Sequence[BordereauColumn], schema: pa.Schema) -> pa.Table:
    book = openpyxl.load_workbook(path, read_only=True)
    batches: list[pa.RecordBatch] = []
    for sheet in book:
        sheet.reset_dimensions()
        rows = sheet.iter_rows(values_only=True)
        head = next(rows, ())
        if head and str(head[0]).startswith(DRAFT):
            head = next(rows, ())
        _check_head([name for name in head if name is not None], columns)
        batches += _batches(rows, columns, schema)
    book.close()
    return pa.Table.from_batches(batches, schema)


_BATCH: Final = 5_000


def _batches(
    rows: Iterator[tuple[Any, ...]], columns: Sequence[BordereauColumn], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    width = len(columns)
    first = 1
    while batch := [(*row, *(None,) * (width - len(row))) for row in islice(rows, _BATCH)]:
        arrays = []
        for column, kind, cells in zip(columns, schema.types, zip(*batch, strict=True), strict=False):
            try:
                arrays.append(pa.array([_cell(column.type, cell) for cell in cells], kind))
            except (InvalidOperation, TypeError, ValueError, pa.ArrowException) as fault:
                raise NotABordereau(
                    f"rows {first} to {first + len(batch) - 1}, {column.name}: {fault}"
                ) from fault
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
        first += len(batch)


def _cell(kind: CellType, cell: Any) -> Any:  # noqa: ANN401 - whatever a cell has
    if cell is None or cell == "":
        return None
    if kind is CellType.DAY:
        return cell.date() if isinstance(cell, datetime) else cell
    if kind is CellType.TEXT:
        return str(cell)
    number = Decimal(str(cell)).quantize(_PLACES[kind])
    return int(number) if kind is CellType.WHOLE else number


def differences(
    found: pa.Table, expected: Sequence[FilledColumn], *, start: int, is_defused: bool
) -> Iterator[tuple[int, str]]:
    """Return the rows, counted from 1, in which a file differs from what it should have, and how."""
    count = len(expected[0].array)
    for filled in expected:
        theirs = found.column(filled.column.name).slice(start, count).combine_chunks()
        ours = filled.array
        if is_defused and filled.column.type is CellType.TEXT:
            ours = defused(ours)
        differs = pc.or_(
            pc.xor(pc.is_null(theirs), pc.is_null(ours)),
            pc.fill_null(pc.not_equal(theirs, ours), fill_value=False),
        )
        if not pc.any(differs).as_py():
            continue
        for place in pc.indices_nonzero(differs).to_pylist():
            said, should = theirs[place].as_py(), ours[place].as_py()
            yield start + place + 1, f"{filled.column.name} is {_shown(said)}, and should be {_shown(should)}"


def _shown(cell: object) -> str:
    return "empty" if cell is None else str(cell)
