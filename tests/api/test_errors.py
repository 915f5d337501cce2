"""Every refusal has the one error body, whatever was sent; nothing that can be sent gives a 500."""

import contextlib
import functools
import json
import operator
from collections.abc import AsyncIterator
from typing import Any

import httpx
import hypothesis
import pytest
from hypothesis import strategies as st

from support.intake import changed, check_is_accepted, nothing_written, send_raw
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOOD = json.dumps(changed()).encode()
ERROR_FIELDS = {
    "message",
    "code",
    "request_id",
    "errors",
    "errors_left_out",
    "reasons",
    "available_statuses",
    "warnings",
}


def error_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the error body, having looked at its shape."""
    assert answer.headers["content-type"] == "application/json"
    body: dict[str, Any] = answer.json()
    assert {"message", "code", "request_id"} <= set(body) <= ERROR_FIELDS
    assert body["message"]
    assert body["request_id"] == answer.headers["x-request-id"]
    for problem in body.get("errors", []):
        assert set(problem) == {"path", "code", "message"}
    return body


def within_client(piece: bytes) -> bytes:
    """Put a piece of JSON in front of the fields of `client`."""
    return GOOD.replace(b'"client": {', b'"client": {' + piece + b", ", 1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"{",
        b"nonsense",
        b"{'client': 1}",
        GOOD[:-1],
        GOOD + b"x",
        GOOD + GOOD,
        GOOD.decode().encode("utf-16"),
        b"\x00",
        b"\xff\xfe\xfd",
        within_client(b'"extra": "\xff"'),
        within_client(b'"metadata": {"a": "\xc3"}'),
        within_client(b'"metadata": {"\xc3": 1}'),
        within_client(b'"extra": "a\x00b"'),
        within_client(b'"extra": "\\ud800"'),
        within_client(b'"metadata": {"a": "\\udc00\\ud800"}'),
        within_client(b'"metadata": {"\\ud800": 1}'),
        within_client(b'"extra": NaN'),
        within_client(b'"extra": -Infinity'),
        within_client(b'"extra": 1e999'),
        within_client(b'"extra": ' + b"9" * 5_000),
        within_client(b'"company_id": ' + b"9" * 5_000),
    ],
)
async def test_what_is_not_json_is_refused_as_such(shared: Service, content: bytes) -> None:
    async with nothing_written(shared):
        answer = await send_raw(shared, content)

    assert answer.status_code == 400
    (problem,) = error_of(answer)["errors"]
    assert (problem["path"], problem["code"]) == ("", "malformed_json")


@pytest.mark.parametrize("value", [b"null", b"[]", b"5", b'"text"', b"true"])
async def test_json_that_is_no_object_is_refused(shared: Service, value: bytes) -> None:
    async with nothing_written(shared):
        answer = await send_raw(shared, value)

    assert answer.status_code == 400
    assert {"path": "", "code": "wrong_type", "message": "must be an object"} in error_of(answer)["errors"]


async def test_lists_and_objects_may_lie_64_deep_in_each_other_and_no_deeper(shared: Service) -> None:
    deep = within_client(b'"extra": ' + b"[" * 62 + b"]" * 62)
    deeper = within_client(b'"extra": ' + b"[" * 63 + b"]" * 63)

    accepted = await send_raw(shared, deep)
    async with nothing_written(shared):
        refused = await send_raw(shared, deeper)

    assert accepted.status_code == 200
    assert refused.status_code == 400
    assert [problem["code"] for problem in error_of(refused)["errors"]] == ["too_deep"]


@pytest.mark.parametrize(
    ("piece", "path"),
    [
        (b'"dba": "a\\u0000b"', "client.dba"),
        (b'"metadata": {"a": ["x", "\\u0000"]}', "client.metadata.a[1]"),
        (b'"metadata": {"a\\u0000": 1}', "client.metadata"),
        (b'"extra": "\\u0000"', "client.extra"),
    ],
)
async def test_a_text_with_the_character_that_no_database_keeps_is_refused(
    shared: Service, piece: bytes, path: str
) -> None:
    async with nothing_written(shared):
        answer = await send_raw(shared, within_client(piece))

    assert answer.status_code == 400
    assert [(p["path"], p["code"]) for p in error_of(answer)["errors"]] == [(path, "bad_character")]


async def test_large_numbers_in_fields_of_no_meaning_are_kept(shared: Service) -> None:
    answer = await send_raw(shared, within_client(b'"metadata": {"a": ' + b"9" * 400 + b"}"))

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/xml", "application/jsonp", "multipart/form-data; boundary=x", "", "json"],
)
async def test_another_content_type_is_answered_415(shared: Service, content_type: str) -> None:
    async with nothing_written(shared):
        answer = await send_raw(shared, GOOD, content_type=content_type)

    assert answer.status_code == 415
    assert error_of(answer)["code"] == "unsupported_media_type"


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"]
)
async def test_json_by_any_spelling_of_its_type_is_taken(shared: Service, content_type: str) -> None:
    assert (await send_raw(shared, GOOD, content_type=content_type)).status_code == 200


async def test_a_body_of_a_megabyte_is_taken_and_one_byte_more_is_not(shared: Service) -> None:
    largest = GOOD + b" " * (1_000_000 - len(GOOD))

    accepted = await send_raw(shared, largest)
    async with nothing_written(shared):
        refused = await send_raw(shared, largest + b" ")

    assert accepted.status_code == 200
    assert refused.status_code == 413
    assert error_of(refused)["code"] == "too_large"


@pytest.mark.parametrize("path", ["/v2/quotes", "/v2/documents"])
async def test_a_length_that_no_body_has_is_too_large(shared: Service, path: str) -> None:
    content_type = "multipart/form-data; boundary=x" if path == "/v2/documents" else "application/json"

    for length in ("9" * 5_000, "9" * 40):
        answer = await shared.http.post(
            path,
            content=GOOD,
            headers={**shared.headers, "content-type": content_type, "content-length": length},
        )

        assert (answer.status_code, error_of(answer)["code"]) == (413, "too_large")


async def test_zeros_before_a_length_do_not_count(shared: Service) -> None:
    assert (await send_raw(shared, GOOD, content_length="0" * 5_000 + str(len(GOOD)))).status_code == 200


async def test_a_body_that_grows_beyond_a_megabyte_unannounced_is_not_read_on(shared: Service) -> None:
    sent = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b" " * 100_000

    async with nothing_written(shared):
        answer = await shared.http.post(
            "/v2/quotes", content=chunks(), headers={**shared.headers, "content-type": "application/json"}
        )

    assert answer.status_code == 413
    assert error_of(answer)["code"] == "too_large"
    assert sent <= 12


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/quotes"),
        ("POST", "/v2/quotes/"),
        ("GET", "/v2/quotes/a/b/c/d/e"),
        ("GET", "/v2/%00"),
        ("GET", "/v2/%ff"),
        ("GET", "/V2/quotes/x"),
        ("DELETE", "/nothing"),
    ],
)
async def test_an_unknown_path_is_answered_404(shared: Service, method: str, path: str) -> None:
    answer = await shared.http.request(method, path, headers=shared.headers)

    assert answer.status_code == 404
    assert error_of(answer)["code"] == "unknown_path"


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/quotes", "/v2/quotes"),
        ("/v2/quotes/", "/v2/quotes"),
        ("/quotes/validate/", "/v2/quotes/validate"),
        ("/v1/quotes", "/v2/quotes"),
        ("/api/v2/quotes", "/v2/quotes"),
        ("/V2/quotes/quote_letter/x", "/v2/quotes/quote_letter/x"),
        ("/bind", "/v2/binds"),
        ("/v2/qoutes", "/v2/quotes"),
    ],
)
async def test_an_unknown_path_is_answered_with_the_one_that_was_meant(
    shared: Service, path: str, meant: str
) -> None:
    answer = await shared.http.post(path, json={}, headers=shared.headers)

    assert answer.status_code == 404
    assert error_of(answer)["message"] == (
        f"There is nothing at {path}. Did you mean {meant}?"
        if path.startswith("/v2/")
        else f"There is nothing at {path}. The API is under /v2: did you mean {meant}?"
    )


async def test_a_path_like_no_other_is_told_where_the_api_is(shared: Service) -> None:
    answer = await shared.http.get("/nothing/of/ours", headers=shared.headers)

    assert error_of(answer)["message"] == "There is nothing at /nothing/of/ours. The API is under /v2."


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v2/demo/clock", {"advance_days": 0, "advanced_days": 5}),
        ("/v2/demo/quotes/x/review", {"decision": "approve", "reasn": "x"}),
        ("/v2/demo/quotes/x/review", {"decision": "approve", "terms": {"premum": 5}}),
        ("/v2/webhooks/x/replay", {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}),
        ("/v2/demo/webhooks/x/fail", {"times": 0, "time": 1}),
    ],
)
async def test_our_own_operations_refuse_fields_they_do_not_have(
    shared: Service, path: str, body: dict[str, Any]
) -> None:
    answer = await shared.post(path, body)

    assert answer.status_code == 400
    assert [problem["code"] for problem in error_of(answer)["errors"]] == ["unknown_field"]


async def test_whole_numbers_of_our_own_operations_may_be_written_as_floats(shared: Service) -> None:
    whole = await shared.post("/v2/demo/clock", {"advance_days": 0.0})
    fraction = await shared.post("/v2/demo/clock", {"advance_days": 0.5})
    times = await shared.post("/v2/demo/webhooks/x/fail", {"times": 33.0})

    assert whole.status_code == 200
    assert [problem["code"] for problem in error_of(fraction)["errors"]] == ["wrong_type"]
    assert error_of(times)["code"] == "unknown_webhook"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE"])
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v2/quotes", "GET, HEAD, OPTIONS, POST"),
        ("/v2/binds", "OPTIONS, POST"),
        ("/v2/quotes/x", "GET, HEAD, OPTIONS"),
        ("/docs", "GET, HEAD, OPTIONS"),
    ],
)
async def test_a_wrong_method_is_answered_405_with_those_allowed(
    shared: Service, method: str, path: str, allowed: str
) -> None:
    answer = await shared.http.request(method, path, headers=shared.headers)

    assert answer.status_code == 405
    assert error_of(answer)["code"] == "method_not_allowed"
    assert answer.headers["allow"] == allowed


async def test_a_request_id_of_the_caller_is_echoed(shared: Service) -> None:
    for given in ("trace-1", "A.b_c-9", "x" * 64):
        answer = await shared.get("/v2/quotes/unknown", X_Request_Id=given)

        assert answer.headers.get_list("x-request-id") == [given]
        assert answer.json()["request_id"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "<script>", "é", "a\tb"])
async def test_a_request_id_of_another_shape_is_replaced(shared: Service, given: str) -> None:
    answer = await shared.http.get(
        "/v2/quotes/unknown",
        headers={**shared.headers, "x-request-id": given.encode()},  # type: ignore[arg-type] # not always ASCII
    )

    made = error_of(answer)["request_id"]
    assert made.startswith("req_")
    assert len(made) == 20


async def test_every_answer_has_a_request_id_of_its_own(shared: Service) -> None:
    answers = [await shared.get("/v2/health_check") for _ in range(20)]

    assert len({answer.headers["x-request-id"] for answer in answers}) == 20


async def test_a_bug_is_answered_500_without_its_inside(shared: Service) -> None:
    pool = shared.runtime.database.pool
    await pool.execute("alter table quotes add constraint broken check (option_number < 0) not valid")

    try:
        async with nothing_written(shared):
            answer = await shared.post("/v2/quotes", changed())
    finally:
        await pool.execute("alter table quotes drop constraint broken")

    assert answer.status_code == 500
    assert error_of(answer)["code"] == "internal_error"
    assert not [word for word in ("Traceback", "broken", "quotes", "asyncpg") if word in answer.text]
    await check_is_accepted(shared, changed())


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["2026-02-30", "full_prior_acts", "Q2134", "PA", "19107", "CYB", 1_000_000]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=5,
)


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of everything that lies within a JSON value."""
    inside: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    return [path, *[deeper for step, item in inside for deeper in paths_of(item, (*path, step))]]


