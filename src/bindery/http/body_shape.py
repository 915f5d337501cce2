"""Bounding the work that a body can cause, whatever it holds.

A body is bounded before it is decoded, by the number of its values. What the validator then looks at is a
copy along the schema: lists only within their limits, and nothing where the schema has no say. So the cost of
explaining a body follows from the schema, not from what was sent.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

from msgspec import inspect

from bindery.base.errors import MOST_LISTED, InvalidRequest, Problem
from bindery.contract.fields import MANY_LINES
from bindery.contract.quotes import OPEN_OBJECTS
from bindery.domain.text import unseen_character
from bindery.http.body_words import counted, did_you_mean, path_inside

Schema = Mapping[str, Any]

MOST_VALUES: Final = 10_000
"""How many fields and items a body may hold in all: several times what the largest request needs."""
MAX_DEPTH: Final = 64
"""How deeply lists and objects may be nested, so that no reader of what is shown again runs out of stack."""
LONGEST_JUDGED: Final = 10_000
"""How much of a text the validator is shown: more than any field may hold."""
_QUOTE: Final = ord('"')

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{,]', re.DOTALL)


def check_count(body: bytes) -> None:
    # A value comes after a bracket or a comma. Texts hold such characters too, so a body that has many of
    # them is looked at again, text by text.
    if body.count(b",") + body.count(b"[") + body.count(b"{") <= MOST_VALUES:
        return
    values, texts = 0, 0
    for token in _TOKEN.finditer(body):
        if body[token.start()] == _QUOTE:
            texts += 1
        else:
            values += 1
        # A field has two texts at most. What is not JSON may have texts without anything between them.
        if values > MOST_VALUES or texts > 2 * MOST_VALUES:
            flaw = f"must not hold more than {MOST_VALUES:,} values in all"
            raise InvalidRequest.because([Problem("", "too_many_items", flaw)])


def check_depth(raw: object) -> None:
    """Check the depth level by level: a body that is nested too deeply must not be recursed into."""
    level = [raw]
    for _ in range(MAX_DEPTH):
        containers = (item for item in level if isinstance(item, dict | list))
        level = [
            inside
            for container in containers
            for inside in (container.values() if isinstance(container, dict) else container)
            if isinstance(inside, dict | list)
        ]
        if not level:
            return
    raise too_deep()


def too_deep() -> InvalidRequest:
    return InvalidRequest.at("", "too_deep", f"must not be nested more than {MAX_DEPTH} deep")


class Look:
    """One look at a body along its schema: what the validator is to judge, and what was found on the way.

    `overlong` are the paths of lists and maps over their limits; what is inside them is not looked at.
    """

    def __init__(self, raw: object, schema: Schema) -> None:
        self._definitions: Mapping[str, Schema] = schema["$defs"]
        self.problems: list[Problem] = []
        self.overlong: set[str] = set()
        self.judged = self._copy(raw, schema, "")

    def _copy(self, value: object, schema: Schema, path: str) -> object:
        match value:
            case str():
                if not value.isprintable():
                    text = self._branch(schema, "string")
                    self._check_text(value, path, many_lines=not text or MANY_LINES in text)
                return value[:LONGEST_JUDGED]
            case list():
                return self._copy_list(value, self._branch(schema, "array"), path)
            case dict():
                return self._copy_object(value, self._branch(schema, "object"), path)
            case _:
                return value

    def _copy_list(self, value: list[object], schema: Schema, path: str) -> list[object] | None:
        if self._is_over(len(value), schema.get("maxItems"), "item", path):
            return None
        items: Schema = schema.get("items", {})
        copied = [self._copy(item, items, path_inside(path, number)) for number, item in enumerate(value)]
        return copied if items else []

    def _copy_object(self, value: dict[str, object], schema: Schema, path: str) -> dict[str, object] | None:
        if self._is_over(len(value), schema.get("maxProperties"), "field", path):
            return None
        known: Mapping[str, Schema] = schema.get("properties", {})
        others: Schema | bool = schema.get("additionalProperties", {})
        copied = {}
        for name, item in value.items():
            if (character := unseen_character(name)) is not None:
                flaw = f"must not contain the character {character} in a name"
                self.problems.append(Problem(path, "bad_character", flaw))
            inside = known.get(name, others)
            if isinstance(inside, bool):
                hint = did_you_mean(name, known) if len(self.problems) < MOST_LISTED else ""
                flaw = f"is not allowed here{hint}"
                self.problems.append(Problem(path_inside(path, name), "unknown_field", flaw))
                continue
            judged = self._copy(item, inside, path_inside(path, name))
            if inside:
                copied[name] = judged
        return copied

    def _branch(self, schema: Schema, json_type: str) -> Schema:
        if not schema or schema.get("type") == json_type:
            return schema
        if "$ref" in schema:
            return self._branch(self._definitions[schema["$ref"].rpartition("/")[2]], json_type)
        branches = (self._branch(branch, json_type) for branch in schema.get("anyOf", ()))
        return next(filter(None, branches), {})

    def _is_over(self, count: int, most: int | None, noun: str, path: str) -> bool:
        if most is None or count <= most:
            return False
        self.problems.append(Problem(path, "too_many_items", f"must have at most {counted(most, noun)}"))
        self.overlong.add(path)
        return True

    def _check_text(self, text: str, path: str, *, many_lines: bool) -> None:
        character = unseen_character(text, many_lines=many_lines)
        if character is not None:
            flaw = f"must not contain the character {character}"
            self.problems.append(Problem(path, "bad_character", flaw))


MOST_NAMED: Final = 20


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
    """Whether a well-formed object has no unknown field; quick, since hardly any has."""
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
    """Return a warning for each unknown field; of many, one for the rest."""
    found = list(_unknown(raw, fields, ""))
    named = [_ignored(path, name, around) for path, name, around in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        rest = f"{len(found) - MOST_NAMED:,} more fields are not known and were ignored"
        named.append(Problem("", "unknown_field", rest))
    return tuple(named)


def _unknown(raw: object, fields: Fields, path: str) -> Iterator[tuple[str, str, Fields]]:
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
