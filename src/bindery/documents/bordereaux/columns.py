"""The lines of a bordereau as columns of Arrow, from which all of its files are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from bindery.base.spreadsheets import FORMULA
from bindery.domain.bordereaux.lines import BordereauFrame, Lines
from bindery.domain.bordereaux.template import BordereauColumn
from bindery.domain.bordereaux.values import FRAME_VALUES, LINE_VALUES, Cell, CellType

ARROW_TYPES: Final = {
    CellType.TEXT: pa.string(),
    CellType.MONEY: pa.decimal128(18, 2),
    CellType.PERCENT: pa.decimal128(9, 4),
    CellType.WHOLE: pa.int64(),
    CellType.DAY: pa.date32(),
}
_WHOLE_MONEY: Final = pa.decimal128(21, 2)
"""Wide enough for every whole number."""
_FORMULA: Final = f"^[{''.join(FORMULA)}]".replace("-", r"\-")


@dataclass(frozen=True, slots=True)
class FilledColumn:
    """A column of some lines; `fixed` is whether all lines of the bordereau have the same value."""

    column: BordereauColumn
    fixed: bool
    array: pa.Array


def fill(columns: Sequence[BordereauColumn], frame: BordereauFrame, lines: Lines) -> list[FilledColumn]:
    # Several columns have the same value.
    arrays = {column.value: _array(column, lines) for column in columns if column.value in LINE_VALUES}
    return [
        FilledColumn(column, fixed=False, array=arrays[column.value])
        if column.value in arrays
        else FilledColumn(column, fixed=True, array=_repeated(column, frame, len(lines.state)))
        for column in columns
    ]


def _array(column: BordereauColumn, lines: Lines) -> pa.Array:
    cells = LINE_VALUES[column.value].of(lines)
    kind = ARROW_TYPES[column.type]
    if column.type is CellType.TEXT:
        texts = pa.array(cells, kind)
        # A text without a letter is as missing as none.
        return pc.if_else(pc.equal(texts, ""), None, texts)
    # Arrow makes decimals of whole numbers and of texts itself; of Python's it takes several times as long.
    match next((cell for cell in cells if cell is not None), None):
        case int() if column.type is CellType.MONEY:
            return pa.array(cells, pa.int64()).cast(_WHOLE_MONEY).cast(kind)
        case str():
            return pa.array(cells, pa.string()).cast(kind)
        case _:
            return pa.array(cells, kind)


def _repeated(column: BordereauColumn, frame: BordereauFrame, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(fixed_cell(column, frame), ARROW_TYPES[column.type]), count)


def filled_from(column: BordereauColumn, values: pa.ChunkedArray) -> FilledColumn:
    """Return a column that was read from a file."""
    return FilledColumn(column, fixed=False, array=pa.concat_arrays(values.chunks))


def is_fixed(column: BordereauColumn) -> bool:
    """Whether all lines of a bordereau have the same value."""
    return column.value not in LINE_VALUES


def fixed_cell(column: BordereauColumn, frame: BordereauFrame) -> Cell:
    """Return the value of a column that is the same for all lines."""
    known = FRAME_VALUES.get(column.value)
    return (column.constant if known is None else known.of(frame)) or None


def schema_of(columns: Sequence[BordereauColumn], told: dict[str, str]) -> pa.Schema:
    fields = [
        pa.field(column.name, ARROW_TYPES[column.type], metadata={"reference": column.reference})
        for column in columns
    ]
    return pa.schema(fields, metadata=told)


def defused(array: pa.Array) -> pa.Array:
    """Return texts that no spreadsheet takes for a formula."""
    # Most columns have few different texts, and hardly any has a formula.
    if not pc.any(pc.match_substring_regex(array.unique(), _FORMULA)).as_py():
        return array
    begins = pc.match_substring_regex(array, _FORMULA)
    return pc.if_else(begins, pc.binary_join_element_wise("'", array, ""), array)


def rows_without(array: pa.Array) -> list[int]:
    """Return the rows that have no value."""
    rows: list[int] = pc.indices_nonzero(array.is_null()).to_pylist()
    return rows


def summed(array: pa.Array) -> Decimal:
    total = pc.sum(array).as_py()
    return Decimal(0) if total is None else Decimal(total)