PATHS = [path for path in paths_of(changed()) if path]


@st.composite
def mutations(draw: st.DrawFn) -> Any:
    """Return a good body in which a few places hold something else, or nothing."""
    body: Any = changed()
    for _ in range(draw(st.integers(1, 4))):
        *way, last = draw(st.sampled_from(PATHS))
        # An earlier change may have taken away where this one was to happen.
        with contextlib.suppress(KeyError, IndexError, TypeError):
            place = functools.reduce(operator.getitem, way, body)
            if draw(st.booleans()):
                del place[last]
            else:
                place[last] = draw(JSON_VALUES)
    return body


def searched(examples: int) -> hypothesis.settings:
    shared_service = [hypothesis.HealthCheck.function_scoped_fixture]
    return hypothesis.settings(max_examples=examples, deadline=None, suppress_health_check=shared_service)


@searched(50)
@hypothesis.given(body=mutations())
async def test_no_change_of_a_good_body_crashes_the_service(shared: Service, body: Any) -> None:
    await check_taken_or_refused(shared, body)


@pytest.mark.long
@searched(500)
@hypothesis.given(body=mutations())
async def test_none_of_many_changes_of_a_good_body_crashes_the_service(shared: Service, body: Any) -> None:
    await check_taken_or_refused(shared, body)


async def check_taken_or_refused(shared: Service, body: Any) -> None:
    answer = await shared.post("/v2/quotes", body)
    checked = await shared.post("/v2/quotes/validate", body)

    assert answer.status_code in {200, 400}, body
    assert checked.status_code == 200
    if answer.status_code == 400:
        refused = error_of(answer)
        if refused["code"] == "invalid_request":
            assert refused["errors"] == checked.json()["errors"]
            assert refused["errors"] != []
    assert checked.json()["valid"] is (answer.status_code == 200)
