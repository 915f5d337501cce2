"""The `Idempotency-Key`: one effect however often a request is sent."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bindery.storage.access import partners
from support.intake import changed, nothing_written, row_counts, send_raw
from support.service import Service, serving

KEY = "order-17"


@pytest.fixture
async def second(dsn: str, service: Service, tmp_path: Path) -> AsyncIterator[Service]:
    """Another process of the same service on the same database."""
    async with serving(dsn, tmp_path) as opened:
        yield Service(opened.runtime, opened.http, service.partner, service.token)


async def age_answers(service: Service, how_long: str) -> None:
    """Move the kept answers further into the past."""
    await service.runtime.database.pool.execute(
        f"update idempotency_keys set created_at = created_at - interval '{how_long}'"
    )


async def test_the_same_request_is_answered_with_the_same_bytes_and_has_one_effect(
    service: Service, second: Service
) -> None:
    first = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    async with nothing_written(service):
        again = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)
        elsewhere = await second.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    assert first.status_code == again.status_code == elsewhere.status_code == 200
    assert first.content == again.content == elsewhere.content
    assert again.headers["content-type"] == "application/json"
    assert first.headers["x-request-id"] != again.headers["x-request-id"]
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == elsewhere.headers["idempotent-replayed"] == "true"


async def test_without_a_key_each_request_has_its_effect(service: Service) -> None:
    first, again = await service.submit(), await service.submit()

    assert first["company_id"] != again["company_id"]
    assert (await row_counts(service))[1] == 2


@pytest.mark.parametrize(
    "other", [changed(("client.revenue", 7)), changed(("client.revenue", 0)), {}, changed(("x", 1))]
)
async def test_another_body_under_the_same_key_is_refused(service: Service, other: object) -> None:
    await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    async with nothing_written(service):
        answer = await service.post("/v2/quotes", other, Idempotency_Key=KEY)

    assert answer.status_code == 422
    assert answer.json()["code"] == "idempotency_key_reused"


async def test_a_refused_request_may_be_sent_again_under_its_key(service: Service) -> None:
    async with nothing_written(service):
        refused = await service.post("/v2/quotes", changed(("client.revenue", 0)), Idempotency_Key=KEY)
        blocked = await service.post("/v2/quotes", changed(("client.name", "A (bor)")), Idempotency_Key=KEY)

    corrected = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    assert (refused.status_code, blocked.status_code, corrected.status_code) == (400, 400, 200)


async def test_an_answer_is_replayed_though_the_request_would_be_refused_today(service: Service) -> None:
    body = changed(("client.broker_email", "leaving@example.com"))
    async with service.runtime.database.transaction() as tx:
        await partners.add_broker(tx, service.partner, "leaving@example.com")
    first = await service.post("/v2/quotes", body, Idempotency_Key=KEY)
    await service.runtime.database.pool.execute("delete from brokers where email = 'leaving@example.com'")

    async with nothing_written(service):
        again = await service.post("/v2/quotes", body, Idempotency_Key=KEY)
        anew = await service.post("/v2/quotes", body)

    assert (first.status_code, again.status_code, anew.status_code) == (200, 200, 400)
    assert first.content == again.content


async def test_a_request_whose_twin_is_in_flight_is_refused_for_now(
    service: Service, second: Service
) -> None:
    digest = hashlib.sha256(f"{service.partner.partner_id}:{KEY}".encode()).digest()
    number = int.from_bytes(digest[:8], "big", signed=True)
    async with service.runtime.database.transaction() as tx:
        await tx.connection.execute("select pg_advisory_xact_lock($1)", number)

        async with nothing_written(service):
            twin = await second.post("/v2/quotes", changed(), Idempotency_Key=KEY)
        other_key = await second.post("/v2/quotes", changed(), Idempotency_Key="another")
    after = await second.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    assert twin.status_code == 409
    assert twin.json()["code"] == "idempotency_key_in_flight"
    assert twin.headers["retry-after"] == "1"
    assert (other_key.status_code, after.status_code) == (200, 200)


async def test_of_many_at_once_one_has_an_effect(service: Service, second: Service) -> None:
    answers = await asyncio.gather(
        *[
            process.post("/v2/quotes", changed(), Idempotency_Key=KEY)
            for process in (service, second)
            for _ in range(6)
        ]
    )

    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({answer.content for answer in answers if answer.status_code == 200}) == 1
    companies, submissions, _, quotes, _, journal, keys, jobs, _ = await row_counts(service)
    assert (companies, submissions, quotes, journal, keys, jobs) == (1, 1, 2, 2, 1, 1)


async def test_an_answer_is_replayed_for_30_days_and_forgotten_on_the_31st(service: Service) -> None:
    first = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    await age_answers(service, "29 days 23 hours 59 minutes")
    within = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)
    await age_answers(service, "2 minutes")
    later = await service.post("/v2/quotes", changed(("client.revenue", 7)), Idempotency_Key=KEY)

    assert within.content == first.content
    assert later.status_code == 200
    assert later.json()["company_id"] != first.json()["company_id"]
    assert (await row_counts(service))[1] == 2
    repeated = await service.post("/v2/quotes", changed(("client.revenue", 7)), Idempotency_Key=KEY)
    assert repeated.content == later.content


async def test_the_demo_clock_moves_the_30_days_along(service: Service) -> None:
    first = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    await service.post("/v2/demo/clock", {"advance_days": 29})
    within = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)
    await service.post("/v2/demo/clock", {"advance_days": 2})
    later = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    assert within.content == first.content
    assert later.content != first.content


async def test_a_key_belongs_to_one_partner(service: Service) -> None:
    other = await service.new_partner("other")

    first = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)
    second = await other.post("/v2/quotes", changed(("client.revenue", 7)), Idempotency_Key=KEY)

    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["company_id"] != second.json()["company_id"]


@pytest.mark.parametrize("key", ["k", "k" * 255, "a b", "~!@#$%^&*()"])
async def test_a_key_is_any_printable_text_of_up_to_255_characters(service: Service, key: str) -> None:
    first = await service.post("/v2/quotes", changed(), Idempotency_Key=key)
    again = await service.post("/v2/quotes", changed(), Idempotency_Key=key)

    assert first.status_code == 200
    assert again.content == first.content


@pytest.mark.parametrize("key", [b"", b"k" * 256, "schlüssel".encode(), b"a\tb", b"\x7f"])
async def test_a_key_of_another_shape_is_refused(service: Service, key: bytes) -> None:
    async with nothing_written(service):
        answer = await service.http.post(
            "/v2/quotes",
            json=changed(),
            headers={**service.headers, "idempotency-key": key},  # type: ignore[arg-type] # as it is, in bytes
        )

    assert answer.status_code == 400
    (problem,) = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == ("Idempotency-Key", "bad_idempotency_key")


async def test_what_is_not_json_leaves_the_key_free(service: Service) -> None:
    async with nothing_written(service):
        broken = await send_raw(service, b"{", Idempotency_Key=KEY)
    good = await service.post("/v2/quotes", changed(), Idempotency_Key=KEY)

    assert (broken.status_code, good.status_code) == (400, 200)
