"""Operations about the service itself, with the database there and without."""

from pathlib import Path

import asyncpg
import pytest

from support.intake import changed
from support.service import Service, serving


async def test_all_is_well_while_the_database_answers(service: Service) -> None:
    health = await service.http.get("/v2/health_check")
    alive = await service.http.get("/livez")
    ready = await service.http.get("/readyz")

    assert (health.status_code, health.json()) == (200, {"healthy": True})
    assert (alive.status_code, alive.text) == (200, "ok\n")
    assert (ready.status_code, ready.text) == (200, "ready\n")


async def test_without_the_database_the_process_lives_but_is_not_ready(service: Service) -> None:
    await service.runtime.database.pool.close()

    health = await service.http.get("/v2/health_check")
    alive = await service.http.get("/livez")
    ready = await service.http.get("/readyz")

    assert (health.status_code, health.json()) == (200, {"healthy": False})
    assert alive.status_code == 200
    assert (ready.status_code, ready.text) == (503, "not ready\n")


async def test_without_the_database_a_request_is_answered_503_and_may_be_sent_again(service: Service) -> None:
    await service.runtime.database.pool.close()

    answer = await service.post("/v2/quotes", changed())

    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["code"] == "unavailable"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


async def test_a_process_heals_when_its_connections_were_cut(service: Service, dsn: str) -> None:
    assert (await service.http.get("/readyz")).status_code == 200
    other = await asyncpg.connect(dsn)
    await other.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity "
        "where datname = current_database() and pid <> pg_backend_pid()"
    )
    await other.close()

    answers = [await service.post("/v2/quotes", changed()) for _ in range(8)]

    assert {answer.status_code for answer in answers} <= {200, 503}
    assert answers[-1].status_code == 200


async def test_two_processes_on_one_database_behave_as_one(
    service: Service, dsn: str, tmp_path: Path
) -> None:
    async with serving(dsn, tmp_path) as opened:
        second = Service(opened.runtime, opened.http, service.partner, service.token)

        receipt = await service.submit(changed())
        identifier = receipt["quotes"][0]["quote_identifier"]
        seen_here, seen_there = [
            await process.get(f"/v2/quotes/{identifier}") for process in (service, second)
        ]
        changed_there = await second.submit(
            changed(("client.company_id", receipt["company_id"]), ("client.revenue", 7))
        )
        moved = await second.post("/v2/demo/clock", {"advance_days": 10})
        clock_here = await service.get("/v2/demo/clock")
        revoked_here = await service.get(f"/v2/quotes/{identifier}")

    assert seen_here.content == seen_there.content
    assert changed_there["company_id"] == receipt["company_id"]
    assert clock_here.json()["now"][:16] == moved.json()["now"][:16]
    assert revoked_here.json()["quote_status"] == "quote_revoked"


@pytest.mark.parametrize("revision", ["0000", "9999"])
async def test_a_database_of_another_version_is_not_ready(service: Service, revision: str) -> None:
    await service.runtime.database.pool.execute("update alembic_version set version_num = $1", revision)

    assert (await service.http.get("/readyz")).status_code == 503
    assert (await service.http.get("/v2/health_check")).json() == {"healthy": False}
