"""Processes are replaced one after the other under load, and no request fails.

`ROLLING_REQUESTS=20000 ROLLING_PROCESSES=4 pytest` goes round until that many were served.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from bindery.storage.revision import own_chain
from support.processes import Program, Running, copies_of, free_port, wait_for
from support.service import SECRET, Service
from support.steady_load import SteadyLoad, quotes_of, steady_load
from support.waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("new_database")]

ROOT = Path(__file__).parents[2]
REQUESTS = int(os.environ.get("ROLLING_REQUESTS", "1000"))
PROCESSES = int(os.environ.get("ROLLING_PROCESSES", "2"))
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
            assert await eventually(partial(self._in_use, member), bool)
            assert not self.load.failed

    async def _in_use(self, member: Member) -> bool:
        """Ask HAProxy, whose page of figures has a line for each server."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy)
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
    program = shutil.which("haproxy")
    if program is None:
        pytest.skip("HAProxy is not there: install Debian's package haproxy")
    variables = {"BINDERY_DATABASE_URL": dsn, "BINDERY_SECRET_KEY": SECRET}
    members = [Member(tmp_path / f"api-{n}", free_port(), variables) for n in range(PROCESSES)]
    try:
        await asyncio.gather(*(asyncio.to_thread(member.start, {}) for member in members))
        with proxying(program, tmp_path, [member.port for member in members]) as port:
            async with steady_load(port, quotes_of(service.token), a_second=A_SECOND) as load:
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
