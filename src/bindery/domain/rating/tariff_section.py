"""Reading a tariff file strictly: each key is read by type, and a key that nothing reads is a fault."""

import hashlib
import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from types import MappingProxyType, TracebackType
from typing import Final, Self, TypeVar

from bindery.domain.applicant.risk import bare_id
from bindery.domain.rating.modifiers import (
    Banded,
    Bands,
    Choice,
    Classes,
    Curve,
    Flagged,
    Modifier,
    ModifierGroup,
    YesNo,
)
from bindery.domain.rating.worksheet import Factor

Kind = TypeVar("Kind")

FEWEST_POINTS_OF_A_CURVE: Final = 2


def fingerprint_of(content: Mapping[str, object]) -> str:
    """Return the SHA-256 of the content; comments, spacing and the order of keys do not matter."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), default=date.isoformat)
    return hashlib.sha256(canonical.encode()).hexdigest()


class TariffSection:
    """One table of the file; leaving it refuses keys that were not read."""

    def __init__(self, path: str, content: Mapping[str, object]) -> None:
        self.path = path
        self.left = dict(content)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if kind is None and self.left:
            raise ValueError(f"{self.path or 'tariff'}: unknown {', '.join(sorted(self.left))}")

    def section(self, key: str) -> "TariffSection":
        # TOML tables always have text for keys, so the check of the type is enough.
        table: dict[str, object] = self._take(key, dict)
        if not table:
            raise ValueError(f"{self._path_of(key)}: empty")
        return TariffSection(self._path_of(key), table)

    def text(self, key: str) -> str:
        return self._take(key, str)

    def day(self, key: str) -> date:
        return self._take(key, date)

    def amount(self, key: str) -> int:
        return self._take(key, int)

    def values(self, key: str) -> list[object]:
        return self._take(key, list)

    def factor(self, key: str) -> Decimal:
        """Read a decimal that is written as text.

        Trailing zeros go, so that a neutral 1.00 adds no digits to the amounts it multiplies.
        """
        text = self._take(key, str)
        try:
            value = Decimal(text)
        except InvalidOperation:
            raise ValueError(f"{self._path_of(key)}: {text!r} is not a decimal") from None
        if not value.is_finite() or value < 0:
            raise ValueError(f"{self._path_of(key)}: {text!r} is not a factor")
        is_whole = value == value.to_integral_value()
        return value.to_integral_value() if is_whole else value.normalize()

    def factors_by_name(self) -> Mapping[str, Decimal]:
        return MappingProxyType({key: self.factor(key) for key in list(self.left)})

    def factors_by_amount(self, key: str) -> Mapping[int, Decimal]:
        with self.section(key) as table:
            return MappingProxyType({number: table.factor(name) for name, number in table.numbers().items()})

    def amounts_by_amount(self, key: str) -> Mapping[int, int]:
        with self.section(key) as table:
            return MappingProxyType({number: table.amount(name) for name, number in table.numbers().items()})

    def factor_bands(self, key: str) -> Bands[Decimal]:
        table = self.factors_by_amount(key)
        return Bands(tuple(table), tuple(table.values()))

    def amount_bands(self, key: str) -> Bands[int]:
        table = self.amounts_by_amount(key)
        return Bands(tuple(table), tuple(table.values()))

    def curve(self, key: str) -> Curve:
        points = self.amounts_by_amount(key)
        if len(points) < FEWEST_POINTS_OF_A_CURVE or min(*points, *points.values()) <= 0:
            raise ValueError(f"{self._path_of(key)}: a curve needs two points or more, all above zero")
        if len(set(points)) != len(points) or list(points) != sorted(points):
            raise ValueError(f"{self._path_of(key)}: revenues are not in rising order")
        return Curve.through(points)

    def classes(self, key: str) -> Classes:
        with self.section(key) as table:
            with table.section("factors") as factors:
                by_class = factors.factors_by_name()
            with table.section("options") as options:
                by_question = {bare_id(question): options.texts(question) for question in list(options.left)}
            return Classes(table.text("unanswered"), by_class, MappingProxyType(by_question))

    def texts(self, key: str) -> Mapping[str, str]:
        with self.section(key) as table:
            return MappingProxyType({name: table.text(name) for name in list(table.left)})

    def modifier_group(self, key: str, *, dearest: bool = False) -> ModifierGroup:
        """Read a group of modifier rows; of several options the best counts in it, or the dearest."""
        with self.section(key) as table:
            rows = table.values("rows")
            return ModifierGroup(
                label=table.text("label"),
                rows=tuple(
                    _read_row(f"{table.path}.rows[{n}]", row, dearest=dearest) for n, row in enumerate(rows)
                ),
                floor=table.factor("floor") if "floor" in table.left else None,
                cap=table.factor("cap") if "cap" in table.left else None,
            )

    def numbers(self) -> dict[str, int]:
        try:
            numbers = {key: int(key) for key in self.left}
        except ValueError:
            raise ValueError(f"{self.path}: not every key is a whole number") from None
        if len(set(numbers.values())) != len(numbers):
            raise ValueError(f"{self.path}: the same number twice")
        return numbers

    def _take(self, key: str, kind: type[Kind]) -> Kind:
        if key not in self.left:
            raise ValueError(f"{self._path_of(key)}: missing")
        value = self.left.pop(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{self._path_of(key)}: {value!r} is not of type {kind.__name__}")  # noqa: TRY004 - a fault of the file, as the others
        return value

    def _path_of(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _read_row(path: str, content: object, *, dearest: bool) -> Modifier:
    if not isinstance(content, dict):
        raise ValueError(f"{path}: not a table")  # noqa: TRY004 - a fault of the file, as the others
    with TariffSection(path, content) as row:
        kind = row.text("kind")
        question, label = bare_id(row.text("question")), row.text("label")
        match kind:
            case "yes_no":
                yes, no = row.factor("yes"), row.factor("no")
                return YesNo(question, Factor(label, "Yes", yes), Factor(label, "No", no))
            case "choice":
                return _read_choice(row, question, label, dearest=dearest)
            case "flagged":
                flagged = tuple(str(option) for option in row.values("options"))
                return Flagged(question, label, flagged, row.factor("factor"))
            case "banded":
                return Banded(question, label, row.text("unit"), row.factor_bands("bands"))
            case _:
                raise ValueError(f"{path}: unknown kind {kind!r}")


def _read_choice(row: TariffSection, question: str, label: str, *, dearest: bool) -> Choice:
    with row.section("options") as table:
        factors = table.factors_by_name()
    return Choice(
        question,
        label,
        MappingProxyType({option: Factor(label, option, value) for option, value in factors.items()}),
        otherwise=row.factor("otherwise") if "otherwise" in row.left else None,
        only_when_no=row.text("only_when_no") if "only_when_no" in row.left else None,
        dearest=dearest,
    )
