"""The database cluster of `deploy/cluster`, started for a run, and what can be done to its parts."""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import psutil
from asyncpg.connect_utils import SessionAttribute
from tools.cluster import ACCOUNT, PATRONI
from tools.debian_postgres import BINARIES

from support.processes import NO_TLS
from support.source_tree import ROOT

SCRIPTS: Final = ROOT / "deploy" / "cluster"
NODES: Final = (1, 2, 3)
LOOKS_EVERY_S: Final = 0.2
STARTS_WITHIN_S: Final = 600.0
TRIES: Final = 2
PORTS: Final = range(20_000, 30_000, 100)
"""What may be added to the ports, so that two clusters do not meet."""


class Cluster:
    """Three nodes, three members of the quorum, and the ways to them; the scripts do what is done to it."""

    def __init__(self, folder: Path, shift_by: int) -> None:
        self.folder = folder
        self._shift_by = shift_by
        self.is_kept = False
        # The account that PostgreSQL runs as may not enter the folder of these sources everywhere.
        self._scripts = folder / "scripts"
        shutil.copytree(SCRIPTS, self._scripts)
        self._programs = folder / "programs"
        self._programs.mkdir()
        shutil.copytree(ROOT / PATRONI, folder / "patroni")
        for name, main in (
            ("patroni", "patroni.__main__ import main"),
            ("patronictl", "patroni.ctl import ctl"),
        ):
            program = self._programs / name
            called = main.rpartition(" ")[2]
            start = f"""exec /usr/bin/python3 -c 'from {main}; {called}()' "$@\""""
            program.write_text(f"#!/bin/sh\nPYTHONPATH='{folder / 'patroni'}' {start}\n")
            program.chmod(0o755)
        self.is_foreign = os.geteuid() == 0
        if self.is_foreign:
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, ACCOUNT)

    def run(self, script: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        mine = {
            "CLUSTER_FOLDER": str(self.folder / "cluster"),
            "CLUSTER_PORTS": str(self._shift_by),
            "PATH": f"{self._programs}:{os.environ['PATH']}",
            **variables,
        }
        command = ["env", *(f"{name}={value}" for name, value in mine.items()), str(self._scripts / script)]
        who = ["runuser", "-u", ACCOUNT, "--"] if self.is_foreign else []
        return subprocess.run(
            [*who, *command, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            timeout=STARTS_WITHIN_S,
        )

    def start(self) -> None:
        """Start what does not run, and wait until everything works together."""
        started = self.run("start")
        assert started.returncode == 0, started.stdout + started.stderr

    def stop(self) -> None:
        self.run("stop")

    def stop_restored(self, folder: Path) -> None:
        """Stop the server that `restore` started in a folder of its own."""
        command = [str(BINARIES / "pg_ctl"), "stop", "--pgdata", str(folder / "data"), "--mode", "fast"]
        who = ["runuser", "-u", ACCOUNT, "--"] if self.is_foreign else []
        subprocess.run([*who, *command], capture_output=True, check=False)

    @property
    def password(self) -> str:
        return (self.folder / "cluster" / "secrets" / "bindery").read_text().strip()

    def port(self, first: int) -> int:
        return first + self._shift_by

    def _url(self, hosts: str) -> str:
        return f"postgresql://bindery:{self.password}@{hosts}/bindery"

    def _address(self, *nodes: int) -> str:
        return self._url(",".join(f"127.0.0.1:{self.port(5431 + node)}" for node in nodes))

    @property
    def dsn(self) -> str:
        """Return the address that names every node."""
        return self._address(*NODES)

    @property
    def replicas(self) -> str:
        return self._url(f"127.0.0.1:{self.port(5001)}")

    async def connect(self, *nodes: int) -> asyncpg.Connection:
        """Connect to whichever of the nodes takes writes, of all of them if none is named."""
        to_primary = SessionAttribute.primary
        return await asyncpg.connect(
            self._address(*(nodes or NODES)), target_session_attrs=to_primary, timeout=60
        )

    async def says(self, node: int, what: str) -> bool:
        """Whether a node's Patroni answers a question with yes."""
        async with httpx.AsyncClient(timeout=2, verify=NO_TLS) as http:
            with contextlib.suppress(httpx.TransportError):
                answer = await http.get(f"http://127.0.0.1:{self.port(8007 + node)}/{what}")
                return answer.status_code == 200
        return False

    async def _first(self, what: str) -> int | None:
        answers = await asyncio.gather(*(self.says(node, what) for node in NODES))
        return next((node for node, is_so in zip(NODES, answers, strict=True) if is_so), None)

    async def leader(self, within_s: float = 120.0) -> int:
        return await self._wait_for("primary", within_s)

    async def standby(self, within_s: float = 120.0) -> int:
        """Return the synchronous standby."""
        return await self._wait_for("synchronous", within_s)

    async def _wait_for(self, what: str, within_s: float) -> int:
        async with asyncio.timeout(within_s):
            while (node := await self._first(what)) is None:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(LOOKS_EVERY_S)
            return node

    def processes(self, node: int) -> list[psutil.Process]:
        """Return a node's Patroni, its postmaster and all that these started."""
        found: list[psutil.Process] = []
        home = self.folder / "cluster" / f"node{node}"
        for file in (home / "pid", home / "data" / "postmaster.pid"):
            with contextlib.suppress(OSError, ValueError, psutil.NoSuchProcess):
                process = psutil.Process(int(file.read_text().split()[0]))
                found += [process, *process.children(recursive=True)]
        return found

    def postmaster(self, node: int) -> psutil.Process:
        file = self.folder / "cluster" / f"node{node}" / "data" / "postmaster.pid"
        return psutil.Process(int(file.read_text().split()[0]))

    def lose(self, node: int) -> None:
        lost = self.run("kill-node", str(node))
        assert lost.returncode == 0, lost.stderr

    async def lose_etcd_leader(self) -> None:
        """Kill the member of the quorum that the others follow."""
        for member in NODES:
            if await self._leads_etcd(member):
                file = self.folder / "cluster" / f"etcd{member}" / "pid"
                os.kill(int(file.read_text()), signal.SIGKILL)
                file.unlink()
                return

    async def _leads_etcd(self, member: int) -> bool:
        async with httpx.AsyncClient(timeout=5, verify=NO_TLS) as http:
            url = f"http://127.0.0.1:{self.port(2377 + 2 * member)}/v3/maintenance/status"
            with contextlib.suppress(httpx.TransportError):
                said = (await http.post(url, json={})).json()
                return bool(said["leader"] == said["header"]["member_id"])
        return False

    async def switch_over(self) -> None:
        """Hand the lead to the synchronous standby, as an operator does before work on a machine."""
        leader, candidate = await self.leader(), await self.standby()
        async with httpx.AsyncClient(timeout=60, verify=NO_TLS) as http:
            await http.post(
                f"http://127.0.0.1:{self.port(8007 + leader)}/switchover",
                json={"leader": f"node{leader}", "candidate": f"node{candidate}"},
            )

    @contextlib.contextmanager
    def swallowing(self, node: int) -> Iterator[None]:
        """Have a firewall drop every packet to and from a node's server and its Patroni."""
        ports = f"{self.port(5431 + node)},{self.port(8007 + node)}"
        rules = [
            ["INPUT", "-i", "lo", "-p", "tcp", "-m", "multiport", way, ports, "-j", "DROP"]
            for way in ("--dports", "--sports")
        ]
        try:
            for rule in rules:
                subprocess.run(["iptables", "-I", *rule], check=True)
            yield
        finally:
            for rule in rules:
                subprocess.run(["iptables", "-D", *rule], check=False)

    async def mend(self) -> bool:
        """Bring back what was lost, once somebody leads, and return whether the cluster is whole again."""
        for _ in range(TRIES):
            with contextlib.suppress(TimeoutError):
                await self.leader()
            if (await asyncio.to_thread(self.run, "start")).returncode == 0:
                return True
        # Its logs say why.
        self.is_kept = True
        (self.folder / "status").write_text((await asyncio.to_thread(self.run, "status")).stdout)
        return False


def can_swallow() -> bool:
    return os.geteuid() == 0 and shutil.which("iptables") is not None


@contextlib.asynccontextmanager
async def cluster_running() -> AsyncIterator[Cluster]:
    """Start a cluster in a folder of its own, and take it down with its folder."""
    folder = Path(tempfile.mkdtemp(prefix="bindery-cluster-"))
    cluster = Cluster(folder, random.SystemRandom().choice(PORTS))
    try:
        await asyncio.to_thread(cluster.start)
        yield cluster
    finally:
        await asyncio.to_thread(cluster.stop)
        if not cluster.is_kept:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
