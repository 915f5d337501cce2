"""Bodies as bytes: keys given twice, marks, encodings, and what a person reads when a body is not JSON."""

import gzip
import json
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from bindery.http.bodies import read_json, repeated_keys
from support.intake import changed, nothing_written, send_raw
from support.service import Service

service_test = pytest.mark.asyncio(loop_scope="module")

GOOD = json.dumps(changed()).encode()


async def refused(service: Service, content: bytes, status: int = 400, **headers: str) -> dict[str, Any]:
    async with nothing_written(service):
        answer = await send_raw(service, content, **headers)
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


@service_test
@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (b'"client": {', b'"client": {"name": "First", ', "client.name"),
        (b'"client": {', b'"client": {"na\\u006de": "First", ', "client.name"),
        (b'"client": {', b'"client": {"note": "a\\u003ab", "name": "First", ', "client.name"),
        (
            b'"aggregate_limit"',
            b'"aggregate_limit": 250000, "aggregate_limit"',
            "policy.quotes[0].aggregate_limit",
        ),
        (b'"client": {', b'"client": {"metadata": {"a": [{"b": 1, "b": 1}]}, ', "client.metadata.a[0].b"),
        (b'"client": {', b'"policy": {}, "client": {', "policy"),
    ],
)
async def test_a_key_given_twice_in_one_object_is_refused_with_its_path(
    shared: Service, old: bytes, new: bytes, path: str
) -> None:
    body = await refused(shared, GOOD.replace(old, new, 1))

    assert body["errors"] == [
        {"path": path, "code": "duplicate_key", "message": "must not be given twice in one object"}
    ]


@service_test
async def test_a_key_given_twice_is_named_beside_everything_else(shared: Service) -> None:
    content = GOOD.replace(b'"client": {', b'"client": {"dba": "", "dba": 5, ', 1)

    body = await refused(shared, content)
    foretold = await shared.http.post(
        "/v2/quotes/validate",
        content=content,
        headers={**shared.headers, "content-type": "application/json"},
    )

    found = [(error["path"], error["code"]) for error in body["errors"]]
    assert found == [("client.dba", "duplicate_key"), ("client.dba", "wrong_type")]
    assert foretold.json()["errors"] == body["errors"]


@service_test
async def test_the_same_key_in_two_objects_is_no_repetition(shared: Service) -> None:
    content = GOOD.replace(b'"client": {', b'"client": {"metadata": {"name": {"name": "a:b\\u003ac"}}, ', 1)

    assert (await send_raw(shared, content)).status_code == 200


TEXTS = st.text(st.sampled_from('ab:"\\{},é\u003a/ \n'), max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(TEXTS, inner), max_size=4).map(tuple),
    max_leaves=12,
)


