"""Long texts are compressed for those who take it; documents and short answers are sent as they are."""

import gzip

import brotli
import httpx
import pytest
from starlette.datastructures import Headers
from starlette.responses import Response

from bindery.http.representation import COMPRESSED_FROM, Coding, Representation, coding_for, compress
from support.intake import changed
from support.service import Service

GZIP = {"Accept-Encoding": "gzip"}
BROTLI = {"Accept-Encoding": "br"}
PLAIN = {"Accept-Encoding": "identity"}
DECOMPRESS = {"br": brotli.decompress, "gzip": gzip.decompress}
on_shared = pytest.mark.asyncio(loop_scope="module")


async def raw(service: Service, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """Ask, and return the answer with its bytes as they went over the wire."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with service.http.stream("GET", path, headers={**service.headers, **named}) as answer:
        return answer, b"".join([chunk async for chunk in answer.aiter_raw()])


@pytest.mark.parametrize("coding", DECOMPRESS)
@pytest.mark.parametrize("path", ["/docs", "/v2/openapi.json", "/v2/questions/CYB"])
@on_shared
async def test_a_long_text_is_compressed_for_those_who_take_it(
    shared: Service, path: str, coding: str
) -> None:
    plain, content = await raw(shared, path, **PLAIN)
    answer, compressed = await raw(shared, path, Accept_Encoding=coding)

    assert "content-encoding" not in plain.headers
    assert answer.headers["content-encoding"] == coding
    assert answer.headers["content-length"] == str(len(compressed))
    assert DECOMPRESS[coding](compressed) == content
    assert len(compressed) < len(content) / 3
    assert plain.headers["vary"] == answer.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/docs/reference/list_events", "/v2/openapi.json"])
@on_shared
async def test_what_is_kept_is_compressed_with_more_effort(shared: Service, path: str) -> None:
    _, by_gzip = await raw(shared, path, **GZIP)
    _, by_brotli = await raw(shared, path, **BROTLI)

    assert len(by_brotli) < 0.85 * len(by_gzip)


@on_shared
async def test_a_short_answer_is_sent_as_it_is(shared: Service) -> None:
    answer, _ = await raw(shared, "/v2/health_check", **GZIP)

    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "Accept-Encoding"


@on_shared
async def test_a_short_answer_is_compressed_for_those_who_refuse_it_as_it_is(shared: Service) -> None:
    answer, content = await raw(shared, "/v2/health_check", Accept_Encoding="br, identity;q=0")

    assert answer.headers["content-encoding"] == "br"
    assert answer.headers["content-length"] == str(len(content))
    assert brotli.decompress(content) == (await shared.get("/v2/health_check")).content


@pytest.mark.parametrize("coding", DECOMPRESS)
@on_shared
async def test_a_refusal_with_many_problems_is_compressed_too(shared: Service, coding: str) -> None:
    body = changed(("questions", [{"id": f"Q{number}", "value": 1} for number in range(100)]))

    answer = await shared.post("/v2/quotes", body, Accept_Encoding=coding)

    assert (answer.status_code, answer.headers["content-encoding"]) == (400, coding)
    assert len(answer.json()["errors"]) == 100


async def test_a_quote_is_compressed_and_a_document_is_not(working_service: Service) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]

    letter, pdf = await raw(
        working_service, f"/v2/quotes/quote_letter/{identifier}", Accept_Encoding="br, gzip"
    )

    for coding, decompress in DECOMPRESS.items():
        shown, content = await raw(working_service, f"/v2/quotes/{identifier}", Accept_Encoding=coding)
        assert shown.headers["content-encoding"] == coding
        assert len(content) < 0.6 * len(decompress(content))
    assert pdf.startswith(b"%PDF-")
    assert {"content-encoding", "vary"} & set(letter.headers) == set()


@on_shared
async def test_each_compressed_form_has_a_tag_of_its_own_and_each_tag_is_good_for_a_304(
    shared: Service,
) -> None:
    path = "/v2/questions/TEO"
    answers = [await raw(shared, path, **named) for named in (PLAIN, BROTLI, GZIP)]
    tags = [answer.headers["etag"] for answer, _ in answers]

    assert tags == [tags[0], f'{tags[0][:-1]}-br"', f'{tags[0][:-1]}-gzip"']
    for tag in tags:
        for named in (tag, f"W/{tag}", f'"other", {tag}'):
            answer, content = await raw(shared, path, If_None_Match=named, **GZIP)
            assert (answer.status_code, content, answer.headers["etag"]) == (304, b"", tag)
            assert answer.headers["vary"] == "Accept-Encoding"
    changed_tag, _ = await raw(shared, path, If_None_Match=f"{tags[0][:-2]}x", **GZIP)
    assert changed_tag.status_code == 200


@pytest.mark.parametrize("coding", [BROTLI, GZIP, PLAIN])
@on_shared
async def test_head_says_what_get_would_send(shared: Service, coding: dict[str, str]) -> None:
    sent, content = await raw(shared, "/v2/openapi.json", **coding)
    head = await shared.http.head("/v2/openapi.json", headers=coding)

    assert head.headers["content-length"] == str(len(content))
    assert head.headers["etag"] == sent.headers["etag"]


@pytest.mark.parametrize(
    ("sent", "coding"),
    [
        ("gzip", Coding.GZIP),
        ("GZip", Coding.GZIP),
        ("x-gzip", Coding.GZIP),
        ("br", Coding.BROTLI),
        ("BR", Coding.BROTLI),
        # Brotli where both are wanted equally, whatever stands first; else what is wanted more.
        ("gzip, deflate, br, zstd", Coding.BROTLI),
        ("gzip;q=0.5, br;q=0.5", Coding.BROTLI),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", Coding.BROTLI),
        ("br;q=0.499, gzip;q=0.5", Coding.GZIP),
        ("br;q=0.001, gzip;q=0.002", Coding.GZIP),
        ("gzip;q=1.000", Coding.GZIP),
        ("gzip ; q=0.1", Coding.GZIP),
        # Anything, but for what is named.
        ("*", Coding.BROTLI),
        ("br;q=0, *", Coding.GZIP),
        ("gzip;q=0.5, *;q=0.1", Coding.GZIP),
        ("gzip;q=0.1, *;q=0.5", Coding.BROTLI),
        ("deflate, *;q=0.1", Coding.BROTLI),
        ("br;q=0, gzip;q=0, *", None),
        ("*;q=0", None),
        ("*;q=0, gzip;q=0.1", Coding.GZIP),
        # As it is, where that is wanted more than any of them; equally wanted, it is compressed.
        ("", None),
        ("identity", None),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0.5, identity;q=0.6", None),
        ("gzip;q=0.5, identity;q=0.5", Coding.GZIP),
        ("gzip;q=0.1, identity;q=0", Coding.GZIP),
        ("identity;q=0, *;q=0.5", Coding.BROTLI),
        # Refused, unknown or unreadable.
        ("gzip;q=0", None),
        ("gzip; q=0.000", None),
        ("br;q=0", None),
        ("br;q=0, gzip", Coding.GZIP),
        ("deflate", None),
        ("gzipped, brr", None),
        ("gzip;q=much", None),
        ("gzip;q=-1", None),
        ("gzip;q=nan", None),
        ("br;q=2, gzip", Coding.GZIP),
        ("br;q=1.1, gzip", Coding.GZIP),
        (";q=1, , ;", None),
    ],
)
def test_what_a_client_is_answered_with(sent: str, coding: Coding | None) -> None:
    assert coding_for(Headers({"accept-encoding": sent}), COMPRESSED_FROM) is coding


def test_whoever_says_nothing_takes_nothing_compressed() -> None:
    assert coding_for(Headers({}), COMPRESSED_FROM) is None


def test_a_header_sent_twice_is_read_as_one_list() -> None:
    sent = Headers(raw=[(b"accept-encoding", b"br;q=0.5"), (b"accept-encoding", b"gzip")])

    assert coding_for(sent, COMPRESSED_FROM) is Coding.GZIP


@pytest.mark.parametrize(
    ("sent", "length", "coding"),
    [
        ("br", COMPRESSED_FROM, Coding.BROTLI),
        ("br", COMPRESSED_FROM - 1, None),
        ("gzip", COMPRESSED_FROM, Coding.GZIP),
        ("gzip", COMPRESSED_FROM - 1, None),
        ("gzip, identity;q=0", 1, Coding.GZIP),
        ("gzip, identity;q=0", 0, None),
        ("gzip, *;q=0", 1, Coding.GZIP),
        ("*;q=0", 1, None),
    ],
)
def test_the_shortest_content_that_is_compressed(sent: str, length: int, coding: Coding | None) -> None:
    assert coding_for(Headers({"accept-encoding": sent}), length) is coding


@pytest.mark.parametrize("coding", DECOMPRESS)
def test_the_same_content_gives_the_same_bytes(coding: str) -> None:
    named = Headers({"accept-encoding": coding})
    content = b"the same words again and again; " * 100

    forms = {Representation(content, "text/plain").response(named, {}).body for _ in range(3)}
    dynamic = Response(content, media_type="text/plain")
    compress(dynamic, named)

    assert forms == {dynamic.body}
