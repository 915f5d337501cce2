"""A path names one resource, and what can be done is what that resource takes."""

import pytest

from bindery.api.operations import OPERATIONS
from support.intake import changed
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATHS = sorted({row.path for row in OPERATIONS})


def filled(path: str) -> str:
    values = {"document_type": "binder", "packet_template_type": "quote", "product": "CYB"}
    return "/".join(
        values.get(part[1:-1], "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55") if part.startswith("{") else part
        for part in path.split("/")
    )


def methods_of(path: str) -> set[str]:
    methods = {row.method for row in OPERATIONS if row.path == path}
    return {*methods, "OPTIONS", *({"HEAD"} if "GET" in methods else ())}


async def test_options_lists_what_the_resource_takes(shared: Service, subtests: pytest.Subtests) -> None:
    for path in PATHS:
        with subtests.test(path):
            answer = await shared.http.options(filled(path))

            assert (answer.status_code, answer.content) == (204, b"")
            assert answer.headers["allow"] == ", ".join(sorted(methods_of(path)))


async def test_every_other_method_is_refused_with_the_same_list(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for path in PATHS:
        with subtests.test(path):
            for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - methods_of(path):
                answer = await shared.http.request(method, filled(path), headers=shared.headers)

                assert answer.status_code == 405, method
                assert answer.headers["allow"] == ", ".join(sorted(methods_of(path)))


async def test_head_is_answered_as_get(shared: Service, subtests: pytest.Subtests) -> None:
    for path in [path for path in PATHS if "HEAD" in methods_of(path)]:
        with subtests.test(path):
            got = await shared.get(filled(path))
            head = await shared.http.head(filled(path), headers=shared.headers)

            assert head.status_code == got.status_code
            assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v2/quotes/0/pause_renewal", "OPTIONS, POST"),
        ("GET", "/v2/quotes/binder/pause_renewal", "OPTIONS, POST"),
        ("GET", "/v2/quotes/validate", "OPTIONS, POST"),
        ("DELETE", "/v2/quotes/validate", "OPTIONS, POST"),
        ("POST", "/v2/quotes/binder/0", "GET, HEAD, OPTIONS"),
    ],
)
async def test_a_path_that_two_patterns_fit_is_the_more_exact_one(
    shared: Service, method: str, path: str, allowed: str
) -> None:
    answer = await shared.http.request(method, path, headers=shared.headers)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "DELETE"])
@pytest.mark.parametrize("path", ["/v2/quotes/0/cancel", "/v2/quotes/0197b2c4/nothing", "/v2/questions/XYZ"])
async def test_what_names_no_document_is_not_taken_for_one(shared: Service, method: str, path: str) -> None:
    answer = await shared.http.request(method, path, headers=shared.headers)

    assert answer.status_code == 404
    if method != "OPTIONS":
        assert answer.json()["code"] == "unknown_path"


async def test_asking_for_an_unknown_document_still_says_which_there_are(shared: Service) -> None:
    answer = await shared.get("/v2/quotes/leaflet/0")

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "unknown_document_type"


@pytest.mark.parametrize("path", ["/openapi.json", "/.well-known/openapi.json"])
async def test_where_tools_look_first_leads_to_the_openapi_document(shared: Service, path: str) -> None:
    answer = await shared.http.get(path, follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (307, "/v2/openapi.json")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "gzip"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": 'application/json; charset="latin-1"'},
    ],
)
async def test_a_body_that_would_be_misread_is_refused(shared: Service, headers: dict[str, str]) -> None:
    answer = await shared.http.post(
        "/v2/quotes/validate", json=changed(), headers={**shared.headers, **headers}
    )

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "identity"},
        {"Content-Type": "application/json; charset=UTF-8"},
        {"Content-Type": 'application/json;charset="utf-8"'},
    ],
)
async def test_a_body_that_says_what_json_is_anyway_is_taken(
    shared: Service, headers: dict[str, str]
) -> None:
    answer = await shared.http.post(
        "/v2/quotes/validate", json=changed(), headers={**shared.headers, **headers}
    )

    assert (answer.status_code, answer.json()["valid"]) == (200, True)
