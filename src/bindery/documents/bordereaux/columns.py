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
from bindery.domain.bordereaux.values import FRAME_VALUES, LINE_VALUES, Cell, CellType, Lines

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
    fixed: bool
    array: pa.Array


def fill(
    columns: Sequence[BordereauColumn], frame: BordereauFrame, lines: Sequence[BordereauLine]
) -> list[FilledColumn]:
    batch = Lines(lines)
    return [_filled(column, frame, batch) for column in columns]


def _filled(column: BordereauColumn, frame: BordereauFrame, lines: Lines) -> FilledColumn:
    kind = ARROW_TYPES[column.type]
    if column.value in LINE_VALUES:
        cells = LINE_VALUES[column.value].of(lines)
        if column.type is CellType.TEXT:
            # A text without a letter is as missing as none.
            cells = [cell or None for cell in cells]
        return FilledColumn(column, fixed=False, array=pa.array(cells, kind, size=len(lines.each)))
    array = pa.repeat(pa.scalar(fixed_cell(column, frame), kind), len(lines.each))
    return FilledColumn(column, fixed=True, array=array)


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


def summed(array: pa.Array) -> Decimal:
    total = pc.sum(array).as_py()
    return Decimal(0) if total is None else Decimal(total)
