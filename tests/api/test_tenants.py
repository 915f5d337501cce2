"""Partners next to each other: what is another's does not exist."""

import re
from typing import Any

import httpx
import pytest

from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.access import legacy_ids
from support.intake import changed, nothing_written, row_counts
from support.service import Service

COUNTED = {"x-request-id", "ratelimit"}
UNKNOWN_QUOTE = "01890a5d-ac96-774b-bcce-b302099a8057"
UNKNOWN_COMPANY = "999999999"


def without_request_id(answer: httpx.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    """Return everything of an answer but what is new each time."""
    content = re.sub(rb'"request_id":"[^"]+"', b'"request_id":""', answer.content)
    headers = sorted((name, value) for name, value in answer.headers.items() if name not in COUNTED)
    return answer.status_code, content, headers


@pytest.fixture
async def stranger(service: Service) -> Service:
    """Another partner, whose broker has the same address."""
    return await service.new_partner("stranger")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v2/quotes/{}", None),
        ("HEAD", "/v2/quotes/{}", None),
        ("POST", "/v2/demo/quotes/{}/review", {"decision": "revoke"}),
    ],
)
async def test_anothers_quote_is_answered_byte_for_byte_as_one_that_is_not_there(
    service: Service, stranger: Service, method: str, path: str, body: Any
) -> None:
    receipt = await service.submit()
    identifier = receipt["quotes"][0]["quote_identifier"]

    async with nothing_written(service):
        theirs = await stranger.http.request(
            method, path.format(identifier), json=body, headers=stranger.headers
        )
        nobodys = await stranger.http.request(
            method, path.format(UNKNOWN_QUOTE), json=body, headers=stranger.headers
        )

    assert without_request_id(theirs) == without_request_id(nobodys)
    assert theirs.status_code == 404
    assert (await service.get(f"/v2/quotes/{identifier}")).status_code == 202


async def test_the_version_one_id_of_anothers_quote_is_unknown_too(
    service: Service, stranger: Service
) -> None:
    receipt = await service.submit()
    async with service.runtime.database.transaction() as tx:
        row = LegacyRow("quote", "old-quote-1", receipt["quotes"][0]["quote_identifier"])
        await legacy_ids.import_ids(tx, service.partner.partner_id, [row])

    own = await service.get("/v2/quotes/old-quote-1")
    theirs = await stranger.get("/v2/quotes/old-quote-1")
    nobodys = await stranger.get("/v2/quotes/old-quote-2")

    assert own.status_code == 202
    assert own.json()["quote_identifier"] == receipt["quotes"][0]["quote_identifier"]
    assert without_request_id(theirs) == without_request_id(nobodys)
    assert theirs.status_code == 404


@pytest.mark.parametrize("path", ["/v2/quotes", "/v2/quotes/validate"])
async def test_anothers_company_is_answered_as_one_that_is_not_there(
    service: Service, stranger: Service, path: str
) -> None:
    receipt = await service.submit()

    async with nothing_written(service):
        theirs = await stranger.post(path, changed(("client.company_id", receipt["company_id"])))
        nobodys = await stranger.post(path, changed(("client.company_id", UNKNOWN_COMPANY)))

    assert without_request_id(theirs) == without_request_id(nobodys)
    (problem,) = theirs.json()["errors"]
    assert (problem["path"], problem["code"]) == ("client.company_id", "unknown_company")


async def test_anothers_broker_is_unknown(service: Service) -> None:
    stranger = await service.new_partner("stranger", "own@example.com")

    async with nothing_written(service):
        answer = await stranger.post("/v2/quotes", changed())

    assert answer.status_code == 400
    assert [problem["code"] for problem in answer.json()["errors"]] == ["unknown_broker"]


async def test_partners_who_send_the_same_body_get_companies_of_their_own(
    service: Service, stranger: Service
) -> None:
    own, theirs = await service.submit(), await stranger.submit()

    assert own["company_id"] != theirs["company_id"]
    assert (await row_counts(service))[0] == 2
