"""The service's own processes: started, killed, frozen, and watched.

Whoever we kill we start again, as a supervisor would. A process that ends though nobody killed it needed a
person: it is written down as a finding and started again, so that the run can continue.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from support.processes import Program, Running

LOOKS_EVERY_S = 0.25
PERSON_WAITS_S = 1.0
COPIES_END_WITHIN_S = 60.0
TRACKERS = ("resource_tracker", "semaphore_tracker", "forkserver")


@dataclass
class Process:
    """A command that stays; `on_purpose` while we have it down."""

    name: str
    program: Program
    arguments: tuple[str, ...]
    running: Running | None = None
    on_purpose: bool = True

    def start(self) -> None:
        self.running = self.program.start(*self.arguments)
        self.on_purpose = False

    @property
    def pid(self) -> int:
        assert self.running is not None
        return self.running.process.pid

    def alone(self) -> list[psutil.Process]:
        """Return the process itself, or nothing when it has just ended."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return [psutil.Process(self.pid)]
        return []

    def copies(self) -> list[psutil.Process]:
        """Return the processes that a server serves with."""
        with contextlib.suppress(psutil.NoSuchProcess):
            preforks = [child for child in psutil.Process(self.pid).children() if _is_ours(child)]
            return [copy for prefork in preforks for copy in prefork.children()]
        return []


@dataclass(frozen=True)
class EndedByItself:
    """A process that ended though nobody killed it."""

    name: str
    code: int
    at: float
    last_words: str


@dataclass
class Processes:
    """All processes of a run."""

    members: list[Process] = field(default_factory=list)
    ended: list[EndedByItself] = field(default_factory=list)

    def named(self, prefix: str) -> list[Process]:
        return [process for process in self.members if process.name.startswith(prefix)]

    def start(self) -> None:
        for process in self.members:
            process.start()

    async def kill(self, process: Process) -> None:
        """Kill a process alone, without a warning; its copies must end by themselves."""
        copies = process.copies()
        process.on_purpose = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        assert process.running is not None
        await asyncio.to_thread(process.running.process.wait)
        _, left = await asyncio.to_thread(psutil.wait_procs, copies, timeout=COPIES_END_WITHIN_S)
        if left:
            self.ended.append(EndedByItself(process.name, 0, time.monotonic(), "its copies outlived it"))
            process.running.kill()

    async def watch(self) -> None:
        """Note whoever ends by itself, and start it again."""
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            for process in self.members:
                running = process.running
                if process.on_purpose or running is None or running.process.poll() is None:
                    continue
                last_words = (running.stderr.splitlines() or [""])[-1][-200:]
                self.ended.append(
                    EndedByItself(process.name, running.process.returncode, time.monotonic(), last_words)
                )
                process.on_purpose = True
                await asyncio.sleep(PERSON_WAITS_S)
                # A fault may have hit the dead process in the meantime, and started it again.
                if process.running is running:
                    running.kill()
                    process.start()

    def end(self) -> None:
        for process in self.members:
            process.on_purpose = True
            if process.running is not None:
                process.running.kill()


def member(name: str, folder: Path, variables: dict[str, str], *arguments: str) -> Process:
    """Make a process with a folder of its own for what it says on its error stream."""
    logs = folder / name
    logs.mkdir(parents=True, exist_ok=True)
    return Process(name, Program(logs, variables), arguments)


@contextlib.contextmanager
def frozen(processes: list[psutil.Process]) -> Iterator[None]:
    """Stop processes where they are, until the block ends."""
    try:
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.suspend()
        yield
    finally:
        for process in reversed(processes):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()


def _is_ours(child: psutil.Process) -> bool:
    try:
        command = " ".join(child.cmdline())
    except psutil.NoSuchProcess:
        return False
    return bool(command) and not any(word in command for word in TRACKERS)
