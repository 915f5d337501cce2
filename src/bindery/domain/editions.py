"""The data that comes with the program: tables, and dated editions, of which the newest begun is in force."""

import csv
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cached_property
from importlib.resources import files
from typing import Generic, Protocol, TypeVar


class Dated(Protocol):
    @property
    def edition(self) -> str: ...

    @property
    def effective_from(self) -> date: ...


Edition = TypeVar("Edition", bound=Dated)


class Editions(Generic[Edition]):
    """All editions of one kind, read once; errors call one of them `kind`."""

    def __init__(self, kind: str, read: Callable[[], Iterable[Edition]]) -> None:
        self.kind = kind
        self._read = read

    @cached_property
    def all(self) -> tuple[Edition, ...]:
        return tuple(sorted(self._read(), key=lambda edition: edition.effective_from))

    def in_force(self, day: date) -> Edition:
        for edition in reversed(self.all):
            if edition.effective_from <= day:
                return edition
        raise LookupError(f"No {self.kind} is in force on {day}")

    def named(self, name: str) -> Edition:
        for edition in self.all:
            if edition.edition == name:
                return edition
        raise LookupError(f"There is no {self.kind} edition {name!r}")


def packaged(folder: str) -> Iterator[bytes]:
    return (entry.read_bytes() for entry in files("bindery").joinpath("data", folder).iterdir())


def packaged_rows(name: str) -> Iterator[dict[str, str]]:
    table = files("bindery").joinpath("data", name).read_text(encoding="utf-8")
    return csv.DictReader(table.splitlines())
