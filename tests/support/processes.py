"""The program as people run it: real processes, started from an empty folder."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from support.forked import fork_server
from support.postgres import create_database, drop_database
from support.service import NO_LIMITS

PROGRAM = Path(sys.executable).with_name("bindery")
EXAMPLES = Path(__file__).parents[2] / "examples"
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "COVERAGE_FOLDER")
STARTS_WITHIN_S = 180.0
NO_TLS = False
"""For `verify`: a client that may have to speak TLS reads the machine's certificates when it is made, which
takes a tenth of a second of processor time."""

T = TypeVar("T")


@dataclass
class Program:
    """The command line on one data folder, away from everybody's settings."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    forked: bool = True
    """Whether commands are forks of a process that has imported the program, which saves their imports."""
    path: Path = PROGRAM

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def environment(self, **more: str) -> dict[str, str]:
        return {**kept_variables(), **NO_LIMITS, "BINDERY_DATA_DIR": str(self.data), **self.variables, **more}

    def run(
        self, *arguments: str, stdin: str | None = None, timeout: float = 180, **variables: str
    ) -> "Ended":
        environment = self.environment(**variables)
        if self.forked:
            done = fork_server(self.path, kept_variables()).run(
                arguments, input=stdin, timeout=timeout, cwd=self.folder, env=environment
            )
        else:
            done = subprocess.run(
                [self.path, *arguments],
                capture_output=True,
                text=True,
                check=False,
                input=stdin,
                timeout=timeout,
                cwd=self.folder,
                env=environment,
            )
        return Ended(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, stdout: int | None = None, **variables: str) -> "Running":
        """Start a process that stays; it is the leader of its own group, so that none of it is left."""
        with (self.folder / "stderr").open("ab") as stderr:
            process = subprocess.Popen(
                [self.path, *arguments],
                stdout=stdout or subprocess.DEVNULL,
                stderr=stderr,
                text=True,
                cwd=self.folder,
                env=self.environment(**variables),
                start_new_session=True,
            )
        return Running(process, self)

    @contextlib.contextmanager
    def serving(self, *arguments: str, **variables: str) -> Iterator["Running"]:
        """Run `bindery serve` on a free port until the block ends."""
        port = free_port()
        with self.start("serve", "--port", str(port), *arguments, stdout=None, **variables) as running:
            running.url = f"http://127.0.0.1:{port}"
            running.wait_until_ready()
            yield running


def kept_variables() -> dict[str, str]:
    """Return what a program may know of the environment that the tests run in."""
    return {name: os.environ[name] for name in KEPT if name in os.environ}


def without_watch(variables: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which nobody notes what of the program is met."""
    return {name: value for name, value in variables.items() if name != "COVERAGE_FOLDER"}


@contextlib.contextmanager
def demo_running(server: str, template: str, folder: Path) -> Iterator["Running"]:
    """Run `bindery demo` on a database of its own on the run's server."""
    name = f"demo_{uuid.uuid4().hex}"
    program = Program(
        folder, {"BINDERY_DATABASE_URL": asyncio.run(create_database(server, name, template=template))}
    )
    port = free_port()
    try:
        with program.start("demo", "--port", str(port)) as running:
            running.url = f"http://127.0.0.1:{port}"
            running.wait_until_ready()
            yield running
    finally:
        asyncio.run(drop_database(server, name))


@dataclass(frozen=True)
class Ended:
    """A command that came to its end."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        assert self.code == 0, self.stderr
        return json.loads(self.stdout)

    def good(self) -> str:
        """Return what it printed, after a success."""
        assert self.code == 0, self.stderr
        return self.stdout

    @property
    def complaint(self) -> str:
        """Return the one sentence of a wrong use."""
        assert self.code == 2, (self.code, self.stdout, self.stderr)
        assert self.stdout == ""
        assert "Traceback" not in self.stderr
        lines = self.stderr.splitlines()
        assert len(lines) == 1, self.stderr
        assert lines[0].startswith("bindery: ")
        return lines[0].removeprefix("bindery: ")


@dataclass
class Running:
    """A process that stays until it is stopped or killed."""

    process: subprocess.Popen[str]
    program: Program
    url: str = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def token(self) -> str:
        """Return the token of the demo."""
        return (self.program.data / "demo_token").read_text()

    @property
    def stderr(self) -> str:
        return (self.program.folder / "stderr").read_text()

    def wait_until_ready(self) -> None:
        until = time.monotonic() + STARTS_WITHIN_S
        while time.monotonic() < until:
            assert self.process.poll() is None, self.stderr
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/readyz", timeout=5, verify=NO_TLS).status_code == 200:
                    return
            time.sleep(0.05)
        raise AssertionError(f"not ready in time: {self.stderr}")

    def read_until(self, words: str) -> str:
        """Read its output up to the line that has these words."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if words in line:
                return "".join(lines)
        raise AssertionError(f"it ended before saying {words!r}: {self.stderr}")

    def stop(self, by: signal.Signals = signal.SIGINT) -> int:
        """Ask it to stop, and return its exit code."""
        self.process.send_signal(by)
        return self.process.wait(timeout=120)

    def kill(self) -> None:
        """Kill it and everything it started, without a warning."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=120)
        if self.process.stdout is not None:
            self.process.stdout.close()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def copies_of(server: Running) -> list[int]:
    """Return the processes that serve."""
    return supervised_by(server.process.pid)


def supervised_by(pid: int) -> list[int]:
    """Return the copies below a supervisor: a child of it forks them."""
    preforks = [child for child in children_of(pid) if b"spawn_main" in command_line(child)]
    return [copy for prefork in preforks for copy in children_of(prefork) if is_alive(copy)]


def children_of(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def wait_for(look: Callable[[], T], *, until: Callable[[T], bool], seconds: float = 30) -> T:
    end = time.monotonic() + seconds
    while not until(seen := look()) and time.monotonic() < end:  # noqa: ASYNC110 - another process has no event
        await asyncio.sleep(0.05)
    return seen
