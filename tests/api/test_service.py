"""Operations about the service itself, with the database there and without."""

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import uvicorn

from bindery.server.serve import Server
from bindery.settings import Environment
from bindery.storage.watch import QUIET_BEAT_EVERY_S
from support.database_proxy import database_proxy
from support.intake import changed
from support.service import Service, serving
from support.waiting import eventually

PRODUCTION = {"environment": Environment.PRODUCTION, "base_url": "https://api.bindery.example/v2"}
METRICS_TOKEN = "q8Zr2LxK4vNw7TsB1mYc9JhD5gFp3Ea6"


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


async def test_a_process_that_will_soon_stop_serves_and_is_not_ready(service: Service) -> None:
    service.runtime.leaving.set()

    ready = await service.http.get("/readyz")
    health = await service.http.get("/v2/health_check")

    assert (ready.status_code, ready.text) == (503, "leaving\n")
    assert (health.status_code, health.json()) == (200, {"healthy": True})


def test_the_first_request_to_end_is_a_warning_and_the_second_is_meant() -> None:
    told: list[str] = []
    server = Server(uvicorn.Config("unused"), lambda: None, lambda: told.append("leave"), drains_for_s=300)

    server.handle_exit(signal.SIGTERM, None)
    serves_on = not server.should_exit
    server.handle_exit(signal.SIGTERM, None)

    assert told == ["leave"]
    assert serves_on
    assert server.should_exit


@pytest.mark.parametrize(("number", "seconds"), [(signal.SIGINT, 300), (signal.SIGTERM, 0)])
def test_an_interrupt_and_a_server_that_need_not_drain_end_at_once(number: int, seconds: int) -> None:
    server = Server(uvicorn.Config("unused"), lambda: None, lambda: None, drains_for_s=seconds)

    server.handle_exit(number, None)

    assert server.should_exit


async def test_a_database_that_answers_too_late_is_not_waited_for(service: Service, dsn: str) -> None:
    other = await asyncpg.connect(dsn)
    async with other.transaction():
        # Whoever reads the version waits until this is over.
        await other.execute("lock table alembic_version in access exclusive mode")

        health, ready = await asyncio.gather(
            service.http.get("/v2/health_check"), service.http.get("/readyz")
        )
    await other.close()

    assert (health.status_code, health.json()) == (200, {"healthy": False})
    assert (ready.status_code, ready.text) == (503, "not ready\n")
    # It was found to be away meanwhile, and is found again.
    await eventually(lambda: service.http.get("/readyz"), lambda answer: answer.text == "ready\n")


async def test_a_database_that_freezes_under_an_idle_process_is_not_waited_for(
    dsn: str, tmp_path: Path
) -> None:
    async with database_proxy(dsn) as proxy, serving(proxy.dsn, tmp_path) as service:
        proxy.freeze()
        began = time.monotonic()

        answer = await service.post("/v2/quotes", changed())

        # An idle process asks the server every ten seconds; a request makes it ask at once, within 1.5.
        assert time.monotonic() - began < QUIET_BEAT_EVERY_S / 2
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        proxy.come_back()
        await eventually(lambda: service.http.get("/readyz"), lambda answer: answer.text == "ready\n")


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


@pytest.mark.parametrize("path", ["/docs/", "/v2", "/v2/"])
async def test_where_people_look_first_leads_to_the_documentation(service: Service, path: str) -> None:
    answer = await service.http.get(path, follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (307, "/docs")


@pytest.mark.parametrize("settings", [PRODUCTION, {}], ids=["production", "demo"])
async def test_the_metrics_open_to_their_own_token_and_to_no_other(
    dsn: str, tmp_path: Path, settings: dict[str, Any]
) -> None:
    async with serving(dsn, tmp_path, metrics_token=METRICS_TOKEN, **settings) as service:
        opened = await service.http.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
        without = await service.http.get("/metrics")
        wrong = [
            await service.http.get("/metrics", headers={b"Authorization": f"Bearer {token}".encode()})
            for token in (
                service.token,
                METRICS_TOKEN[:-1],
                METRICS_TOKEN + "x",
                METRICS_TOKEN.lower(),
                "\xe9",
            )
        ]
        elsewhere = await service.http.get(
            "/v2/questions/CYB", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}
        )

    assert opened.status_code == 200
    assert "bindery_http_requests_total" in opened.text
    assert (without.status_code, without.json()["code"]) == (401, "missing_token")
    assert without.headers["www-authenticate"] == "Bearer"
    for answer in wrong:
        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token")
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert "bindery_http" not in answer.text
    assert elsewhere.status_code == 401


async def test_without_a_metrics_token_production_has_no_metrics(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, **PRODUCTION) as service:
        answers = [await service.http.get("/metrics"), await service.get("/metrics")]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(404, "unknown_path")] * 2
