"""A submission that kills whatever works on it reaches the desk, and kills no more."""

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bindery.actions.submission.process_submission import MOST_STARTS
from support import processes
from support.processes import Program
from support.service import Service

pytestmark = pytest.mark.long

SCRIPT = Path(processes.__file__).with_name("deadly_worker.py")
ENDS_WITHIN_S = 90


@contextlib.contextmanager
def deadly_worker(program: Program) -> "Iterator[subprocess.Popen[bytes]]":
    with (program.folder / "stderr").open("ab") as stderr:
        worker = subprocess.Popen([sys.executable, SCRIPT], stderr=stderr, env=program.environment())
    try:
        yield worker
    finally:
        worker.kill()
        worker.wait(timeout=30)


async def test_a_submission_that_keeps_killing_its_worker_is_referred(
    service: Service, program: Program
) -> None:
    receipt = await service.submit()
    pool = service.runtime.database.pool
    await pool.execute("update submissions set starts = $1", MOST_STARTS - 1)

    with deadly_worker(program) as first:
        killed_by = await asyncio.to_thread(first.wait, ENDS_WITHIN_S)
    counted = await pool.fetchval("select starts from submissions")
    with deadly_worker(program) as second:
        quotes = [await service.ready(row["quote_identifier"]) for row in receipt["quotes"]]
        lives = second.poll() is None

    assert (killed_by, counted) == (-signal.SIGKILL, MOST_STARTS)
    assert lives
    assert {(quote["quote_status"], quote["error_occurred"]) for quote in quotes} == {
        ("quote_referred", True)
    }