def written(value: Any, escape: bool) -> str:
    """Write JSON in which a tuple of pairs is an object, repeated keys and all."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{written(k, escape)} : {written(v, escape)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(item, escape) for item in value) + "]"
    text = json.dumps(value, ensure_ascii=escape)
    return text.replace(":", "\\u003A") if escape else text


def repeats(value: Any) -> int:
    """Count the keys that an object has had before."""
    if isinstance(value, tuple):
        return len(value) - len(dict(value)) + sum(repeats(item) for _, item in value)
    return sum(map(repeats, value)) if isinstance(value, list) else 0


@hypothesis.given(VALUES, st.booleans())
def test_every_repetition_is_found_and_nothing_else(value: Any, escape: bool) -> None:
    body = written(value, escape).encode()

    assert len(repeated_keys(body, read_json(body))) == repeats(value)


@service_test
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The body is empty"),
        (b" \n", "The body is empty"),
        (b"{", "The body ends before its JSON does, at byte 1"),
        (GOOD[:-1], f"The body ends before its JSON does, at byte {len(GOOD) - 1:,}"),
        (b'{"a": "\xff"}', "The body is not UTF-8 at byte 7"),
        ('{"é": "ü"'.encode() + b"\xff}", "The body is not UTF-8 at byte 11"),
        (GOOD.decode().encode("utf-16"), "The body is not UTF-8 at byte 0"),
        ('{"é": nonsense}'.encode(), "The body is not JSON at byte 7: a value is expected"),
        (b"{'client': 1}", "The body is not JSON at byte 1: a name in double quotes is expected"),
        (b'{"a" 1}', "The body is not JSON at byte 5: a colon is expected"),
        (
            b'{"a": 1 "b": 2}',
            "The body is not JSON at byte 8: a comma or the end of the list or object is expected",
        ),
        (b'{"a": 1} x', "The body is not JSON at byte 9: there is more after its end"),
        (b'{"a": "b}', "The body is not JSON at byte 6: the text that begins there has no end"),
        (
            b'{"a": "b\x01"}',
            "The body is not JSON at byte 8: a text must not hold a control character that is not escaped",
        ),
        (
            b'{"a": "\\x"}',
            'The body is not JSON at byte 7: a backslash must be followed by one of " \\ / b f n r t u',
        ),
        (
            b'{"a": "\\\\", "b": "\\ud800"}',
            "The body is not JSON at byte 18: the escape is half of a surrogate pair",
        ),
        (b'{"a": NaN}', "The body is not JSON: NaN is not a number there"),
        (b'{"a": -Infinity}', "The body is not JSON: -Infinity is not a number there"),
        (b'{"a": 1e999}', "The body holds a number that is too large"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "The body holds a number that is too large"),
    ],
)
async def test_what_is_not_json_is_said_in_plain_words_with_its_place(
    shared: Service, content: bytes, message: str
) -> None:
    body = await refused(shared, content)

    assert body["message"] == message
    assert body["errors"] == [{"path": "", "code": "malformed_json", "message": message}]


@service_test
@pytest.mark.parametrize("pair", [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("depth", [65, 5_000])
async def test_lists_and_objects_too_deep_in_each_other_are_refused_as_that(
    shared: Service, pair: tuple[bytes, bytes], depth: int
) -> None:
    body = await refused(shared, pair[0] * depth + b"1" + pair[1] * depth)

    assert body["message"] == "must not be nested more than 64 deep"
    assert [error["code"] for error in body["errors"]] == ["too_deep"]


@service_test
@pytest.mark.parametrize("content", [b"[]", b"null", b"5", b'"text"', b"true"])
async def test_a_body_that_is_no_object_is_told_that_alone(shared: Service, content: bytes) -> None:
    body = await refused(shared, content)

    assert body["errors"] == [{"path": "", "code": "wrong_type", "message": "must be an object"}]


@service_test
@pytest.mark.parametrize("content", [b"{}", b'{"policy": []}'])
async def test_no_answers_are_missed_before_it_is_known_what_is_asked_for(
    shared: Service, content: bytes
) -> None:
    body = await refused(shared, content)

    assert {error["code"] for error in body["errors"]} <= {"required", "wrong_type"}
    assert {error["path"] for error in body["errors"]} == {"client", "policy", "questions"}


@service_test
async def test_a_byte_order_mark_is_passed_over(shared: Service) -> None:
    answer = await send_raw(shared, b"\xef\xbb\xbf" + GOOD)

    assert answer.status_code == 200
    kept: str = await shared.runtime.database.pool.fetchval(
        "select body from submissions where company_id = $1", int(answer.json()["company_id"])
    )
    assert kept.startswith("{")


@service_test
@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "utf8"])
async def test_utf_8_may_be_named(shared: Service, charset: str) -> None:
    answer = await send_raw(shared, GOOD, content_type=f"application/json; charset={charset}")

    assert answer.status_code == 200


@service_test
@pytest.mark.parametrize("charset", ["utf-16", "iso-8859-1", "windows-1252"])
async def test_another_charset_is_refused(shared: Service, charset: str) -> None:
    body = await refused(shared, GOOD, 415, content_type=f"application/json; charset={charset}")

    assert body["code"] == "unsupported_media_type"
    assert body["message"] == "The body must be UTF-8: send charset=utf-8, or no charset."


@service_test
async def test_a_compressed_body_is_refused_as_that(shared: Service) -> None:
    body = await refused(shared, gzip.compress(GOOD), 415, content_encoding="gzip")

    assert body["code"] == "unsupported_media_type"
    assert body["message"] == "The body must be sent as it is, without Content-Encoding."
    assert (await send_raw(shared, GOOD, content_encoding="identity")).status_code == 200
