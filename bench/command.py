"""A command of the program, run as anybody runs it, and what it took."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Taken:
    seconds: float
    processor_s: float
    megabytes: float


def run(environment: Mapping[str, str], *arguments: str, stdout: int | None = None) -> Taken:
    """Run a command to its good end."""
    began = time.perf_counter()
    program = str(Path(sys.executable).with_name("bindery"))
    with subprocess.Popen([program, *arguments], env={**os.environ, **environment}, stdout=stdout) as running:
        # What the system reports in the end is at least what this process had when it started the other.
        kilobytes = 0
        while os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            kilobytes = most_memory(running.pid) or kilobytes
            time.sleep(0.02)
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    assert running.returncode == 0, arguments
    return Taken(took, used.ru_utime + used.ru_stime, kilobytes / 1024)


def most_memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
