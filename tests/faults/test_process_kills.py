"""Processes are killed without a warning: nothing acknowledged is lost, nothing is done twice."""

import asyncio
import contextlib
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, Self

import httpx
import pytest

from bindery.domain.quote.lifecycle import NOT_READY
from support.processes import NO_TLS, Program, Running, copies_of, is_alive, wait_for
from support.service import Service, request_body

pytestmark = pytest.mark.long

STORM = 300
STORM_WIDTH = 12
SUBMISSIONS = 200
KILLS = 6
FINISHED_WITHIN_S = 480.0


async def test_two_processes_of_one_server_behave_as_one(service: Service, program: Program) -> None:
    with program.serving("--processes", "2", PROMETHEUS_MULTIPROC_DIR=str(program.folder)) as server:
        copies = await wait_for(lambda: copies_of(server), until=lambda found: len(found) == 2)
        async with connections(server.url, service, 16) as everyone:
            receipts = await asyncio.gather(
                *(post(http, request_body(), key="the-same-for-all") for http in everyone)
            )
            (receipt,) = {answer.text for answer in receipts if answer.status_code == 200}
            identifier = json.loads(receipt)["quotes"][0]["quote_identifier"]
            seen = await asyncio.gather(*(get(http, identifier) for http in everyone))

        os.kill(copies[0], signal.SIGKILL)
        replaced = await wait_for(
            lambda: copies_of(server), until=lambda found: len(found) == 2 and copies[0] not in found
        )
        async with connections(server.url, service, 4) as everyone:
            after = await asyncio.gather(*(get(http, identifier) for http in everyone))

    assert {answer.status_code for answer in receipts} <= {200, 409}
    assert await service.count("submissions") == 1
    assert {answer.status_code for answer in seen} == {202}
    assert copies[1] in replaced
    assert {answer.status_code for answer in after} == {202}


async def test_no_copy_of_a_killed_server_is_left_behind(service: Service, program: Program) -> None:
    with program.serving("--processes", "2", PROMETHEUS_MULTIPROC_DIR=str(program.folder)) as server:
        copies = await wait_for(lambda: copies_of(server), until=lambda found: len(found) == 2)

        os.kill(server.process.pid, signal.SIGKILL)
        left = await wait_for(lambda: [pid for pid in copies if is_alive(pid)], until=lambda found: not found)

    assert left == []


async def test_a_server_killed_in_a_storm_loses_no_receipt(service: Service, program: Program) -> None:
    with program.serving() as victim, program.serving() as survivor:
        acknowledged: list[dict[str, Any]] = []
        lost = Counter[str]()

        async def send(number: int, http: httpx.AsyncClient) -> None:
            body = request_body(lambda b: b["policy"].update(quotes=options(1 + number % 5)))
            try:
                answer = await post(http, body, key=f"storm-{number}")
            except httpx.TransportError as fault:
                lost[type(fault).__name__] += 1
                return
            assert answer.status_code == 200, answer.text
            acknowledged.append({**answer.json(), "wanted": 1 + number % 5})
            if len(acknowledged) == STORM // 3:
                victim.process.kill()

        async with (
            connections(victim.url, service, 1) as (first,),
            connections(survivor.url, service, 1) as (second,),
        ):
            gate = asyncio.Semaphore(STORM_WIDTH)

            async def submit_one(number: int) -> None:
                async with gate:
                    await send(number, (first, second)[number % 2])

            await asyncio.gather(*(submit_one(number) for number in range(STORM)))
            found = await asyncio.gather(
                *(
                    get(second, option["quote_identifier"])
                    for receipt in acknowledged
                    for option in receipt["quotes"]
                )
            )

    assert victim.process.returncode == -signal.SIGKILL
    assert lost.total() > 0, "the kill came too late to be a test"
    assert len(acknowledged) >= STORM // 2
    assert all(len(receipt["quotes"]) == receipt["wanted"] for receipt in acknowledged)
    assert {answer.status_code for answer in found} == {202}
    assert await service.count("submissions") >= len(acknowledged)
    assert await half_submissions(service) == []


