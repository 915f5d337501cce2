"""Processes are replaced one after the other under load, and no request fails.

`ROLLING_REQUESTS=20000 ROLLING_PROCESSES=4 pytest` goes round until that many were served, and
`UPGRADE_FROM=<commit>` begins the upgrade from an earlier version with the version of that commit.
"""

import asyncio
import contextlib
import operator
import os
import re
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import asyncpg
import pytest

from bindery.storage.revision import own_chain
from support.earlier_version import before_the_newest_migration, unpacked
from support.postgres import create_database, drop_database
from support.processes import Program, Running, copies_of, free_port, wait_for
from support.service import BROKER, SECRET, Service
from support.steady_load import SteadyLoad, quotes_of, steady_load
from support.waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("new_database")]

ROOT = Path(__file__).parents[2]
REQUESTS = int(os.environ.get("ROLLING_REQUESTS", "1000"))
PROCESSES = int(os.environ.get("ROLLING_PROCESSES", "2"))
UNDER_WAY = ("created", "aq_created", "calculating", "calc_completed")
A_SECOND = float(os.environ.get("ROLLING_RATE", "60"))


@dataclass
class Member:
    """A server behind the proxy, of whichever version it is at the time."""

    folder: Path
    port: int
    variables: dict[str, str]
    running: Running | None = None

    def start(self, version: dict[str, str]) -> None:
        self.folder.mkdir(exist_ok=True)
        program = Program(self.folder, {**self.variables, **version})
        self.running = program.start("serve", "--port", str(self.port))
        self.running.url = f"http://127.0.0.1:{self.port}"
        self.running.wait_until_ready()

    def replace(self, version: dict[str, str]) -> None:
        assert self.running is not None
        assert self.running.stop(signal.SIGTERM) == 0, self.running.stderr
        self.start(version)


@dataclass
class Rollout:
    """Several servers behind HAProxy, and callers who know only that."""

    members: list[Member]
    proxy: int
    load: SteadyLoad

    async def replace_all(self, version: dict[str, str]) -> None:
        """Replace one server after the other, each when the proxy has the one before in use again."""
        for member in self.members:
            await asyncio.to_thread(member.replace, version)
            await eventually(partial(in_use, self.proxy, member))
            assert not self.load.failed


