"""A commit whose answer is lost happened or did not: nobody does it again without being sure."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.database_proxy import DatabaseProxy, database_proxy
from support.service import Service, request_body, serving


@pytest.fixture
async def proxy(dsn: str) -> AsyncIterator[DatabaseProxy]:
    async with database_proxy(dsn) as opened:
        yield opened


@pytest.fixture
async def service(proxy: DatabaseProxy, tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(proxy.dsn, tmp_path) as opened:
        yield opened


def applicant(number: int) -> dict[str, Any]:
    """A request that has nothing in common with the others, so that they share a transaction."""

    def change(body: dict[str, Any]) -> None:
        body["client"].update(name=f"Applicant {number}", domains=[f"applicant{number}.com"])
        body["client"]["address"]["street"] = f"{number} Market Street"

    return request_body(change)


async def test_a_request_whose_commit_was_lost_is_answered_503_and_replayed_by_its_key(
    service: Service, proxy: DatabaseProxy
) -> None:
    proxy.cuts_after = b"COMMIT"
    lost = await service.post("/v2/quotes", applicant(1), Idempotency_Key="once")
    proxy.cuts_after = None

    again = await service.post("/v2/quotes", applicant(1), Idempotency_Key="once")
    third = await service.post("/v2/quotes", applicant(1), Idempotency_Key="once")

    assert proxy.cuts == 1
    assert (lost.status_code, lost.headers["Retry-After"]) == (503, "2")
    assert (again.status_code, again.content) == (200, third.content)
    assert await service.count("submissions") == 1


async def test_a_batch_whose_commit_was_lost_is_not_written_again(
    service: Service, proxy: DatabaseProxy
) -> None:
    proxy.cuts_after = b"COMMIT"
    answers = await asyncio.gather(*(service.post("/v2/quotes", applicant(number)) for number in range(20)))
    proxy.cuts_after = None

    names = await service.runtime.database.pool.fetch("select name from submissions")

    assert {answer.status_code for answer in answers} == {503}
    assert proxy.cuts > 1, "at least one batch of several was committed and not answered"
    assert sorted(row["name"] for row in names) == sorted(f"Applicant {number}" for number in range(20))
