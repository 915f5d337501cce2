"""Bodies of a megabyte that are made to cost as much as they can."""

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from support.intake import REMOVED, changed, put

LARGEST: Final = 1_000_000
_HOLE: Final = "a hole to be filled"


def filled(path: str, unit: bytes, *, most: int = LARGEST, around: Any = None) -> bytes:
    """Put as many copies of a piece of JSON as there is room for into a list at a path of a body."""
    before, after = _parted(path, around)
    room = LARGEST - len(before) - len(after) - 2
    count = min(most, room // (len(unit) + 1))
    return before + b"[" + b",".join([unit] * count) + b"]" + after


def holding(path: str, value: bytes, *, around: Any = None) -> bytes:
    """Put one piece of JSON at a path of a body."""
    before, after = _parted(path, around)
    return before + value + after


def _parted(path: str, around: Any) -> tuple[bytes, bytes]:
    whole = changed() if around is None else copy.deepcopy(around)
    put(whole, path, _HOLE)
    before, _, after = json.dumps(whole, separators=(",", ":")).encode().partition(json.dumps(_HOLE).encode())
    return before, after


def text(unit: str, size: int = 970_000) -> bytes:
    """Write a JSON string of copies of a text, as long as there is room."""
    encoded = json.dumps(unit, ensure_ascii=False).encode()[1:-1]
    return b'"' + encoded * (size // len(encoded)) + b'"'


def fields(unit: bytes, count: int) -> bytes:
    """Write a JSON object with many fields of the same value."""
    return b"{" + b",".join(b'"%x":%s' % (number, unit) for number in range(count)) + b"}"


def nested(unit: bytes, depth: int) -> bytes:
    return b"[" * depth + unit + b"]" * depth


@cache
def floods() -> dict[str, bytes]:
    """Write the floods of a quote request, by their names."""
    return dict([*_of_values(), *_of_items_within_the_count(), *_of_texts()])


def _of_values() -> Iterator[tuple[str, bytes]]:
    for name, unit in {
        "empty objects": b"{}",
        "numbers": b"1",
        "empty lists": b"[]",
        "answers that are objects": b'{"id":"Q2134","value":{"a":1}}',
        "answers that are there already": b'{"id":"Q2134","value":true}',
        "brackets 60 deep": nested(b"", 60),
        "objects 60 deep": b'{"":' * 60 + b"1" + b"}" * 60,
        "floats of many digits": b"1.2345678901234567e-300",
        "NUL characters": b'"\\u0000"',
        "escaped texts": b'"\\"\\""',
    }.items():
        yield f"questions of {name}", filled("questions", unit)
        yield f"a field that nobody knows, of {name}", filled("client.extra", unit)
    yield "options", filled("policy.quotes", b'{"aggregate_limit":1}')
    yield "domains", filled("client.domains", b'"a"')
    yield "contacts", filled("client.additional_contacts", b"{}")
    yield "chosen options", filled("questions[0].value", b'"a"')
    yield "fields of metadata", holding("client.metadata", fields(b"1", 90_000))
    yield "fields of a contact", holding("client.insured_main_contact", fields(b"1", 90_000))
    yield (
        "a key given twice, over and over",
        holding("client.metadata", b"{" + b",".join([b'"a":1'] * 9_000) + b"}"),
    )
    yield "escaped colons", filled("client.extra", b'"' + b"\\u003a" * 16 + b'"', most=9_000)
    yield (
        "JSON that is malformed at its end",
        filled("client.extra", b'"' + b"a" * 90 + b'"', most=9_000)[:-1],
    )
    yield "unknown fields everywhere", filled("questions", b'{"id":"Q1","value":1,"velue":2}', most=200)
    yield "unknown fields in one place", fields(b"1", 9_900)
    yield "nothing but brackets", filled("client", b"[]", around={})
    yield "texts without commas", b'""' * 499_999
    yield "one text that does not end", b"[" * 20_000 + b'"' + b"\\\\" * 480_000


def _of_items_within_the_count() -> Iterator[tuple[str, bytes]]:
    """Floods that have no more values than a body may have."""
    yield "4,900 empty answers", filled("questions", b"{}", most=4_900)
    yield (
        "200 answers of large objects",
        filled("questions", b'{"id":"Q1","value":' + fields(b"1", 45) + b"}", most=200),
    )
    yield (
        "200 answers with long lists",
        filled("questions", b'{"id":"Q2134","value":[' + b",".join([b'"\\u0000"'] * 46) + b"]}", most=200),
    )
    yield "9,000 floats of many digits", filled("client.extra", b"1." + b"9" * 100 + b"e-300", most=9_000)
    yield (
        "100 contacts with nothing right",
        filled(
            "client.additional_contacts",
            b'{"email":1,"contact_roles":[1,1],"cell_phone":1,"first_name":1,"last_name":1}',
            most=100,
        ),
    )
    yield (
        "9,000 bad characters 60 deep",
        holding("client.extra", nested(b",".join([b'"\\u0000"'] * 9_000), 60)),
    )
    yield (
        "9,000 values under a name of 900 kB",
        holding("client.extra", b'{"' + b"a" * 850_000 + b'":[' + b",".join([b'"\\u0000"'] * 9_000) + b"]}"),
    )
    yield "4,000 fields of a contact", holding("client.insured_main_contact", fields(b"1", 4_000))
    yield (
        "fields of a contact with long names",
        holding(
            "client.insured_main_contact",
            b"{" + b",".join(b'"%d%s":1' % (number, b"\\u0001" * 1_500) for number in range(100)) + b"}",
        ),
    )


def _of_texts() -> Iterator[tuple[str, bytes]]:
    marks = "\u0316\u0300"
    for name, value in {
        "letters": text("a"),
        "commas": text(","),
        "brackets": text("[{"),
        "quotation marks": text('"'),
        "accents in disorder": text(marks),
        "an address": b'"' + b"a" * 480_000 + b"@" + b"b" * 480_000 + b'"',
        "bad characters": text("\u202e"),
    }.items():
        for path in ("client.name", "client.secondary_broker_email", "questions[1].value", "client.extra"):
            yield f"{path} of {name}", holding(path, value)
    yield "75 domains of accents", filled("client.domains", text("ü", 500), most=75)
    yield "75 domains of strange letters", filled("client.domains", text("ü.", 250), most=75)
    yield "100 options of accents", filled("questions[2].value", text(marks, 9_000), most=100)
    yield "an address of accents", holding("client.secondary_broker_email", text(f"a{marks}", 500))
    yield "free texts of accents", _free_texts(text("\u0300", 4_000)[:-1] + text("\u0316", 4_000)[1:])
    yield "an effective date of digits", holding("policy.dates.effective", b'"' + b"9" * 900_000 + b'"')
    yield "a revenue of digits", holding("client.revenue", b"9" * 4_000)


def _free_texts(value: bytes) -> bytes:
    body = changed(("questions", REMOVED))
    ids = range(2100, 2330)
    answers = b",".join(b'{"id":"Q%d","value":%s}' % (number, value) for number in ids)
    return (
        json.dumps(body, ensure_ascii=False).encode()[:-1]
        + b',"questions":['
        + answers[:900_000].rpartition(b',{"id"')[0]
        + b"]}"
    )
