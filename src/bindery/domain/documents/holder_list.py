"""A list of certificate holders as CSV: all of it is right, or nothing of it is taken."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.nearest import nearest
from bindery.domain.documents.holders import REQUIRED, Holder, HolderWording, read_holder
from bindery.domain.text import unseen_character

MOST_HOLDERS: Final = 200
LARGEST_LIST: Final = 512 * 1024
COLUMNS: Final = ("name", "street", "street2", "city", "state", "zip", "wording", "description")
PASSED_OVER: Final = ("number", "issued_on", "issued_by")
"""Columns of the list of those issued, so that it can be sent again for the next policy."""
MOST_COLUMNS: Final = 30
LONGEST_QUOTED: Final = 40
_BYTE_ORDER_MARK: Final = "\ufeff"

Row = tuple[int, list[str]]
"""The number of a row as a spreadsheet shows it, and its cells."""


def read_holder_list(
    content: bytes, wordings: Mapping[str, HolderWording], *, wording: str
) -> tuple[Holder, ...]:
    """Read the holders of a file; `wording` is for rows that name none.

    Raises:
        InvalidRequest: with everything that is wrong, each with its row and column.
    """
    head, *rows = _rows(_text(content)) or [(1, [])]
    columns = _columns(head[1])
    if len(rows) > MOST_HOLDERS:
        raise InvalidRequest.at(
            "file", "too_many_items", f"has {len(rows)} holders: at most {MOST_HOLDERS} fit in a file"
        )
    if not rows:
        raise InvalidRequest.at(
            "file", "too_few_items", "has no holders: each is a row below the names of the columns"
        )
    holders: list[Holder] = []
    problems: list[Problem] = []
    first_row: dict[Holder, int] = {}
    for number, cells in rows:
        fields = dict(zip(columns, cells, strict=False))
        fields["wording"] = fields.get("wording", "").strip() or wording
        holder, flaws = read_holder(fields, wordings, path=f"Row {number}, {{}}".format)
        problems += flaws
        if any(cells[len(columns) :]):
            problems.append(Problem(f"Row {number}", "too_many_items", _more_cells(len(columns))))
        if not flaws and (before := first_row.setdefault(_alike(holder), number)) != number:
            problems.append(
                Problem(
                    f"Row {number}", "duplicate_items", f"is the same as row {before}: remove one of them"
                )
            )
        holders.append(holder)
    if problems:
        raise InvalidRequest.because(problems)
    return tuple(holders)


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        raise InvalidRequest.at(
            "file", "wrong_format", "is not UTF-8 text: save it as “CSV UTF-8 (comma delimited)”"
        ) from None
    if "\x00" in text:
        raise InvalidRequest.at(
            "file", "wrong_format", "is not text: save it as “CSV UTF-8 (comma delimited)”"
        )
    return text


def _rows(text: str) -> list[Row]:
    """Return the rows that hold something, beginning with the names of the columns."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[Row] = []
    try:
        for number, cells in enumerate(reader, start=1):
            if any(cell.strip() for cell in cells):
                rows.append((number, cells))
    except csv.Error:
        at = f"Row {rows[-1][0] + 1}" if rows else "Row 1"
        flaw = "has a quotation mark that is not closed or not doubled, or a cell that is too long"
        raise InvalidRequest.at(at, "wrong_format", flaw) from None
    return rows


def _columns(cells: Sequence[str]) -> list[str]:
    """Read the names of the columns; those that are passed over keep their places."""
    names = [cell.strip().casefold() for cell in cells[:MOST_COLUMNS]]
    while names and not names[-1]:
        names.pop()
    if problems := list(_flaws_of(names)):
        raise InvalidRequest.because(problems)
    return names


def _flaws_of(names: Sequence[str]) -> Iterator[Problem]:
    for place, name in enumerate(names, start=1):
        where = f"Row 1, column {place}"
        if name in names[: place - 1]:
            yield Problem(where, "duplicate_items", f"is {name}, as a column before it")
        elif name not in {*COLUMNS, *PASSED_OVER}:
            meant = nearest(name, COLUMNS)
            did_you_mean = f": did you mean {meant}?" if meant else f"; the columns are {', '.join(COLUMNS)}"
            yield Problem(where, "unknown_field", f"{_quoted(name)}{did_you_mean}")
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        yield Problem(
            "Row 1",
            "required",
            f"lacks {'the columns' if missing[1:] else 'the column'} {', '.join(missing)}",
        )


def _quoted(name: str) -> str:
    if not name:
        return "has no name"
    shown = "".join(letter for letter in name if unseen_character(letter) is None)
    cut = f"{shown[:LONGEST_QUOTED]}…" if len(shown) > LONGEST_QUOTED else shown
    return f"is “{cut}”, which is no column of ours"


def _more_cells(columns: int) -> str:
    return f"has more than {columns} cells: put a text that has a comma in quotation marks"


def _alike(holder: Holder) -> Holder:
    """Return a holder in one spelling; the same in other capitals or blanks is the same."""
    return Holder(**{name: " ".join(str(getattr(holder, name)).casefold().split()) for name in COLUMNS})
