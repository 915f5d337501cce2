"""The columns of a bordereau as a carrier asks for them: a file of names, values and what has to be there."""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any, Final

from bindery.domain.bordereaux.values import FRAME_VALUES, LINE_VALUES, CellType
from bindery.domain.rating.surcharges import charge_rules

STANDARD: Final = "crs-5.2-us"
LARGEST_FILE: Final = 256 * 1024
MOST_COLUMNS: Final = 1_000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,38}")
_LINE_OF_SYNTAX: Final = re.compile(r"\(at line (\d+), column \d+\)")
_LONGEST: Final = 200


class BordereauKind(StrEnum):
    PREMIUM = "premium"
    RISK = "risk"


@dataclass(frozen=True, slots=True, kw_only=True)
class BordereauColumn:
    """A column; its value is one of `LINE_VALUES` or `FRAME_VALUES`, otherwise it has the constant."""

    name: str
    reference: str = ""
    value: str = ""
    constant: str = ""
    required: frozenset[str] = frozenset()
    """The states for whose policies it must not be empty."""
    kinds: frozenset[BordereauKind] = frozenset(BordereauKind)

    @property
    def type(self) -> CellType:
        known = LINE_VALUES.get(self.value) or FRAME_VALUES.get(self.value)
        return CellType.TEXT if known is None else known.type

    @property
    def is_booked(self) -> bool:
        """Whether the ledger alone gives it."""
        return self.value in LINE_VALUES and LINE_VALUES[self.value].is_booked

    @property
    def is_summed(self) -> bool:
        return self.value in LINE_VALUES and LINE_VALUES[self.value].is_summed