async def test_submissions_survive_workers_that_are_killed_at_random_moments(
    service: Service, program: Program
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    for number in range(SUBMISSIONS):
        await service.submit(varied(number))
    total = await service.count("quotes")
    # Early enough that the last is not overtaken by the end of the work.
    moments = sorted(chance.randrange(total // 2) for _ in range(KILLS))

    kills = 0
    async with Workers(program) as workers:
        until = time.monotonic() + FINISHED_WITHIN_S
        while (done := await finished(service)) < total:
            assert time.monotonic() < until, f"seed {seed}: {done} of {total} in time"
            if kills < KILLS and done >= moments[kills]:
                # Anywhere in the work on a submission, not only when one has just been finished.
                await asyncio.sleep(chance.random() * 0.2)
                workers.kill_and_replace(chance)
                kills += 1
            await asyncio.sleep(0.02)

    assert kills == KILLS, f"seed {seed}"
    assert await begun_again(service) > 0, f"seed {seed}: no kill met a submission that was being worked on"
    assert await faulty_journals(service) == [], f"seed {seed}"
    assert await statuses(service) == expected_statuses(), f"seed {seed}"
    assert await doubled_contingencies(service) == [], f"seed {seed}"


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
async def test_a_worker_told_to_stop_ends_in_good_order(program: Program, by: signal.Signals) -> None:
    with program.start("work") as worker:
        await wait_for(lambda: worker.stderr, until=lambda said: '"working"' in said)

        code = await asyncio.to_thread(worker.stop, by)

    assert code == 0
    assert '"event":"stopped"' in worker.stderr.splitlines()[-1]


async def test_an_interrupted_server_ends_in_good_order(program: Program) -> None:
    with program.serving() as server:
        code = await asyncio.to_thread(server.stop, signal.SIGINT)

    assert code == 0
    assert "Traceback" not in server.stderr


def test_a_port_in_use_is_one_sentence(program: Program) -> None:
    with program.serving() as server:
        port = server.url.rpartition(":")[2]
        refused = [program.run(command, "--port", port) for command in ("serve", "demo")]

    for ended in refused:
        last = ended.stderr.splitlines()[-1]
        assert ended.code == 2
        assert f"Cannot listen on 127.0.0.1 port {port}: another process listens there." in last


class Workers:
    """Two worker processes, one of which is killed and replaced now and then."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._running: list[Running] = []

    async def __aenter__(self) -> Self:
        self._running = [self._start(), self._start()]
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._running:
            worker.kill()

    def kill_and_replace(self, chance: random.Random) -> None:
        victim = chance.randrange(len(self._running))
        self._running[victim].kill()
        self._running[victim] = self._start()

    def _start(self) -> Running:
        return self._program.start("work", "--concurrency", "4")


def options(count: int) -> list[dict[str, int]]:
    limits = (1_000_000, 2_000_000, 500_000, 3_000_000, 250_000)
    return [{"aggregate_limit": limit, "aggregate_retention": 5_000} for limit in limits[:count]]


DOMAINS = ("clean", "red-flags", "weak", "no-data")
EXPECTED = {
    "clean": "published",
    "red-flags": "quote_referred",
    "weak": "published",
    "no-data": "quote_referred",
}


def varied(number: int) -> dict[str, Any]:
    """Return one of several requests: published, referred, and of one or two options."""

    def change(body: dict[str, Any]) -> None:
        body["client"]["domains"] = [f"{DOMAINS[number % len(DOMAINS)]}.example.com"]
        body["policy"]["quotes"] = options(1 + number % 2)

    return request_body(change)


def expected_statuses() -> Counter[str]:
    counted = Counter[str]()
    for number in range(SUBMISSIONS):
        counted[EXPECTED[DOMAINS[number % len(DOMAINS)]]] += 1 + number % 2
    return counted


async def finished(service: Service) -> int:
    count: int = await service.runtime.database.pool.fetchval(
        "select count(*) from quotes where status <> all($1::text[])", [str(status) for status in NOT_READY]
    )
    return count


async def begun_again(service: Service) -> int:
    count: int = await service.runtime.database.pool.fetchval(
        "select count(*) from submissions where starts > 1"
    )
    return count


async def statuses(service: Service) -> Counter[str]:
    rows = await service.runtime.database.pool.fetch("select status, count(*) from quotes group by status")
    return Counter({row["status"]: row["count"] for row in rows})


async def faulty_journals(service: Service) -> list[str]:
    """Name every quote whose journal has a gap, a double, a broken chain, or says `published` twice."""
    quotes = await service.runtime.database.pool.fetch(
        "select quote_id, status, journal_entries, journal_hash, quote_events from quotes"
    )
    faults = []
    for row in quotes:
        entries = await service.journal(str(row["quote_id"]))
        chained = [b"", *(entry.hash() for entry in entries)]
        told = [entry.sequence for entry in entries if entry.level == "quote"]
        sound = (
            [entry.entry for entry in entries] == list(range(1, row["journal_entries"] + 1))
            and [entry.previous_hash for entry in entries] == chained[:-1]
            and row["journal_hash"] == chained[-1]
            and told == list(range(1, row["quote_events"] + 1))
            and [entry.status_before for entry in entries[1:]]
            == [entry.status_after for entry in entries[:-1]]
            and entries[-1].status_after == row["status"]
            and sum(entry.status_after == "published" != entry.status_before for entry in entries) <= 1
            and len({entry.event_id for entry in entries}) == len(entries)
        )
        if not sound:
            faults.append(f"{row['quote_id']}: {[(e.entry, e.trigger, e.status_after) for e in entries]}")
    return faults


async def doubled_contingencies(service: Service) -> list[Any]:
    rows = await service.runtime.database.pool.fetch(
        "select quote_id, kind from contingencies group by quote_id, kind having count(*) > 1"
    )
    return list(rows)


async def half_submissions(service: Service) -> list[str]:
    """Name every submission that lacks an option, a journal entry or its job."""
    rows = await service.runtime.database.pool.fetch(
        """
        select s.submission_id::text as id, s.body,
               (select count(*) from quotes q where q.submission_id = s.submission_id) as options,
               (select count(*) from quotes q join journal j using (quote_id)
                where q.submission_id = s.submission_id) as entries,
               (select count(*) from pgq.pgqueuer p
                where convert_from(p.payload, 'UTF8') = s.submission_id::text) as jobs
        from submissions s
        """
    )
    return [
        row["id"]
        for row in rows
        if not row["options"] == row["entries"] == len(json.loads(row["body"])["policy"]["quotes"])
        or row["jobs"] != 1
    ]


@contextlib.asynccontextmanager
async def connections(url: str, service: Service, count: int) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Open clients that share no connection, so that they reach different processes."""
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                httpx.AsyncClient(base_url=url, headers=service.headers, timeout=120, verify=NO_TLS)
            )
            for _ in range(count)
        ]


async def post(http: httpx.AsyncClient, body: dict[str, Any], *, key: str) -> httpx.Response:
    return await http.post("/v2/quotes", json=body, headers={"Idempotency-Key": key})


async def get(http: httpx.AsyncClient, identifier: str) -> httpx.Response:
    return await http.get(f"/v2/quotes/{identifier}")
