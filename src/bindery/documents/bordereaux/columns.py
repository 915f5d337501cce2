"""The lines of a bordereau as columns of Arrow, from which all of its files are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from bindery.base.spreadsheets import FORMULA
from bindery.domain.bordereaux.lines import BordereauFrame, BordereauLine
from bindery.domain.bordereaux.template import BordereauColumn
from bindery.domain.bordereaux.values import FRAME_VALUES, LINE_VALUES, Cell, CellType

ARROW_TYPES: Final = {
    CellType.TEXT: pa.string(),
    CellType.MONEY: pa.decimal128(18, 2),
    CellType.PERCENT: pa.decimal128(9, 4),
    CellType.WHOLE: pa.int64(),
    CellType.DAY: pa.date32(),
}
_FORMULA: Final = f"^[{''.join(FORMULA)}]".replace("-", r"\-")


@dataclass(frozen=True, slots=True)
class FilledColumn:
    """A column of some lines; `fixed` is whether all lines of the bordereau have the same value."""

    column: BordereauColumn
    cells: Sequence[Cell]
    fixed: bool
    array: pa.Array


def fill(
    columns: Sequence[BordereauColumn], frame: BordereauFrame, lines: Sequence[BordereauLine]
) -> list[FilledColumn]:
    return [_filled(column, frame, lines) for column in columns]


def _filled(column: BordereauColumn, frame: BordereauFrame, lines: Sequence[BordereauLine]) -> FilledColumn:
    kind = ARROW_TYPES[column.type]
    if column.value in LINE_VALUES:
        of = LINE_VALUES[column.value].of
        cells: Sequence[Cell] = [of(line) for line in lines]
        if column.type is CellType.TEXT:
            # A text without a letter is as missing as none.
            cells = [cell or None for cell in cells]
        return FilledColumn(column, cells, fixed=False, array=pa.array(cells, kind))
    cell = fixed_cell(column, frame)
    array = pa.repeat(pa.scalar(cell, kind), len(lines))
    return FilledColumn(column, (cell,) * len(lines), fixed=True, array=array)


def filled_from(column: BordereauColumn, values: pa.ChunkedArray) -> FilledColumn:
    """Return a column that was read from a file."""
    return FilledColumn(column, (), fixed=False, array=pa.concat_arrays(values.chunks))


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
    begins = pc.match_substring_regex(array, _FORMULA)
    if not pc.any(begins).as_py():
        return array
    return pc.if_else(begins, pc.binary_join_element_wise("'", array, ""), array)


def summed(array: pa.Array) -> Decimal:
    total = pc.sum(array).as_py()
    return Decimal(0) if total is None else Decimal(total)
