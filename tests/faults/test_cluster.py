"""The cluster of `deploy/cluster` under the real service: what was acknowledged survives its nodes.

`make test-cluster` runs these, apart from the other long ones: they start three database nodes, a quorum and
a proxy, which takes minutes where other programs run too. `make soak` has a fault a minute for half an hour.
`RESTORE_MINUTES=10` is how long the load between a backup and the disaster lasts, otherwise seconds.
"""

import asyncio
import contextlib
import itertools
import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio
from tools.cluster import ADVICE, missing

from faults.lab.cluster import NODES, Cluster, cluster_running
from faults.lab.processes import frozen
from faults.lab.world import prepare
from support.processes import NO_TLS, Program
from support.service import BROKER, SECRET, request_body
from support.waiting import eventually

pytestmark = [
    pytest.mark.long,
    pytest.mark.cluster,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(bool(missing()), reason=ADVICE.format(missing=", ".join(missing()))),
    pytest.mark.timeout(1500),
]

WRITERS = 4
HELD_S = 5.0
PATIENCE_S = 300.0
RESTORE_MINUTES = float(os.environ.get("RESTORE_MINUTES", "0"))


@dataclass
class Writers:
    """Partners who submit one company after the other, and remember what was answered 200."""

    program: Program
    url: str
    token: str
    acknowledged: list[str] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    async def write(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30, verify=NO_TLS) as http:
            while True:
                name = f"Cluster {next(self.numbers)} LLC"
                with contextlib.suppress(httpx.TransportError):
                    answer = await http.post("/v2/quotes", json=request_body(named(name)))
                    self.statuses.add(answer.status_code)
                    if answer.status_code == 200:
                        self.acknowledged.append(name)

    @contextlib.asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self.write()) for _ in range(WRITERS)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def some_more(self, count: int = 20) -> None:
        """Wait for further acknowledgements."""
        wanted = len(self.acknowledged) + count
        async with asyncio.timeout(PATIENCE_S):
            while len(self.acknowledged) < wanted:  # noqa: ASYNC110 - the writers offer no event
                await asyncio.sleep(0.05)


