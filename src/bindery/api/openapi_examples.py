"""Examples of answers, as a running demo gave them: `python -m tools.examples` records them again."""

from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

FILE: Final = "examples.json"


class Examples(msgspec.Struct, frozen=True):
    answers: dict[str, dict[str, Any]]
    shared: dict[str, Any]


def example_of(operation: str, status: int) -> object | None:
    return _examples().answers.get(operation, {}).get(str(status))


def shared_example(name: str) -> object | None:
    return _examples().shared.get(name)


@cache
def _examples() -> Examples:
    encoded = (resources.files("bindery.api") / FILE).read_bytes()
    return msgspec.json.decode(encoded, type=Examples)
