import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bindery.base.errors import Problem
from bindery.base.ids import IDENTIFIER_SHAPE

_NEW_SHAPES = {
    "quote": re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    "company": re.compile(r"[1-9][0-9]{8}"),
}


@dataclass(frozen=True, slots=True)
class LegacyRow:
    kind: str
    old_id: str
    new_id: str


def read_legacy_rows(rows: Iterable[Mapping[str, str | None]]) -> tuple[list[LegacyRow], list[Problem]]:
    read: list[LegacyRow] = []
    problems: list[Problem] = []
    for number, row in enumerate(rows, start=2):
        kind, old_id, new_id = ((row.get(name) or "").strip() for name in ("kind", "old_id", "new_id"))
        if kind not in _NEW_SHAPES:
            problems.append(Problem(f"line {number}", "bad_kind", "must have the kind quote or company"))
        elif not IDENTIFIER_SHAPE.fullmatch(old_id):
            problems.append(
                Problem(f"line {number}", "bad_old_id", "needs an old_id of letters, digits, - and _")
            )
        elif not _NEW_SHAPES[kind].fullmatch(new_id):
            problems.append(
                Problem(f"line {number}", "bad_new_id", f"needs the identifier of a {kind} as new_id")
            )
        else:
            read.append(LegacyRow(kind, old_id, new_id))
    return read, problems
