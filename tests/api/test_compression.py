"""Long texts are compressed for those who take it; documents and short answers are sent as they are."""

import gzip

import httpx
import pytest
from starlette.datastructures import Headers

from bindery.api.representation import COMPRESSED_FROM, Representation, accepts_gzip
from support.intake import changed
from support.service import Service

GZIP = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}


async def raw(service: Service, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """Ask, and return the answer with its bytes as they went over the wire."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with service.http.stream("GET", path, headers={**service.headers, **named}) as answer:
        return answer, b"".join([chunk async for chunk in answer.aiter_raw()])


@pytest.mark.parametrize("path", ["/docs", "/v2/openapi.json", "/v2/questions/CYB"])
async def test_a_long_text_is_compressed_for_those_who_take_it(service: Service, path: str) -> None:
    plain, content = await raw(service, path, **PLAIN)
    answer, compressed = await raw(service, path, **GZIP)

    assert "content-encoding" not in plain.headers
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(compressed))
    assert gzip.decompress(compressed) == content
    assert len(compressed) < len(content) / 3
    assert plain.headers["vary"] == answer.headers["vary"] == "Accept-Encoding"


async def test_a_short_answer_is_sent_as_it_is(service: Service) -> None:
    answer, _ = await raw(service, "/v2/health_check", **GZIP)

    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "Accept-Encoding"


async def test_a_refusal_with_many_problems_is_compressed_too(service: Service) -> None:
    body = changed(("questions", [{"id": f"Q{number}", "value": 1} for number in range(100)]))

    answer = await service.post("/v2/quotes", body, Accept_Encoding="gzip")

    assert (answer.status_code, answer.headers["content-encoding"]) == (400, "gzip")
    assert len(answer.json()["errors"]) == 100


async def test_a_quote_is_compressed_and_a_document_is_not(working_service: Service) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]

    shown, content = await raw(working_service, f"/v2/quotes/{identifier}", **GZIP)
    letter, pdf = await raw(working_service, f"/v2/quotes/quote_letter/{identifier}", **GZIP)

    assert shown.headers["content-encoding"] == "gzip"
    assert len(content) < 0.6 * len(gzip.decompress(content))
    assert pdf.startswith(b"%PDF-")
    assert {"content-encoding", "vary"} & set(letter.headers) == set()


async def test_a_compressed_answer_has_a_tag_of_its_own_and_each_tag_is_good_for_a_304(
    service: Service,
) -> None:
    path = "/v2/questions/TEO"
    plain, _ = await raw(service, path, **PLAIN)
    compressed, _ = await raw(service, path, **GZIP)
    tags = [plain.headers["etag"], compressed.headers["etag"]]

    assert tags[1] == f'{tags[0][:-1]}-gzip"'
    for tag in tags:
        for named in (tag, f"W/{tag}", f'"other", {tag}'):
            answer, content = await raw(service, path, If_None_Match=named, **GZIP)
            assert (answer.status_code, content, answer.headers["etag"]) == (304, b"", tag)
            assert answer.headers["vary"] == "Accept-Encoding"
    changed_tag, _ = await raw(service, path, If_None_Match=f"{tags[0][:-2]}x", **GZIP)
    assert changed_tag.status_code == 200


async def test_head_says_what_get_would_send(service: Service) -> None:
    sent, content = await raw(service, "/v2/openapi.json", **GZIP)
    head = await service.http.head("/v2/openapi.json", headers=GZIP)

    assert head.headers["content-length"] == str(len(content))
    assert head.headers["etag"] == sent.headers["etag"]


@pytest.mark.parametrize(
    ("sent", "takes_it"),
    [
        ("gzip", True),
        ("GZip", True),
        ("br, gzip;q=0.5", True),
        ("gzip;q=1.000", True),
        ("*", True),
        ("x-gzip", True),
        ("deflate, *;q=0.1", True),
        ("", False),
        ("identity", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("gzipped", False),
    ],
)
def test_who_takes_gzip(sent: str, takes_it: bool) -> None:
    assert accepts_gzip(Headers({"accept-encoding": sent})) is takes_it


def test_whoever_says_nothing_takes_nothing_compressed() -> None:
    assert accepts_gzip(Headers({})) is False


def test_the_shortest_content_that_is_compressed() -> None:
    assert Representation(b"a" * (COMPRESSED_FROM - 1), "text/plain").gzipped is None
    assert Representation(b"a" * COMPRESSED_FROM, "text/plain").gzipped is not None
