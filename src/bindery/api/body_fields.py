"""The fields that bodies have: what was sent in addition, and what was sent to no effect."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

from msgspec import inspect

from bindery.api.body_words import did_you_mean, path_inside
from bindery.base.errors import Problem
from bindery.contract.quotes import OPEN_OBJECTS

MOST_NAMED: Final = 20
"""How many unknown fields are named one by one."""


@dataclass(frozen=True)
class Fields:
    """The fields of an object.

    `inside` are the fields of objects in it, also where there is a list of them. `is_closed`: others have no
    meaning in it; an object that keeps other fields, or refuses them, is not closed.
    """

    names: frozenset[str]
    optional: frozenset[str]
    whole_numbers: frozenset[str]
    inside: Mapping[str, "Fields"]
    is_closed: bool

    @cached_property
    def homes(self) -> Mapping[str, str]:
        """Return where the fields of objects inside this one belong, by their names."""
        homes: dict[str, str] = {}
        for name, fields in self.inside.items():
            below = {**fields.homes, **{inner: inner for inner in fields.names}}
            homes = {**{inner: f"{name}.{path}" for inner, path in below.items()}, **homes}
        return homes


def tidied(raw: object, fields: Fields) -> object:
    """Return a body without nulls in place of optional fields, and with 2500000 for 2500000.0.

    A null says that the field is not given. Floats become whole numbers only where those are meant.
    """
    if isinstance(raw, list):
        return [tidied(item, fields) for item in raw]
    if not isinstance(raw, dict):
        return raw
    return {
        name: _tidied_field(name, value, fields)
        for name, value in raw.items()
        if value is not None or name not in fields.optional
    }


def _tidied_field(name: str, value: object, fields: Fields) -> object:
    if name in fields.inside:
        return tidied(value, fields.inside[name])
    if isinstance(value, float) and name in fields.whole_numbers and value.is_integer():
        return int(value)
    return value


def knows_all(raw: Mapping[str, Any], fields: Fields) -> bool:
    """Whether a well-formed object has no field that is unknown; quick, since hardly any has."""
    if fields.is_closed and not fields.names.issuperset(raw):
        return False
    for name, inner in fields.inside.items():
        value = raw.get(name)
        if isinstance(value, dict):
            if not knows_all(value, inner):
                return False
        elif value and inner.is_closed and not inner.names.issuperset(chain.from_iterable(value)):
            # A list is looked at whole: the objects in lists hold no others.
            return False
    return True


def unknown_fields(raw: object, fields: Fields) -> tuple[Problem, ...]:
    """Return a warning for each field of a body that has no meaning; of many, one for the rest."""
    found = list(_unknown(raw, fields, ""))
    named = [_ignored(path, name, around) for path, name, around in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        rest = f"{len(found) - MOST_NAMED:,} more fields are not known and were ignored"
        named.append(Problem("", "unknown_field", rest))
    return tuple(named)


def _unknown(raw: object, fields: Fields, path: str) -> Iterator[tuple[str, str, Fields]]:
    """Find the unknown fields: each with its path, its name, and the known fields next to it."""
    if isinstance(raw, list):
        for number, item in enumerate(raw):
            yield from _unknown(item, fields, path_inside(path, number))
    elif isinstance(raw, dict):
        for name, value in raw.items():
            inside = path_inside(path, name)
            if name in fields.inside:
                yield from _unknown(value, fields.inside[name], inside)
            elif fields.is_closed and name not in fields.names:
                yield inside, name, fields


def _ignored(path: str, name: str, fields: Fields) -> Problem:
    home = fields.homes.get(name)
    hint = f"; did you mean {home}?" if home else did_you_mean(name, sorted(fields.names))
    return Problem(path, "unknown_field", f"{path} is not a known field and was ignored{hint}")


def fields_of(body_type: type) -> Fields:
    """Return the fields of a type of body."""
    info = inspect.type_info(body_type)
    assert isinstance(info, inspect.StructType), "a body is an object"
    return _fields(info)


def _fields(info: inspect.StructType) -> Fields:
    types = {field.encode_name: list(_flat(field.type)) for field in info.fields}
    inside = {
        name: _fields(struct)
        for name, found in types.items()
        for struct in found
        if isinstance(struct, inspect.StructType)
    }
    lists = [name for name, found in types.items() if any(isinstance(t, inspect.ListType) for t in found)]
    assert not any(inside[name].inside for name in lists if name in inside), "see `knows_all`"
    return Fields(
        names=frozenset(types),
        optional=frozenset(field.encode_name for field in info.fields if not field.required),
        whole_numbers=frozenset(name for name, found in types.items() if any(map(_is_whole, found))),
        inside=inside,
        is_closed=not info.forbid_unknown_fields and info.cls not in OPEN_OBJECTS,
    )


def _flat(info: inspect.Type) -> Iterator[inspect.Type]:
    """Take unions, lists and annotations apart."""
    match info:
        case inspect.Metadata(type=inner):
            yield from _flat(inner)
        case inspect.ListType(item_type=inner):
            yield info
            yield from _flat(inner)
        case inspect.UnionType(types=inners):
            for inner in inners:
                yield from _flat(inner)
        case _:
            yield info


def _is_whole(info: inspect.Type) -> bool:
    return isinstance(info, inspect.IntType) or (
        isinstance(info, inspect.LiteralType) and all(isinstance(value, int) for value in info.values)
    )
