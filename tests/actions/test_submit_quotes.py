"""Requests that share a transaction succeed and fail alone."""

import asyncio
from pathlib import Path
from typing import Any

from bindery.settings import Environment
from support.service import Service, request_body, serving


def applicant(number: int, **client: Any) -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["client"].update(name=f"Applicant {number}", domains=[f"applicant{number}.com"], **client)
        body["client"]["address"]["street"] = f"{number} Market Street"

    return request_body(change)


async def together(service: Service, *bodies: dict[str, Any], **headers: str) -> list[Any]:
    return await asyncio.gather(*(service.post("/v2/quotes", body, **headers) for body in bodies))


async def transactions_of(service: Service, table: str) -> int:
    pool = service.runtime.database.pool
    counted: int = await pool.fetchval(f"select count(distinct xmin::text) from {table}")
    return counted


async def test_many_at_once_share_transactions_and_each_gets_his_own_receipt(service: Service) -> None:
    answers = await together(service, *(applicant(number) for number in range(40)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["company_id"] for answer in answers}) == 40
    assert await service.count("submissions") == 40
    assert await service.count("quotes") == await service.count("journal") == 80
    assert await service.count("pgq.pgqueuer") == 40
    assert await transactions_of(service, "submissions") < 20


async def test_a_refused_request_fails_alone(service: Service) -> None:
    bodies = [applicant(number) for number in range(8)]
    bodies[3]["client"]["name"] = "Harborlight (bor)"

    answers = await together(service, *bodies)

    assert [answer.status_code for answer in answers] == [200, 200, 200, 400, 200, 200, 200, 200]
    assert answers[3].json()["code"] == "broker_of_record_block"
    assert await service.count("submissions") == 7


async def test_two_with_the_same_domain_never_decide_together(dsn: str, tmp_path: Path) -> None:
    async with serving(
        dsn, tmp_path, environment=Environment.PRODUCTION, base_url="https://api.bindery.example/v2"
    ) as service:
        rivals = [applicant(number) for number in range(6)]
        for rival in rivals[2:4]:
            rival["client"]["domains"] = ["contested.com"]

        answers = await together(service, *rivals)

    statuses = [answer.status_code for answer in answers]
    assert statuses[:2] + statuses[4:] == [200] * 4
    assert sorted(statuses[2:4]) == [200, 400]
    (refused,) = (answer for answer in answers if answer.status_code == 400)
    assert refused.json()["reasons"] == {"domain": "domain_exists"}


async def test_the_same_key_many_times_at_once_has_one_effect(service: Service) -> None:
    body = applicant(1)

    answers = await together(service, *[body] * 12, Idempotency_Key="once")

    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({answer.content for answer in answers if answer.status_code == 200}) == 1
    assert await service.count("submissions") == 1


async def test_keys_and_no_keys_share_a_transaction(service: Service) -> None:
    await service.post("/v2/quotes", applicant(0), Idempotency_Key="earlier")

    answers = await asyncio.gather(
        service.post("/v2/quotes", applicant(0), Idempotency_Key="earlier"),
        service.post("/v2/quotes", applicant(9), Idempotency_Key="earlier"),
        service.post("/v2/quotes", applicant(1), Idempotency_Key="key-1"),
        service.post("/v2/quotes", applicant(2), Idempotency_Key="key-2"),
        service.post("/v2/quotes", applicant(3)),
    )

    assert [answer.status_code for answer in answers] == [200, 422, 200, 200, 200]
    assert await service.count("submissions") == 4
    assert await service.count("idempotency_keys") == 3


async def test_a_row_that_the_database_refuses_fails_alone(service: Service) -> None:
    await service.runtime.database.pool.execute(
        "alter table submissions add constraint no_seven check (name <> 'Applicant 7')"
    )

    answers = await together(service, *(applicant(number) for number in range(10)))

    assert [answer.status_code for answer in answers] == [200] * 7 + [500] + [200] * 2
    assert await service.count("submissions") == 9
    assert await service.count("quotes") == 18