def named(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda body: body["client"].update(name=name, broker_email=BROKER)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster() -> AsyncIterator[Cluster]:
    async with cluster_running() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def writers(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Writers]:
    folder: Path = tmp_path_factory.mktemp("service")
    variables = {
        "BINDERY_DATABASE_URL": cluster.dsn,
        "BINDERY_SECRET_KEY": SECRET,
        "BINDERY_ENVIRONMENT": "demo",
    }
    program = Program(folder, variables)
    token = await asyncio.to_thread(prepare, program)
    with program.serving("--processes", "2") as server:
        yield Writers(program, server.url, token)


async def archived(cluster: Cluster) -> None:
    """Have the archive take what was written so far."""
    node = await cluster.leader()
    connection = await asyncpg.connect(
        host=str(cluster.folder / "cluster" / f"node{node}"),
        port=cluster.port(5431 + node),
        user="postgres",
        database="bindery",
        timeout=60,
    )
    try:
        segment = await connection.fetchval("select pg_walfile_name(pg_switch_wal())")
        is_there = "select coalesce(last_archived_wal >= $1, false) from pg_stat_archiver"
        assert await eventually(lambda: connection.fetchval(is_there, segment), bool)
    finally:
        await connection.close()


async def how_often(cluster: Cluster) -> dict[str, int]:
    """Return how often each company is in the database of the node that leads now."""
    connection = await cluster.connect()
    try:
        rows = await connection.fetch("select name, count(*) from submissions group by name")
    finally:
        await connection.close()
    return {row["name"]: row["count"] for row in rows}


async def commits_that_wait(cluster: Cluster, node: int) -> int:
    """Count the commits that a node has made, and does not acknowledge before a standby has them."""
    connection = await cluster.connect(node)
    try:
        count: int = await connection.fetchval(
            "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
        )
    finally:
        await connection.close()
    return count


async def check_all_there(cluster: Cluster, writers: Writers) -> None:
    found = await how_often(cluster)
    assert [name for name in writers.acknowledged if name not in found] == []
    assert {name: times for name, times in found.items() if times > 1} == {}
    assert 500 not in writers.statuses


async def test_what_was_acknowledged_survives_the_loss_of_the_leading_node(
    cluster: Cluster, writers: Writers
) -> None:
    lost = await cluster.leader()
    async with writers.at_work():
        await writers.some_more()
        await asyncio.to_thread(cluster.lose, lost)
        # The service finds the next one by itself.
        await writers.some_more()

    assert await cluster.leader() != lost
    await check_all_there(cluster, writers)
    assert await cluster.mend()
    await check_all_there(cluster, writers)


async def test_no_commit_is_acknowledged_that_waits_for_a_standby_and_is_gone_after_the_failover(
    cluster: Cluster, writers: Writers
) -> None:
    leader = await cluster.leader()
    standbys = [process for node in NODES if node != leader for process in cluster.processes(node)]
    async with writers.at_work():
        await writers.some_more()
        with frozen(standbys):
            await asyncio.sleep(1)
            before = len(writers.acknowledged)
            await asyncio.sleep(HELD_S)
            while_held = len(writers.acknowledged) - before
            waiting = await commits_that_wait(cluster, leader)
            await asyncio.to_thread(cluster.lose, leader)
        await writers.some_more()

    assert while_held == 0
    assert waiting > 0
    assert await cluster.leader() != leader
    await check_all_there(cluster, writers)
    assert await cluster.mend()
    await check_all_there(cluster, writers)


async def test_a_backup_brings_back_the_second_before_a_disaster(cluster: Cluster, writers: Writers) -> None:
    made = await asyncio.to_thread(cluster.run, "backup")
    async with writers.at_work():
        await asyncio.sleep(RESTORE_MINUTES * 60)
        await writers.some_more()
    kept = list(writers.acknowledged)
    connection = await cluster.connect()
    try:
        moment = await connection.fetchval("select date_trunc('second', now() + interval '1 second')::text")
        await asyncio.sleep(2)
        await connection.execute("drop table journal cascade")
    finally:
        await connection.close()
    await archived(cluster)
    folder = cluster.folder / "restored"

    restored = await asyncio.to_thread(cluster.run, "restore", "--to", moment, str(folder))
    again = await asyncio.to_thread(cluster.run, "restore", "--to", moment, str(folder))
    try:
        dsn = f"postgresql://bindery@/bindery?host={folder}&port={cluster.port(5440)}"
        of_restored = {"BINDERY_DATABASE_URL": dsn}
        verified = await asyncio.to_thread(
            lambda: writers.program.run("verify", "--all", BINDERY_DATABASE_URL=dsn)
        )
        connection = await asyncpg.connect(dsn, timeout=60)
        found = {row["name"] for row in await connection.fetch("select name from submissions")}
        await connection.close()
        with writers.program.serving(**of_restored) as server:
            headers = {"Authorization": f"Bearer {writers.token}"}
            async with httpx.AsyncClient(headers=headers, timeout=60, verify=NO_TLS) as http:
                answer = await http.post(f"{server.url}/v2/quotes", json=request_body(named("After LLC")))
    finally:
        await asyncio.to_thread(cluster.stop_restored, folder)

    assert made.returncode == 0, made.stderr
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert (again.returncode, "is not empty: nothing was restored" in again.stderr) == (2, True)
    assert [name for name in kept if name not in found] == []
    assert verified.code == 0, verified.stdout + verified.stderr
    assert "nothing is missing and nothing was changed" in verified.stdout
    assert answer.status_code == 200
    sys.stdout.write(f"{len(kept)} submissions since the cluster began are there.\n{verified.stdout}")
