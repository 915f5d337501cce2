"""The headers of answers: who may keep what, and what a browser must not guess."""

import base64
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from bindery.settings import Environment
from support.intake import changed
from support.service import Service, serving
from support.uploads import processed

PRODUCTION = {"environment": Environment.PRODUCTION, "base_url": "https://api.bindery.example/v2"}
PDF = b"%PDF-1.7 a paper"


async def answers_with_data(service: Service) -> AsyncIterator[httpx.Response]:
    """Ask for everything that holds an applicant's data, errors that echo it included."""
    yield await service.post("/v2/quotes", changed())
    waiting = await service.submit(changed())
    yield await service.get(f"/v2/quotes/{waiting['quotes'][0]['quote_identifier']}")
    quote = await processed(service)
    path = f"/v2/quotes/{quote['quote_identifier']}"
    seen = await service.get(path)
    yield seen
    yield await service.get(path, If_None_Match=seen.headers["etag"])
    yield await service.http.head(path, headers=service.headers)
    yield await service.get(f"{path}/documents/quote/metadata")
    yield await service.get("/v2/events")
    webhook = await service.post(
        "/v2/webhooks", {"endpoint": "http://127.0.0.1:9/", "quote_level": True, "policy_level": True}
    )
    yield webhook
    yield await service.get("/v2/webhooks")
    yield await service.get(f"/v2/webhooks/{webhook.json()['id']}/deliveries")
    yield await service.post("/v2/settings/webhook_secret")
    yield await service.post("/v2/quotes/validate", changed())
    yield await service.post("/v2/quotes", changed(("client.name", "")))
    yield await service.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"]},
        files={"file": ("paper.pdf", PDF, "application/pdf")},
        headers=service.headers,
    )
    yield await service.post("/v2/binds", {"quote_identifier": quote["quote_identifier"]})
    yield await service.get(f"/v2/quotes/binder/{quote['quote_identifier']}")


async def other_answers(service: Service) -> AsyncIterator[httpx.Response]:
    yield await service.http.get("/v2/quotes/x")
    yield await service.get("/v2/quotes/unknown")
    yield await service.get("/v2/nothing")
    yield await service.http.delete("/v2/quotes")
    for path in ("/livez", "/readyz", "/metrics", "/v2/health_check"):
        yield await service.http.get(path)


async def test_nothing_between_us_and_the_caller_keeps_what_holds_an_applicants_data(
    service: Service,
) -> None:
    statuses = set()
    async for answer in answers_with_data(service):
        statuses.add(answer.status_code)
        assert answer.headers.get_list("cache-control") == ["no-store"], answer.request.url

    assert {200, 202, 304, 400} <= statuses


async def test_every_answer_forbids_guessing_its_type_and_telling_its_address(service: Service) -> None:
    for answers in (answers_with_data(service), other_answers(service)):
        async for answer in answers:
            assert answer.headers.get_list("x-content-type-options") == ["nosniff"], answer.request.url
            assert answer.headers.get_list("referrer-policy") == ["no-referrer"]
            assert "strict-transport-security" not in answer.headers


async def test_a_bug_and_an_outage_are_not_kept_either(service: Service) -> None:
    await service.runtime.database.pool.execute("drop table legacy_ids cascade")
    crash = await service.get("/v2/quotes/unknown")
    await service.runtime.database.pool.close()
    outage = await service.get("/v2/quotes/unknown")

    assert (crash.status_code, outage.status_code) == (500, 503)
    for answer in (crash, outage):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_production_is_asked_over_https_only(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, **PRODUCTION) as production:
        async for answer in other_answers(production):
            assert answer.headers["strict-transport-security"] == "max-age=31536000"


async def test_a_document_is_kept_by_the_caller_alone_and_asked_for_by_its_hash(service: Service) -> None:
    quote = await processed(service)
    path = f"/v2/quotes/quote_letter/{quote['quote_identifier']}"

    whole = await service.get(path)
    part = await service.get(path, Range="bytes=0-4")
    known = await service.get(path, If_None_Match=whole.headers["etag"])

    assert [answer.status_code for answer in (whole, part, known)] == [200, 206, 304]
    for answer in (whole, part, known):
        assert answer.headers.get_list("cache-control") == ["private, no-cache"]
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
        assert answer.headers["etag"] == whole.headers["etag"]


@pytest.mark.parametrize("path", ["/v2/questions/CYB", "/v2/openapi.json", "/docs"])
async def test_what_rarely_changes_is_kept_and_sent_again_only_when_it_has(
    service: Service, path: str
) -> None:
    first = await service.get(path)
    again = await service.get(path, If_None_Match=first.headers["etag"])
    other = await service.get(path, If_None_Match='"another"')

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert (again.headers["etag"], again.headers["cache-control"]) == (first.headers["etag"], "no-cache")
    assert (other.status_code, other.content) == (200, first.content)


async def test_two_question_sets_have_different_tags(service: Service) -> None:
    tags = {
        (await service.get(f"/v2/questions/{product}")).headers["etag"] for product in ("CYB", "TEO", "MPL")
    }

    assert len(tags) == 3


@pytest.mark.parametrize("path", ["/docs", "/docs/reference", "/docs/reference/get_quote", "/docs/search"])
async def test_a_docs_page_runs_its_own_script_and_style_and_nothing_else(
    service: Service, path: str
) -> None:
    answer = await service.http.get(path)

    policy = directives(answer.headers["content-security-policy"])
    assert policy == {
        "default-src": ["'none'"],
        "style-src": [source_of(answer.text, "style")],
        "script-src": [source_of(answer.text, "script")],
        "font-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
    # What hashes do not cover would be blocked: attributes that hold style or script.
    assert not re.search(r"""<[^>]*\s(?:style|on\w+)=["'][^>]*>""", answer.text)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def directives(policy: str) -> dict[str, list[str]]:
    return {name: sources for name, *sources in (part.split() for part in policy.split(";"))}


def source_of(page: str, tag: str) -> str:
    """Return what the policy must say of the one element of that name."""
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
