"""Rows of a table that are one test: for rows that differ in a value and need nothing but the function."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for every row, as `parametrize` does, and report each row that fails, all in one test."""
    columns = (names,) if isinstance(names, str) else tuple(names)
    table = [dict(zip(columns, (row,) if isinstance(names, str) else row, strict=True)) for row in rows]
    assert table, "a table without rows proves nothing"

    def over_rows(test: Test) -> Test:
        @wraps(test)
        def run(**others: Any) -> None:
            failed = []
            for row in table:
                try:
                    test(**others, **row)
                # Whatever it is, the other rows are looked at too.
                except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 - it is raised again below
                    fault.add_note(f"row: {row}")
                    failed.append(fault)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(table)} rows failed", failed)

        own = inspect.signature(test).parameters.values()
        left = [parameter for parameter in own if parameter.name not in columns]
        run.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined] # pytest reads it for fixtures
        return run

    return over_rows
