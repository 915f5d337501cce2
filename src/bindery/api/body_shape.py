"""Bounding the work that a body can cause, whatever it holds.

A body is bounded before it is decoded, by the number of its values. What the validator then looks at is a
copy along the schema: lists only within their limits, and nothing where the schema has no say. So the cost of
explaining a body follows from the schema, not from what was sent.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from bindery.api.body_words import counted, did_you_mean, path_inside
from bindery.base.errors import MOST_LISTED, InvalidRequest, Problem
from bindery.contract.texts import MANY_LINES
from bindery.domain.text import unseen_character

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
    """Count the values of a body that is not decoded yet.

    Raises:
        InvalidRequest: there are too many.
    """
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
    """Check how deep lists and objects are nested, level by level: too deep a body must not be recursed into.

    Raises:
        InvalidRequest: they are nested too deeply.
    """
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
    """Return the refusal of a body whose lists and objects are nested too deeply."""
    return InvalidRequest.because([Problem("", "too_deep", f"must not be nested more than {MAX_DEPTH} deep")])


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
        """Return what the schema says of values of a type; nothing where it does not take them."""
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
