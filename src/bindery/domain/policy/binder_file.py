"""Reading a binder's file: every problem at once, each with its line and field."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Any, Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.binders import Binder, BinderSection, Carrier, CarrierOnFile
from bindery.domain.rating.surcharges import charge_rules

WHOLE: Final = Decimal(100)
NAMED: Final = 5
"""States that a sentence names; more are counted."""
LONGEST_LINE: Final = 120
LARGEST_FILE: Final = 256 * 1024
_TABLE = re.compile(r"\s*\[\[\s*(\w+)\s*\]\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
_LINE_OF_SYNTAX = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class FileFlaw:
    line: int
    field: str
    text: str


@dataclass(slots=True)
class _Reading:
    lines: Mapping[str, int]
    flaws: list[FileFlaw] = field(default_factory=list)

    def add(self, path: str, text: str) -> None:
        # Where a field is missing, the line of its table is as near as it gets.
        line = self.lines.get(path) or self.lines.get(path.rpartition(".")[0], 1)
        self.flaws.append(FileFlaw(line, path, text))


def read_binder_file(
    content: bytes, on_file: Sequence[CarrierOnFile] = ()
) -> tuple[Binder | None, list[FileFlaw]]:
    """Return the binder, or what is wrong with its file.

    A carrier that the file names by nothing but its number is the one on file.
    """
    try:
        if len(content) > LARGEST_FILE:
            return None, [FileFlaw(1, "", f"is larger than {LARGEST_FILE // 1024} kB")]
        text = content.decode()
        raw = tomllib.loads(text, parse_float=Decimal)
    except UnicodeDecodeError:
        return None, [FileFlaw(1, "", "is not UTF-8 text")]
    except tomllib.TOMLDecodeError as fault:
        found = _LINE_OF_SYNTAX.search(str(fault))
        return None, [FileFlaw(int(found[1]) if found else 1, "", f"is not TOML: {fault}")]
    except (ValueError, RecursionError):
        return None, [FileFlaw(1, "", "has a number that is too long, or lists that are too deep")]
    reading = _Reading(_lines_of(text))
    values = _fields(reading, "", raw, _BINDER)
    _fill_in_carriers(reading, raw, {carrier.number: carrier for carrier in on_file})
    carriers = _tables(reading, raw, "carriers", _CARRIER)
    sections = _tables(reading, raw, "sections", _SECTION)
    _check_whole(reading, values, carriers, sections)
    if reading.flaws:
        return None, sorted(reading.flaws, key=lambda flaw: flaw.line)
    return Binder(
        **values,
        carriers=tuple(Carrier(**carrier) for carrier in carriers),
        sections=tuple(_section(section) for section in sections),
    ), []


def read_carrier(given: Mapping[str, object]) -> tuple[CarrierOnFile | None, list[FileFlaw]]:
    """Return the carrier that somebody types in, or what is wrong with it, by the rules of a file."""
    reading = _Reading({"": 1})
    values = _fields(reading, "", given, _CARRIER_ON_FILE)
    return (None if reading.flaws else CarrierOnFile(**values)), reading.flaws


def _fill_in_carriers(
    reading: _Reading, raw: Mapping[str, Any], on_file: Mapping[str, CarrierOnFile]
) -> None:
    tables = raw.get("carriers")
    for place, table in enumerate(tables if isinstance(tables, list) else ()):
        number = table.get("number") if isinstance(table, dict) and table.keys() <= {"number", "share"} else 0
        if not isinstance(number, str):
            continue
        if found := on_file.get(number.strip()):
            table |= {**asdict(found), "address": list(found.address)}
        else:
            text = f"{number.strip()} is no carrier on file, so its name and address have to be here"
            reading.add(f"carriers[{place}].number", text)


def _lines_of(text: str) -> dict[str, int]:
    """Return the line of every table and field, which the library that reads the file does not tell."""
    lines: dict[str, int] = {"": 1}
    place, counts = "", Counter[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if table := _TABLE.match(line):
            place = f"{table[1]}[{counts[table[1]]}]"
            counts[table[1]] += 1
            lines[place] = number
        elif key := _KEY.match(line):
            lines.setdefault(f"{place}.{key[1]}" if place else key[1], number)
    return lines


def line_of(content: bytes, path: str) -> int:
    """Return the line of a field in a file that could be read."""
    lines = _lines_of(content.decode())
    return lines.get(path) or lines.get(path.rpartition(".")[0], 1)


Read = Callable[[Any], Any]
"""Returns a value as it is kept, or raises ValueError with what it has to be."""


@dataclass(frozen=True, slots=True)
class _Field:
    read: Read
    otherwise: Any = None
    is_required: bool = True


def _text(most: int) -> Read:
    def read(value: Any) -> str:  # noqa: ANN401 - whatever the file has
        if not isinstance(value, str) or not value.strip() or len(value) > most or not value.isprintable():
            raise ValueError(f"must be a text of 1 to {most} characters on one line")
        return value.strip()

    return read


def _number(least: int, most: int) -> Read:
    def read(value: Any) -> int:  # noqa: ANN401 - as above
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least:,} to {most:,}")
        return value

    return read


def _percent(value: Any) -> Decimal:  # noqa: ANN401 - as above
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    number = Decimal(value) if is_number else Decimal(-1)
    if not number.is_finite() or not 0 <= number <= WHOLE or number != round(number, 4):
        raise ValueError("must be a percentage from 0 to 100, with up to four decimals")
    return number


def _share(value: Any) -> Decimal:  # noqa: ANN401 - as above
    share = _percent(value)
    if not share:
        raise ValueError("must be more than 0: who has no share is no carrier of the binder")
    return share


def _commission(value: Any) -> Decimal:  # noqa: ANN401 - as above
    rate = _percent(value)
    if rate != round(rate, 2):
        raise ValueError("must be a percentage from 0 to 100, with up to two decimals")
    return rate


def _day(value: Any) -> date:  # noqa: ANN401 - as above
    if type(value) is not date:
        raise ValueError("must be a day such as 2026-10-01, without quotes")
    return value


def _listed(kind: Callable[[Any], bool], what: str, *, least: int = 0, most: int = 60) -> Read:
    def read(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - as above
        if not isinstance(value, list) or not least <= len(value) <= most or not all(map(kind, value)):
            raise ValueError(f"must be a list of {what}")
        if len(set(value)) != len(value):
            raise ValueError("must name each of them once")
        return tuple(value)

    return read


def _product(value: Any) -> InsuranceProduct:  # noqa: ANN401 - as above
    if value not in list(InsuranceProduct):
        raise ValueError(f"must be one of {', '.join(InsuranceProduct)}")
    return InsuranceProduct(value)


def _states(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    if value == "all":
        return tuple(charge_rules())
    if not isinstance(value, list) or not value:
        raise ValueError('must be "all" or a list of states such as ["CA", "NY"]')
    if unknown := [str(state) for state in value if state not in [*charge_rules()]]:
        raise ValueError(f"names no state: {', '.join(unknown)}")
    if len(set(value)) != len(value):
        raise ValueError("must name each state once")
    return tuple(value)


def _excluded(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    return () if value == [] else _states(value)


def _is_line(line: Any) -> bool:  # noqa: ANN401 - as above
    return isinstance(line, str) and 0 < len(line) <= LONGEST_LINE


def _address(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    read = _listed(_is_line, "lines", least=1, most=5)
    lines: tuple[str, ...] = read(value)
    return lines


def _marks(value: Any) -> tuple[int, ...]:  # noqa: ANN401 - as above
    read = _listed(lambda mark: type(mark) is int and 0 < mark <= WHOLE, "percentages from 1 to 100", most=5)
    marks: tuple[int, ...] = read(value)
    return tuple(sorted(marks))


_AMOUNT: Final = _number(1, 10**12)
_BINDER: Final[Mapping[str, _Field]] = {
    "agreement": _Field(_text(60)),
    "coverholder": _Field(_text(120)),
    "pin": _Field(_text(30), "", is_required=False),
    "inception": _Field(_day),
    "expiry": _Field(_day),
    "premium_limit": _Field(_AMOUNT),
    "notify_at": _Field(_marks, (75, 90), is_required=False),
    "claims_administrator": _Field(_text(200), "", is_required=False),
    "bordereau_due_day": _Field(_number(1, 28), 15, is_required=False),
}
_CARRIER_ON_FILE: Final[Mapping[str, _Field]] = {
    "name": _Field(_text(120)),
    "number": _Field(_text(20)),
    "address": _Field(_address),
    "domicile": _Field(_text(60), "", is_required=False),
    "rating": _Field(_text(40), "", is_required=False),
}
_CARRIER: Final[Mapping[str, _Field]] = {**_CARRIER_ON_FILE, "share": _Field(_share)}
_SECTION: Final[Mapping[str, _Field]] = {
    "name": _Field(_text(60)),
    "product": _Field(_product),
    "risk_code": _Field(_text(10), "", is_required=False),
    "class": _Field(_text(60), "", is_required=False),
    "limit": _Field(_AMOUNT),
    "revenue": _Field(_AMOUNT, None, is_required=False),
    "states": _Field(_states),
    "states_excluded": _Field(_excluded, (), is_required=False),
    "sectors_excluded": _Field(
        _listed(lambda sector: bool(re.fullmatch(r"[0-9]{2}", str(sector))), 'sectors such as "52"'),
        (),
        is_required=False,
    ),
    "term_months": _Field(_number(1, 36)),
    "days_ahead": _Field(_number(0, 365)),
    "commission": _Field(_commission),
    "deviation": _Field(_number(0, 10_000)),
}
_LISTS: Final = {"carriers", "sections"}


def _fields(
    reading: _Reading, place: str, raw: Mapping[str, Any], fields: Mapping[str, _Field]
) -> dict[str, Any]:
    values = {}
    for name in raw:
        if name not in fields and not (not place and name in _LISTS):
            reading.add(f"{place}{name}", f"is unknown; there are {', '.join(fields)}")
    for name, how in fields.items():
        if name not in raw:
            values[name] = how.otherwise
            if how.is_required:
                reading.add(f"{place}{name}", "is missing")
            continue
        try:
            values[name] = how.read(raw[name])
        except ValueError as fault:
            values[name] = None
            reading.add(f"{place}{name}", str(fault))
    return values


def _tables(
    reading: _Reading, raw: Mapping[str, Any], name: str, fields: Mapping[str, _Field]
) -> list[dict[str, Any]]:
    tables = raw.get(name)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        reading.add(name, f"is missing: a binder has one [[{name}]] or more")
        return []
    return [_fields(reading, f"{name}[{place}].", table, fields) for place, table in enumerate(tables)]


def _check_whole(
    reading: _Reading,
    values: Mapping[str, Any],
    carriers: list[dict[str, Any]],
    sections: list[dict[str, Any]],
) -> None:
    inception, expiry = values["inception"], values["expiry"]
    if inception is not None and expiry is not None and expiry <= inception:
        reading.add("expiry", f"must be after the inception, {inception}")
    shares = [carrier["share"] for carrier in carriers]
    if shares and None not in shares and sum(shares) != WHOLE:
        reading.add("carriers[0].share", f"shares add up to {sum(shares)} and not to 100")
    for list_name, field_name, rows in (("carriers", "number", carriers), ("sections", "name", sections)):
        for (_, one), (place, other) in combinations(enumerate(rows), 2):
            if one[field_name] is not None and one[field_name] == other[field_name]:
                reading.add(f"{list_name}[{place}].{field_name}", f"{one[field_name]} is there twice")
    for (_, one), (place, other) in combinations(enumerate(sections), 2):
        both = sorted(_covered(one) & _covered(other))
        if one["product"] is not None and one["product"] == other["product"] and both:
            reading.add(f"sections[{place}].states", f"overlaps section {one['name']}: {in_short(both)}")


def in_short(states: Sequence[str]) -> str:
    named = ", ".join(states[:NAMED])
    return named if len(states) <= NAMED else f"{named} and {len(states) - NAMED} more"


def _covered(section: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(section["states"] or ()) - frozenset(section["states_excluded"] or ())


def _section(values: dict[str, Any]) -> BinderSection:
    states = _covered(values)
    resolved = {"states", "states_excluded", "class"}
    rest = {name: value for name, value in values.items() if name not in resolved}
    sectors = frozenset(rest.pop("sectors_excluded"))
    return BinderSection(**rest, states=states, sectors_excluded=sectors, risk_class=values["class"])
