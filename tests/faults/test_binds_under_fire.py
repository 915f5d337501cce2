"""Binds while the database is killed again and again: each has its papers, mail and event in the end."""

import asyncio
import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import psutil
import pytest

from bindery.storage.database import UNAVAILABLE
from support.binding import PHOTO
from support.own_postgres import OwnPostgres, own_postgres
from support.processes import Program
from support.service import SECRET, Service, request_body, serving

pytestmark = pytest.mark.long

BINDS = 10
FAULTS = 6
IN_TIME_S = 240.0
AWAY = (*UNAVAILABLE, asyncpg.PostgresError, asyncpg.InternalClientError)

UNFINISHED = """
select b.quote_id::text from binds b
where unfinished_since is not null
   or not exists (select from journal j where j.quote_id = b.quote_id and j.type = 'policy.document_ready')
   or not exists (select from mails m where m.quote_id = b.quote_id
                  and m.kind = case when b.issued_on is null then 'policy_bound' else 'policy_issued' end)
   or not exists (select from documents d where d.quote_id = b.quote_id
                  and d.type = case when b.issued_on is null then 'binder' else 'policy' end)
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnPostgres]:
    with own_postgres(tmp_path_factory.mktemp("own")) as server:
        yield server


async def insist(service: Service, method: str, path: str, **request: Any) -> dict[str, Any]:
    """Send a request until it succeeds; what was done the first time is answered the same."""
    while True:
        with contextlib.suppress(*AWAY, httpx.HTTPError):
            answer = await service.http.request(method, path, **request)
            if answer.status_code == 200:
                body: dict[str, Any] = answer.json()
                return body
            assert answer.status_code in {202, 409, 500, 503}, answer.text
        await asyncio.sleep(0.1)


async def bind_one(service: Service, number: int) -> None:
    """Get an option quoted and bind it, every second one with a signed application."""

    def change(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]

    headers = {**service.headers, "Idempotency-Key": f"submit-{number}"}
    receipt = await insist(service, "POST", "/v2/quotes", json=request_body(change), headers=headers)
    identifier = receipt["quotes"][0]["quote_identifier"]
    quote = await insist(service, "GET", f"/v2/quotes/{identifier}", headers=service.headers)
    assert quote["quote_status"] == "published", quote
    if number % 2:
        await insist(
            service,
            "POST",
            "/v2/documents",
            data={
                "quote_identifier": identifier,
                "contingency": quote["contingencies"][0]["contingency_id"],
            },
            files={"file": ("signed.png", PHOTO, "image/png")},
            headers={**service.headers, "Idempotency-Key": f"upload-{number}"},
        )
    ask = {
        "quote_identifier": identifier,
        "dates": {"effective": quote["dates"]["effective"]},
        "app_attestation": bool(number % 2),
    }
    headers = {**service.headers, "Idempotency-Key": f"bind-{number}"}
    await insist(service, "POST", "/v2/binds", json=ask, headers=headers)


async def play_havoc(own: OwnPostgres, chance: random.Random) -> None:
    for number in range(FAULTS):
        await asyncio.sleep(chance.uniform(0.5, 2.0))
        if number % 3 == 2:
            await asyncio.to_thread(own.kill)
            await asyncio.to_thread(own.start)
        elif backends := own.backends():
            with contextlib.suppress(psutil.NoSuchProcess):
                chance.choice(backends).kill()


async def unfinished(own: OwnPostgres) -> list[str]:
    connection = await asyncpg.connect(own.dsn, timeout=10)
    try:
        return [row[0] for row in await connection.fetch(UNFINISHED)]
    finally:
        await connection.close()


async def test_every_bind_has_its_papers_its_mail_and_its_event_whatever_was_killed(
    own: OwnPostgres, tmp_path: Path
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    program = Program(tmp_path, {"BINDERY_DATABASE_URL": own.dsn, "BINDERY_SECRET_KEY": SECRET})

    with (
        program.start("work", "--concurrency", "4") as first,
        program.start("work", "--concurrency", "4") as second,
    ):
        async with serving(own.dsn, tmp_path / "data") as service, asyncio.timeout(IN_TIME_S):
            await asyncio.gather(
                play_havoc(own, chance), *(bind_one(service, number) for number in range(BINDS))
            )
            while True:
                with contextlib.suppress(*AWAY):
                    if not await unfinished(own):
                        break
                await asyncio.sleep(0.2)
        ended = (first.process.poll(), second.process.poll())

    connection = await asyncpg.connect(own.dsn)
    try:
        ((binds, failed),) = await connection.fetch(
            "select (select count(*) from binds), (select count(*) from pgq.pgqueuer where status = 'failed')"
        )
    finally:
        await connection.close()
    assert ended == (None, None), f"seed {seed}: a worker ended: {first.stderr}"
    assert (binds, failed) == (BINDS, 0), f"seed {seed}"
