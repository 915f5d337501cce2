"""Wording what the schema validator finds."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import reduce
from typing import Any, Final

from bindery.base.clock import flaw_of_day
from bindery.base.errors import Problem
from bindery.base.nearest import nearest
from bindery.contract.quotes import SIX_DIGITS

LONGEST_STEP: Final = 64
LONGEST_PATH: Final = 256


def path_inside(path: str, step: str | int) -> str:
    """Write the path of what is one step inside another: `policy.quotes[2].aggregate_limit`.

    Names come from the caller, so a long one is cut, and a path that has grown long grows no further.
    """
    if len(path) > LONGEST_PATH:
        return path
    if isinstance(step, int):
        return f"{path}[{step}]"
    name = step if len(step) <= LONGEST_STEP else f"{step[:LONGEST_STEP]}…"
    return f"{path}.{name}" if path else name


def did_you_mean(name: str, known: Collection[str]) -> str:
    """End a sentence about an unknown name with the nearest known one, or with all of them."""
    meant = nearest(name, known)
    return f"; did you mean {meant}?" if meant else f"; the fields are {', '.join(known)}"


def problems_of(error: Any) -> Iterator[Problem]:  # noqa: ANN401 - the library's errors are untyped
    path = reduce(path_inside, error.instance_path, "")
    details = error.kind.as_dict()
    match error.kind.name:
        case "enum" if _is_among_texts(error.instance, details["options"]):
            yield Problem(path, "wrong_type", "must be a whole number, not a text")
        case "enum":
            yield Problem(path, "not_allowed", _one_of(details["options"], error.instance))
        case "format":
            yield Problem(path, "wrong_format", _flaw_of_format(details["format"], str(error.instance)))
        case "required":
            yield Problem(path_inside(path, details["property"]), "required", "is required")
        case "anyOf":
            yield from _any_of(path, details["context"])
        case name:
            yield Problem(path, *_in_words(name, details))


def _any_of(path: str, context: list[list[Any]]) -> Iterator[Problem]:
    """Word a union's failure: by the branch of the right type where there is one, else by all types."""
    # Null stands for a field that was not given; what was given is held against the rest.
    branches = [branch for branch in context if not _is_null(branch)]
    fitting = [
        branch for branch in branches if all(error.kind.name not in {"type", "enum"} for error in branch)
    ]
    if fitting or len(branches) == 1:
        for error in (fitting or branches)[0]:
            yield from problems_of(error)
        return
    types = dict.fromkeys(
        name for branch in branches for error in branch for name in error.kind.as_dict().get("types", ())
    )
    yield Problem(path, "wrong_type", f"must be {_either(types)}")


def _is_null(branch: list[Any]) -> bool:
    return any(error.kind.name == "type" and "null" in error.kind.as_dict()["types"] for error in branch)


_WORDS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], str]]]] = {
    "type": ("wrong_type", lambda details: f"must be {_either(details['types'])}"),
    "enum": ("not_allowed", lambda details: _one_of(details["options"])),
    "minLength": (
        "too_short",
        lambda details: f"must have at least {counted(details['limit'], 'character')}",
    ),
    "maxLength": ("too_long", lambda details: f"must have at most {counted(details['limit'], 'character')}"),
    "minItems": ("too_few_items", lambda details: f"must have at least {counted(details['limit'], 'item')}"),
    "uniqueItems": ("duplicate_items", lambda _: "must not repeat an item"),
    "minimum": ("out_of_range", lambda details: f"must be at least {details['limit']:,}"),
    "maximum": ("out_of_range", lambda details: f"must be at most {details['limit']:,}"),
    "pattern": ("wrong_format", lambda details: f"must {_PATTERNS[details['pattern']]}"),
}


A_TIME: Final = "must be a time with its zone, such as 2026-01-01T00:00:00Z"
A_UUID: Final = "must be a UUID, such as 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55"


def _is_among_texts(value: object, options: Collection[Any]) -> bool:
    """Whether a text is sent where one of some numbers is meant."""
    return isinstance(value, str) and all(isinstance(option, int) for option in options)


def _one_of(options: Collection[Any], value: object = None) -> str:
    meant = nearest(value, options) if isinstance(value, str) else None
    return f"must be one of {', '.join(map(str, options))}{f'; did you mean {meant}?' if meant else ''}"


def _flaw_of_format(name: str, text: str) -> str:
    match name:
        case "date":
            return flaw_of_day(text)
        case "date-time":
            return A_TIME
        case "uuid":
            return A_UUID
        case _:
            return f"must be a {name}"


_PATTERNS: Final[Mapping[str, str]] = {SIX_DIGITS: "be six digits"}


def _in_words(keyword: str, details: dict[str, Any]) -> tuple[str, str]:
    code, message = _WORDS.get(keyword, ("invalid", lambda _: f"breaks the rule {keyword}"))
    return code, message(details)


def counted(limit: int, noun: str) -> str:
    return f"{limit:,} {noun}" if limit == 1 else f"{limit:,} {noun}s"


_ARTICLES = {
    "array": "a list",
    "object": "an object",
    "integer": "a whole number",
    "boolean": "true or false",
}


def _either(types: Any) -> str:  # noqa: ANN401 - a list or a dict's keys
    words = [_ARTICLES.get(name, f"a {name}") if name != "null" else "null" for name in types]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
