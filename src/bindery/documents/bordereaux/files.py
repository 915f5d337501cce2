"""The three files of a bordereau, written together batch by batch: CSV, XLSX and Parquet of the same rows."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from bindery.base.spreadsheets import harmless
from bindery.documents.bordereaux.columns import FilledColumn, defused, is_fixed, schema_of, summed
from bindery.documents.bordereaux.workbook import WorkbookWriter
from bindery.domain.bordereaux.bordereau import TABLES, BordereauException, BordereauFormat
from bindery.domain.bordereaux.lines import BordereauFrame
from bindery.domain.bordereaux.template import BordereauColumn
from bindery.domain.bordereaux.values import CellType

BATCH: Final = 2_000
"""Rows that are worked on at a time."""
MARK: Final = "\ufeff"
"""Without it Excel takes UTF-8 for an older encoding."""


class BordereauFiles:
    """Writes the files of a bordereau into a folder, and adds up what can be added up."""

    def __init__(
        self,
        folder: Path,
        columns: Sequence[BordereauColumn],
        frame: BordereauFrame,
        *,
        rows: int,
        title: str,
        note: str,
        told: Mapping[str, str],
        at: datetime,
    ) -> None:
        self.paths = {kind: folder / f"rows.{kind}" for kind in TABLES}
        self.sums = {column.name: Decimal(0) for column in columns if column.is_summed}
        self._schema = schema_of(columns, {**told, "draft": note})
        paths = self.paths
        self._csv = paths[BordereauFormat.CSV].open("wb")
        self._csv.write(csv_text([[note]] if note else [], [[column.name for column in columns]]))
        self._workbook = WorkbookWriter(
            paths[BordereauFormat.XLSX], columns, frame, rows=rows, title=title, note=note, at=at
        )
        self._parquet = parquet.ParquetWriter(
            paths[BordereauFormat.PARQUET], self._schema, compression="zstd"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._workbook.__exit__(kind, fault, trace)
        self._parquet.close()
        self._csv.close()

    def write(self, columns: Sequence[FilledColumn]) -> None:
        self.keep(columns)
        batch = pa.RecordBatch.from_arrays(list(map(_safe, columns)), schema=self._schema)
        arrow_csv.write_csv(batch, self._csv, arrow_csv.WriteOptions(include_header=False))
        self._workbook.write(batch)

    def keep(self, columns: Sequence[FilledColumn]) -> None:
        """Write rows into the Parquet alone, from which `kept_rows` reads them again."""
        arrays = [filled.array for filled in columns]
        self._parquet.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        for filled in columns:
            if filled.column.is_summed:
                self.sums[filled.column.name] += summed(filled.array)


def _safe(filled: FilledColumn) -> pa.Array:
    if filled.column.type is not CellType.TEXT:
        return filled.array
    if filled.fixed:
        return pa.repeat(defused(filled.array.slice(0, 1))[0], len(filled.array))
    return defused(filled.array)


def kept_rows(path: Path, columns: Sequence[BordereauColumn]) -> Iterator[list[FilledColumn]]:
    """Return the rows of a Parquet that was written here, as they were written."""
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(BATCH):
            yield [
                FilledColumn(column, is_fixed(column), array)
                for column, array in zip(columns, batch.columns, strict=True)
            ]


def csv_text(*parts: Sequence[Sequence[object]]) -> bytes:
    """Return rows as a file for a spreadsheet begins: with a mark, and without formulas."""
    file = io.StringIO()
    file.write(MARK)
    for rows in parts:
        csv.writer(file, lineterminator="\n").writerows([harmless(cell) for cell in row] for row in rows)
    return file.getvalue().encode()


_EXCEPTIONS: Final = (
    "What is missing", "Owner", "Policy", "Transaction", "Premium", "Taxes and fees", "Link",
)  # fmt: skip


def exceptions_csv(exceptions: Sequence[BordereauException], *, platform_url: str) -> bytes:
    rows = [
        (
            exception.what,
            exception.owner,
            exception.policy_number,
            _or_nothing(exception.number),
            _or_nothing(exception.premium),
            _or_nothing(exception.charges),
            "" if exception.quote_id is None else f"{platform_url}/ops/quote/{exception.quote_id}",
        )
        for exception in exceptions
    ]
    return csv_text([_EXCEPTIONS], rows)


def _or_nothing(value: object) -> object:
    return "" if value is None else value
