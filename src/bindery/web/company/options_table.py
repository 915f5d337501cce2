"""The options of a submission side by side, compared with the one that the reader has selected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from bindery.contract.quote import QuoteBody
from bindery.web.shown.comparison import PRICE, Cell, Row, comparison, terms_shown, without_alike
from bindery.web.shown.coverages import all_coverages, coverages_asked_for
from bindery.web.shown.option import ShownOption
from bindery.web.shown.words import NONE, Times

OPTIONS_OF_A_SHEET: Final = 5


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A cell; `is_other` if it differs from that of the selected option, `by` how much a total does."""

    cell: Cell
    is_picked: bool = False
    is_other: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    title: str
    cells: tuple[ComparedCell, ...]
    is_figure: bool
    is_total: bool
    is_coverage: bool


@dataclass(frozen=True, slots=True)
class ComparisonSheet:
    options: tuple[ShownOption, ...]
    rows: tuple[ComparedRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsTable:
    """`picked` is the place of the selected option; None where it is of another submission, or alone."""

    options: tuple[ShownOption, ...]
    picked: int | None
    rows: tuple[ComparedRow, ...]
    alike: tuple[tuple[str, str], ...]
    coverages: tuple[ComparedRow, ...]
    sheets: tuple[ComparisonSheet, ...]
    """How the options are printed if they do not fit on a page side by side; empty if they do."""
    terms: frozenset[str]
    """The fields of the request whose corrections are said in their cells."""


def options_table(
    options: Sequence[ShownOption],
    bodies: Sequence[QuoteBody],
    waiting: tuple[datetime, datetime] | None,
    times: Times,
    *,
    picked: str,
) -> OptionsTable:
    # One option alone is not selected among others.
    place = next(
        (number for number, option in enumerate(options) if option.quote_id == picked and len(options) > 1),
        None,
    )
    asked_for = coverages_asked_for(bodies)
    rows = comparison(bodies, waiting, times, coverages=asked_for)
    shown, alike = without_alike(rows)
    differences = _differences(options, bodies, place)
    compared = tuple(
        _compared(row, place, differences if row.is_total else {}, is_coverage=row in asked_for)
        for row in shown
    )
    return OptionsTable(
        options=tuple(options),
        picked=place,
        rows=compared,
        alike=tuple(said_once(row) for row in alike if row.cells[0].text != NONE),
        coverages=tuple(_compared(row, place, {}) for row in all_coverages(bodies)),
        sheets=_sheets(options, compared),
        terms=terms_shown(rows),
    )


def said_once(row: Row) -> tuple[str, str]:
    cell = row.cells[0]
    return row.title, f"{cell.text}, {cell.more}" if cell.more else cell.text


def _compared(
    row: Row, place: int | None, differences: Mapping[int, str], *, is_coverage: bool = False
) -> ComparedRow:
    chosen = row.cells[place] if place is not None else None
    return ComparedRow(
        row.title,
        tuple(
            ComparedCell(
                cell,
                is_picked=number == place,
                is_other=chosen is not None
                and row.title not in PRICE
                and (cell.text, cell.more) != (chosen.text, chosen.more),
                by=differences.get(number, ""),
            )
            for number, cell in enumerate(row.cells)
        ),
        is_figure=row.is_figure,
        is_total=row.is_total,
        is_coverage=is_coverage,
    )


def _differences(
    options: Sequence[ShownOption], bodies: Sequence[QuoteBody], place: int | None
) -> Mapping[int, str]:
    if place is None or (total := bodies[place].total) is None:
        return {}
    against = f"against option {options[place].number}"
    found = {}
    for number, body in enumerate(bodies):
        if number != place and body.total is not None:
            by = Decimal(str(body.total)) - Decimal(str(total))
            sign = "+" if by > 0 else "\N{MINUS SIGN}"
            found[number] = (
                f"{sign}${abs(by):,.2f} {against}" if by else f"as much as option {options[place].number}"
            )
    return found


def _sheets(options: Sequence[ShownOption], rows: Sequence[ComparedRow]) -> tuple[ComparisonSheet, ...]:
    if len(options) <= OPTIONS_OF_A_SHEET:
        return ()
    return tuple(
        ComparisonSheet(
            tuple(options[start : start + OPTIONS_OF_A_SHEET]),
            tuple(replace(row, cells=row.cells[start : start + OPTIONS_OF_A_SHEET]) for row in rows),
        )
        for start in range(0, len(options), OPTIONS_OF_A_SHEET)
    )
