"""Two people at one draft: what each of them changed is kept, and what both changed is shown to both.

A page carries a mark of what it showed of each of its fields. A field whose mark fits what is sent was not
touched there, so that what somebody else typed meanwhile stays. A field that both changed keeps what was sent
last, beside it the other's text and name until somebody types there again without such a conflict.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bindery.domain.drafts.fields import SEEN, Fields, is_field

_BETWEEN: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class TypedByOther:
    values: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class TypedForm:
    """What a page sends: the marks of the fields that it showed, and what they hold now."""

    marks: Mapping[str, str]
    typed: Fields


@dataclass(frozen=True, slots=True)
class Merged:
    """`conflicts` are the fields that two people changed, `news` those that only somebody else did."""

    fields: Fields
    typists: Mapping[str, str]
    others: Mapping[str, TypedByOther]
    conflicts: tuple[str, ...]
    news: tuple[str, ...] = ()


def mark_of(values: Iterable[str]) -> str:
    text = _BETWEEN.join(values)
    return f"{zlib.crc32(text.encode(errors='surrogatepass')):x}" if text else "0"


def written_marks(names: Iterable[str], fields: Fields) -> str:
    return " ".join(f"{name}:{mark_of(fields.get(name, ()))}" for name in names)


def read_form(marks: str, sent: Iterable[tuple[str, str]]) -> TypedForm:
    """Read what a page sent; fields that are empty, or were never one of a draft, are left out."""
    found: dict[str, tuple[str, ...]] = {}
    for name, value in sent:
        if value and is_field(name):
            found[name] = (*found.get(name, ()), value)
    pairs = (mark.rpartition(":")[::2] for mark in marks.split())
    return TypedForm({name: mark for name, mark in pairs if is_field(name)}, found)


def merged(
    stored: Fields,
    typists: Mapping[str, str],
    others: Mapping[str, TypedByOther],
    form: TypedForm,
    *,
    by: str,
) -> Merged:
    fields, people, beside = dict(stored), dict(typists), dict(others)
    conflicts, news = [], []
    for name in (*form.marks, *(name for name in form.typed if name not in form.marks)):
        mine, theirs = form.typed.get(name, ()), stored.get(name, ())
        # A field that came without its mark was never shown, so whatever is in it was typed.
        shown = form.marks.get(name, "")
        if mine == theirs:
            continue
        if mark_of(mine) == shown:
            if name != SEEN and typists.get(name, by) != by:
                news.append(name)
            continue
        beside.pop(name, None)
        # Nobody is in conflict with what they typed themselves a moment ago.
        if shown and mark_of(theirs) != shown and typists.get(name) != by:
            conflicts.append(name)
            beside[name] = TypedByOther(theirs, typists.get(name, ""))
        fields[name] = mine
        people[name] = by
        if not mine:
            del fields[name]
    return Merged(fields, people, beside, tuple(conflicts), tuple(news))
