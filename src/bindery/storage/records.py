"""Between rows and records: the fields of a record are named as the columns that they come from."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import asyncpg
import msgspec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")


def columns_of(kind: "type[DataclassInstance]") -> str:
    """Return the columns of a record, as a statement lists them."""
    return ", ".join(field.name for field in fields(kind))


def values_of(record: "DataclassInstance") -> dict[str, Any]:
    """Return the values of a record by their columns."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def of_table(table: str, columns: str) -> str:
    """Return a list of columns with the name of their table before each."""
    return ", ".join(f"{table}.{column.strip()}" for column in columns.split(","))


def read_row(kind: type[Row], row: asyncpg.Record, **read: object) -> Row:
    """Return a row as a record, texts as enums and arrays as tuples; `read` are fields read apart from it."""
    return msgspec.convert({**row, **read}, kind)