async def in_use(proxy: int, member: Member) -> bool:
    """Ask HAProxy, whose page of figures has a line for each server."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy)
    except OSError:  # It begins to listen a moment after it was started.
        return False
    writer.write(b"GET /figures;csv HTTP/1.0\r\n\r\n")
    lines = (await reader.read()).decode().splitlines()
    writer.close()
    return any(line.startswith(f"api,api{member.port},") and ",UP," in line for line in lines)


@pytest.fixture
def tomorrow(tmp_path: Path) -> dict[str, str]:
    """The variables of the next version: this one, and a migration that adds and one that takes away."""
    source = tmp_path / "tomorrow"
    shutil.copytree(
        ROOT / "src" / "bindery", source / "bindery", ignore=shutil.ignore_patterns("__pycache__")
    )
    last = own_chain().newest
    for revision, step, statement in (
        ("9001", "expand", "alter table desk_notes add column tomorrow text"),
        ("9002", "contract", "alter table desk_notes drop column tomorrow"),
    ):
        path = source / "bindery" / "storage" / "migrations" / "versions" / f"{revision}_made_up.py"
        path.write_text(
            f'from alembic import op\n\nrevision = "{revision}"\ndown_revision = "{last}"\nstep = "{step}"\n'
            f'\n\ndef upgrade() -> None:\n    op.execute("{statement}")\n'
        )
        last = revision
    return {"PYTHONPATH": str(source)}


@pytest.fixture
async def rollout(service: Service, dsn: str, tmp_path: Path) -> AsyncIterator[Rollout]:
    variables = {"BINDERY_DATABASE_URL": dsn, "BINDERY_SECRET_KEY": SECRET}
    async with rolling(tmp_path, variables, {}, service.token) as rollout:
        yield rollout


@contextlib.asynccontextmanager
async def rolling(
    folder: Path, variables: dict[str, str], version: dict[str, str], token: str
) -> AsyncIterator[Rollout]:
    """Have servers of a version behind HAProxy, and callers."""
    program = shutil.which("haproxy")
    if program is None:
        pytest.skip("HAProxy is not there: install Debian's package haproxy")
    members = [Member(folder / f"api-{n}", free_port(), variables) for n in range(PROCESSES)]
    try:
        await asyncio.gather(*(asyncio.to_thread(member.start, version) for member in members))
        with proxying(program, folder, [member.port for member in members]) as port:
            await eventually(partial(in_use, port, members[0]))
            async with steady_load(port, quotes_of(token), a_second=A_SECOND) as load:
                yield Rollout(members, port, load)
    finally:
        for member in members:
            if member.running is not None:
                member.running.kill()


@contextlib.contextmanager
def proxying(program: str, folder: Path, ports: list[int]) -> Iterator[int]:
    """Run HAProxy with the configuration that we deliver, on ports of ours."""
    listens = free_port()
    delivered = (ROOT / "deploy" / "haproxy.cfg").read_text()
    ours = re.sub(r" +server api.*\n", "", delivered).replace("bind :8000", f"bind 127.0.0.1:{listens}")
    servers = "".join(f"    server api{port} 127.0.0.1:{port} check\n" for port in ports)
    figures = "    stats enable\n    stats uri /figures\n"
    configuration = folder / "haproxy.cfg"
    configuration.write_text(f"{ours}{figures}{servers}")
    with subprocess.Popen([program, "-db", "-f", str(configuration)], stderr=subprocess.PIPE) as process:
        try:
            yield listens
        finally:
            process.terminate()


async def test_an_upgrade_and_the_way_back_lose_no_request(
    rollout: Rollout, tomorrow: dict[str, str]
) -> None:
    load = rollout.load
    new = Program(rollout.members[0].folder, {**rollout.members[0].variables, **tomorrow}, forked=False)

    expanded = await asyncio.to_thread(new.run, "migrate", "--expand")
    await rollout.replace_all(tomorrow)
    # One of the old version again.
    await asyncio.to_thread(rollout.members[0].replace, {})
    refused = await asyncio.to_thread(new.run, "migrate", "--contract")
    # Back, since nothing was taken away yet; and round again until there were enough requests.
    await rollout.replace_all({})
    while load.served < REQUESTS:
        await rollout.replace_all(tomorrow)
        await rollout.replace_all({})

    assert expanded.good().startswith("The database is at revision 9001.\n")
    assert refused.code != 0
    assert "Revision 9002 takes away what processes use that were seen in the last minute" in refused.stderr
    assert load.failed == {}
    assert load.served >= REQUESTS
    sys.stdout.write(f"{load.served} requests were served, none failed.\n")


async def test_an_upgrade_from_an_earlier_version_and_the_way_back(server: str, tmp_path: Path) -> None:
    """The earlier version is a real one: the last without the newest migration, or that of a commit."""
    commit = os.environ.get("UPGRADE_FROM") or before_the_newest_migration()
    if not commit:
        pytest.skip("the project's history is not there")
    earlier = unpacked(commit, tmp_path)
    name = f"upgrade_{uuid.uuid4().hex}"
    dsn = await create_database(server, name)
    variables = {"BINDERY_DATABASE_URL": dsn, "BINDERY_SECRET_KEY": SECRET}
    variables["BINDERY_DATA_DIR"] = str(tmp_path / "data")
    old = Program(tmp_path, {**variables, **earlier}, forked=False)
    new = Program(tmp_path, variables, forked=False)
    try:
        token = await asyncio.to_thread(with_a_partner, old)
        with old.start("work") as old_worker:
            async with rolling(tmp_path, variables, earlier, token) as rollout:
                expanded = await asyncio.to_thread(new.run, "migrate", "--expand")
                # From here on workers of both versions take the jobs of both.
                with new.start("work"):
                    await rollout.replace_all({})
                    await rollout.replace_all(earlier)
                    await rollout.replace_all({})
                    while rollout.load.served < REQUESTS:
                        await rollout.replace_all(earlier)
                        await rollout.replace_all({})
            assert old_worker.stop(signal.SIGTERM) == 0, old_worker.stderr
        with new.start("work"):
            await all_are_priced(dsn)
        contracted = await asyncio.to_thread(new.run, "migrate", "--contract")
        verified = await asyncio.to_thread(new.run, "verify", "--all")
    finally:
        await drop_database(server, name)

    assert f"The database is at revision {own_chain().newest}." in expanded.good()
    assert contracted.good()
    assert verified.good()
    assert rollout.load.failed == {}
    served = f"From {commit[:8]}: {rollout.load.served} requests were served, none failed.\n"
    sys.stdout.write(f"{served}{verified.stdout}")


async def all_are_priced(dsn: str) -> None:
    """Wait for the quotes that are under way, as long as they become fewer."""
    left = sys.maxsize
    while left:
        left = await eventually(partial(under_way, dsn), partial(operator.gt, left))


async def under_way(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        count: int = await connection.fetchval(
            "select count(*) from quotes where status = any($1)", UNDER_WAY
        )
    finally:
        await connection.close()
    return count


def with_a_partner(program: Program) -> str:
    """Make the tables, a partner and its broker, and return a token."""
    program.run("migrate").good()
    program.run("partner", "add", "Northwind").good()
    program.run("broker", "add", BROKER, "--partner", "Northwind").good()
    return program.run("token", "issue", "--partner", "Northwind").good().strip()


async def test_a_hangup_breaks_none_of_the_connections_that_callers_keep(
    service: Service, program: Program
) -> None:
    with program.serving("--processes", "2") as server:
        port = int(server.url.rpartition(":")[2])
        copies = await wait_for(lambda: copies_of(server), until=lambda found: len(found) == 2)
        async with steady_load(port, quotes_of(service.token), a_second=A_SECOND) as load:
            for _ in range(2):
                former = frozenset(copies)
                os.kill(server.process.pid, signal.SIGHUP)
                copies = await wait_for(
                    lambda: copies_of(server), until=partial(are_two_others, former), seconds=120
                )
                assert are_two_others(former, copies)

    assert load.failed == {}
    assert load.served > 100
    # Callers were told, and came again to a copy that had begun.
    assert load.last_answers > 0


def are_two_others(former: frozenset[int], copies: list[int]) -> bool:
    return len(copies) == 2 and former.isdisjoint(copies)
