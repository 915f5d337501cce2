"""A file that is damaged or gone is an alarm and never wrong bytes."""

import hashlib
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from bindery.actions.documents.make_document import find_document, make_document
from bindery.actions.documents.read_document import read_document
from bindery.base.errors import DocumentUnavailable
from bindery.contract.documents import DocumentType
from support.service import Service
from support.uploads import processed, send_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAYS = [{}, {"Range": "bytes=0-4"}, {"Range": "bytes=-5"}]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def quote(shared: Service) -> dict[str, Any]:
    return await processed(shared)


def file_of(service: Service, sha256: str) -> Path:
    return service.runtime.settings.data_dir / "files" / sha256[:2] / sha256


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[100:105] = b"wrong"
    file.write_bytes(content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def remove(file: Path) -> None:
    file.unlink()


HARM = [(damage, "document_damaged"), (cut, "document_damaged"), (remove, "document_missing")]


async def ask(service: Service, quote: dict[str, Any], method: str = "GET", **headers: str) -> httpx.Response:
    path = f"/v2/quotes/quote_letter/{quote['quote_identifier']}"
    return await service.http.request(method, path, headers={**service.headers, **headers})


async def letter_of_old(service: Service) -> tuple[dict[str, Any], str]:
    """Return a quote whose letter cannot be made again: what it was made from has changed since."""
    quote = await processed(service)
    await make_document(service.runtime, uuid.UUID(quote["quote_identifier"]), DocumentType.QUOTE_LETTER)
    blob = await service.runtime.blobs.put(b"%PDF-1.7 made of facts " + uuid.uuid4().bytes * 16)
    await service.runtime.database.pool.execute(
        "update documents set sha256 = $2, size = $3 where quote_id::text = $1 and type = 'quote_letter'",
        quote["quote_identifier"],
        blob.sha256,
        blob.size,
    )
    return quote, blob.sha256


def alarms(log_file: Path, event: str, quote: dict[str, Any]) -> list[dict[str, Any]]:
    lines = (json.loads(line) for line in log_file.read_text().splitlines() if event in line)
    return [line for line in lines if line.get("quote_identifier") == quote["quote_identifier"]]


@pytest.mark.parametrize(("harm", "event"), HARM)
async def test_a_document_that_cannot_be_made_again_is_refused_whole_and_in_part(
    shared: Service, log_file: Path, harm: Callable[[Path], None], event: str
) -> None:
    quote, sha256 = await letter_of_old(shared)
    harm(file_of(shared, sha256))

    answers = [await ask(shared, quote, **headers) for headers in WAYS]
    head = await ask(shared, quote, "HEAD")

    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (503, "document_unavailable")
        assert int(answer.headers["retry-after"]) > 0
        assert "etag" not in answer.headers
    assert (head.status_code, head.content) == (503, b"")
    logged = alarms(log_file, event, quote)
    assert len(logged) == len(WAYS) + 1
    assert logged[0].items() >= {"level": "error", "document": "quote_letter", "sha256": sha256}.items()


@pytest.mark.parametrize(("harm", "event"), HARM)
async def test_a_document_that_comes_out_the_same_is_made_again(
    shared: Service, log_file: Path, harm: Callable[[Path], None], event: str
) -> None:
    quote = await processed(shared)
    before = (await ask(shared, quote)).content
    sha256 = hashlib.sha256(before).hexdigest()
    harm(file_of(shared, sha256))

    part = await ask(shared, quote, Range="bytes=100-104")
    whole = await ask(shared, quote)

    assert (part.status_code, part.content) == (206, before[100:105])
    assert (whole.status_code, whole.content) == (200, before)
    assert file_of(shared, sha256).read_bytes() == before
    assert len(alarms(log_file, event, quote)) == 1
    assert len(alarms(log_file, "document_made_again", quote)) == 1


async def test_a_document_is_made_again_with_the_date_it_had(shared: Service) -> None:
    quote = await processed(shared)
    before = (await ask(shared, quote)).content
    await shared.post("/v2/demo/clock", {"advance_days": 3})
    remove(file_of(shared, hashlib.sha256(before).hexdigest()))

    assert (await ask(shared, quote)).content == before


async def test_a_caller_who_has_the_document_is_told_so_without_its_file(shared: Service) -> None:
    quote, sha256 = await letter_of_old(shared)
    remove(file_of(shared, sha256))

    answer = await ask(shared, quote, **{"If-None-Match": f'"{sha256}"'})

    assert (answer.status_code, answer.content) == (304, b"")


async def test_a_mail_cannot_attach_a_damaged_document(shared: Service) -> None:
    quote, sha256 = await letter_of_old(shared)
    damage(file_of(shared, sha256))

    document = await find_document(
        shared.runtime.database, uuid.UUID(quote["quote_identifier"]), DocumentType.QUOTE_LETTER
    )
    assert document is not None
    with pytest.raises(DocumentUnavailable):
        await read_document(shared.runtime, document)


async def test_sending_a_file_again_mends_the_one_that_was_damaged(
    shared: Service, quote: dict[str, Any]
) -> None:
    paper = b"%PDF-1.7 a paper " + uuid.uuid4().bytes * 16
    fields = {"quote_identifier": quote["quote_identifier"]}
    receipt = (await send_file(shared, fields, paper)).json()
    damage(file_of(shared, receipt["sha256"]))

    again = await send_file(shared, fields, paper)

    assert again.json()["sha256"] == receipt["sha256"]
    assert await shared.runtime.blobs.get(receipt["sha256"]) == paper