def says_employees(columns: Iterable[BordereauColumn]) -> bool:
    return any(column.value == "employees" for column in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    name: str
    title: str
    columns: tuple[BordereauColumn, ...]
    text: str
    """The file itself, which a frozen bordereau keeps."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def columns_of(self, kind: BordereauKind) -> tuple[BordereauColumn, ...]:
        return tuple(column for column in self.columns if kind in column.kinds)


@dataclass(frozen=True, slots=True)
class TemplateFlaw:
    line: int
    text: str


def packaged_names() -> list[str]:
    folder = files("bindery").joinpath("data", "bordereaux")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def packaged_template(name: str) -> Template | None:
    if name not in packaged_names():
        return None
    return trusted_template(
        files("bindery").joinpath("data", "bordereaux", f"{name}.toml").read_text("utf-8")
    )


def trusted_template(text: str) -> Template:
    """Read a template that was checked before."""
    template, flaws = read_template(text.encode())
    assert template is not None, flaws
    return template


def read_template(content: bytes) -> tuple[Template | None, list[TemplateFlaw]]:
    """Return the template, or what is wrong with its file."""
    if len(content) > LARGEST_FILE:
        return None, [TemplateFlaw(1, f"is larger than {LARGEST_FILE // 1024} kB")]
    try:
        text = content.decode()
        raw = tomllib.loads(text)
    except UnicodeDecodeError:
        return None, [TemplateFlaw(1, "is not UTF-8 text")]
    except tomllib.TOMLDecodeError as fault:
        found = _LINE_OF_SYNTAX.search(str(fault))
        return None, [TemplateFlaw(int(found[1]) if found else 1, f"is not TOML: {fault}")]
    except (ValueError, RecursionError):
        return None, [TemplateFlaw(1, "has a number that is too long, or lists that are too deep")]
    flaws = [
        TemplateFlaw(_line_of(text, name), f"{name} is unknown; there are name, title, columns")
        for name in raw.keys() - {"name", "title", "columns"}
    ]
    name, title, listed = raw.get("name"), raw.get("title"), raw.get("columns")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        flaws.append(
            TemplateFlaw(
                _line_of(text, "name"), "name must be small letters, digits, points and hyphens, up to 39"
            )
        )
    if not _is_text(title):
        flaws.append(
            TemplateFlaw(_line_of(text, "title"), f"title must be a text of 1 to {_LONGEST} characters")
        )
    if not isinstance(listed, list) or not listed or not all(isinstance(row, dict) for row in listed):
        flaws.append(TemplateFlaw(_line_of(text, "columns"), "columns must be a list of tables"))
        listed = []
    columns = _columns(text, listed[:MOST_COLUMNS], flaws)
    if len(listed) > MOST_COLUMNS:
        flaws.append(TemplateFlaw(_line_of(text, "columns"), f"has more than {MOST_COLUMNS} columns"))
    if flaws:
        return None, sorted(flaws, key=lambda flaw: flaw.line)
    return Template(name=str(name), title=str(title), columns=columns, text=text), []


def _columns(
    text: str, listed: Sequence[Mapping[str, Any]], flaws: list[TemplateFlaw]
) -> tuple[BordereauColumn, ...]:
    lines = _column_lines(text)
    columns: list[BordereauColumn] = []
    taken: dict[tuple[str, BordereauKind], int] = {}
    for place, row in enumerate(listed):
        line = lines[place] if place < len(lines) else 1
        wrong = list(_flaws_of(row))
        flaws += [TemplateFlaw(line, f"columns[{place}].{flaw}") for flaw in wrong]
        if wrong:
            continue
        required = row.get("required", False)
        column = BordereauColumn(
            name=row["name"].strip(),
            reference=row.get("reference", ""),
            value=row.get("value", ""),
            constant=row.get("constant", ""),
            required=frozenset(charge_rules()) if required is True else frozenset(required or ()),
            kinds=frozenset(map(BordereauKind, row.get("kinds", BordereauKind))),
        )
        for kind in sorted(column.kinds):
            first = taken.setdefault((column.name.casefold(), kind), place)
            if first != place:
                flaws.append(TemplateFlaw(line, f"columns[{place}].name is that of columns[{first}] too"))
                break
        columns.append(column)
    return tuple(columns)


_KNOWN: Final = ("reference", "name", "value", "constant", "required", "kinds")


def _flaws_of(row: Mapping[str, Any]) -> list[str]:
    flaws = [f"{name} is unknown; there are {', '.join(_KNOWN)}" for name in row if name not in _KNOWN]
    if not _is_text(row.get("name")):
        flaws.append(f"name must be a text of 1 to {_LONGEST} characters on one line")
    if "reference" in row and not _is_text(row["reference"]):
        flaws.append(f"reference must be a text of 1 to {_LONGEST} characters on one line")
    if ("value" in row) == ("constant" in row):
        flaws.append("value or constant must be there, and not both")
    elif "value" in row and row["value"] not in [*LINE_VALUES, *FRAME_VALUES]:
        flaws.append(
            f"value {row['value']!r} is unknown; there are {', '.join((*FRAME_VALUES, *LINE_VALUES))}"
        )
    elif "constant" in row and row["constant"] != "" and not _is_text(row["constant"]):
        flaws.append(f"constant must be a text of at most {_LONGEST} characters on one line")
    required = row.get("required", False)
    is_states = isinstance(required, list) and all(
        isinstance(state, str) and state in charge_rules() for state in required
    )
    if not isinstance(required, bool) and not is_states:
        flaws.append('required must be true, false or a list of states such as ["NJ"]')
    kinds = row.get("kinds", list(BordereauKind))
    if not isinstance(kinds, list) or not kinds or not all(kind in list(BordereauKind) for kind in kinds):
        flaws.append(f"kinds must be a list of {', '.join(BordereauKind)}")
    return flaws


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST and value.isprintable()


def _line_of(text: str, name: str) -> int:
    """Return the line of a field, which the library that reads the file does not tell."""
    pattern = re.compile(rf"\s*{re.escape(name)}\s*=")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)


_STARTS_COLUMN: Final = re.compile(r"\s*(\{|\[\[\s*columns\s*\]\])")


def _column_lines(text: str) -> list[int]:
    return [number for number, line in enumerate(text.splitlines(), 1) if _STARTS_COLUMN.match(line)]
