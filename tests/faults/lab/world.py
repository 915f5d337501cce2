"""A whole installation to break: processes, a PostgreSQL of its own, and a partner with a token."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bindery.outside import embedded_postgres
from bindery.outside.blobs import FOLDER as BLOBS
from faults.lab.cluster import cluster_running
from faults.lab.kinds import World
from faults.lab.postgres import Postgres
from faults.lab.processes import Process, Processes, member
from faults.lab.proxy import proxying
from support.processes import Ended, Program, free_port
from support.service import BROKER, NO_LIMITS, SECRET

PARTNER = "soak"
WORKERS = 2
COPIES = 2


class Mode(StrEnum):
    """`serve` with two processes and two workers on a server of ours or a cluster, or `demo` with its own."""

    EXTERNAL = "external"
    DEMO = "demo"
    CLUSTER = "cluster"


@dataclass
class Installation:
    """What runs, and how to reach it."""

    world: World
    url: str
    token: str
    program: Program

    def run(self, *arguments: str) -> Ended:
        return self.program.run(*arguments, timeout=600)


@contextlib.asynccontextmanager
async def installed(mode: Mode, folder: Path) -> AsyncIterator[Installation]:
    """Set an installation up, and take it down with everything that was started."""
    opened = {Mode.EXTERNAL: _external, Mode.DEMO: _demo, Mode.CLUSTER: _clustered}[mode]
    async with opened(folder) as installation:
        yield installation


@contextlib.asynccontextmanager
async def _external(folder: Path) -> AsyncIterator[Installation]:
    database, data = folder / "database", folder / "data"
    processes = Processes()
    postgres = Postgres(database, is_ours=True)
    try:
        await postgres.start()
        async with proxying(postgres.socket) as proxy:
            variables = {
                **_variables(folder),
                "BINDERY_DATABASE_URL": f"postgresql://bindery@127.0.0.1:{proxy.port}/bindery",
            }
            async with _serving(processes, folder, variables) as (url, token):
                world = World(processes, postgres, data / BLOBS, proxy)
                yield Installation(world, url, token, Program(folder, variables))
    finally:
        processes.end()
        await asyncio.to_thread(embedded_postgres.stop, database)


@contextlib.asynccontextmanager
async def _clustered(folder: Path) -> AsyncIterator[Installation]:
    processes = Processes()
    async with cluster_running() as cluster:
        variables = {
            **_variables(folder),
            "BINDERY_DATABASE_URL": cluster.dsn,
            "BINDERY_REPLICA_URL": cluster.replicas,
        }
        try:
            async with _serving(processes, folder, variables) as (url, token):
                world = World(processes, cluster, folder / "data" / BLOBS)
                yield Installation(world, url, token, Program(folder, variables))
        finally:
            processes.end()


@contextlib.asynccontextmanager
async def _serving(
    processes: Processes, folder: Path, variables: dict[str, str]
) -> AsyncIterator[tuple[str, str]]:
    """Start a server and workers on an empty database; give the address and a partner's token."""
    token = await asyncio.to_thread(prepare, Program(folder, variables))
    port = free_port()
    serve = ("serve", "--port", str(port), "--processes", str(COPIES))
    processes.members = [
        member("serve", folder / "logs", variables, *serve),
        *(member(f"work-{n}", folder / "logs", variables, "work") for n in range(1, WORKERS + 1)),
    ]
    async with _running(processes, port):
        yield f"http://127.0.0.1:{port}", token


@contextlib.asynccontextmanager
async def _demo(folder: Path) -> AsyncIterator[Installation]:
    data, port, variables = folder / "data", free_port(), _variables(folder)
    processes = Processes([member("demo", folder / "logs", variables, "demo", "--port", str(port))])
    postgres = Postgres(data, is_ours=False)
    try:
        async with _running(processes, port):
            await postgres.start()
            world = World(processes, postgres, data / BLOBS)
            token = (data / "demo_token").read_text()
            yield Installation(world, f"http://127.0.0.1:{port}", token, Program(folder, variables))
    finally:
        processes.end()
        await asyncio.to_thread(embedded_postgres.stop, data)


def _variables(folder: Path) -> dict[str, str]:
    # What a killed process leaves among the temporary files goes with the run.
    temporary = folder / "temporary"
    temporary.mkdir()
    return {
        "BINDERY_DATA_DIR": str(folder / "data"),
        "BINDERY_SECRET_KEY": SECRET,
        "BINDERY_ENVIRONMENT": "demo",
        "TMPDIR": str(temporary),
        **NO_LIMITS,
    }


def prepare(commands: Program) -> str:
    """Make the tables, a partner, its broker and a token."""
    commands.run("migrate", timeout=600).good()
    commands.run("partner", "add", PARTNER, timeout=600).good()
    commands.run("broker", "add", BROKER, "--partner", PARTNER, timeout=600).good()
    return commands.run("token", "issue", "--partner", PARTNER, timeout=600).good().strip()


@contextlib.asynccontextmanager
async def _running(processes: Processes, port: int) -> AsyncIterator[None]:
    """Start the processes, wait until they take requests, and watch them from then on."""
    processes.start()
    first: Process = processes.members[0]
    assert first.running is not None
    first.running.url = f"http://127.0.0.1:{port}"
    await asyncio.to_thread(first.running.wait_until_ready)
    watching = asyncio.create_task(processes.watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
