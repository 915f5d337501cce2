"""Copies of a process that end, hang or are renewed, with real processes and real signals."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.processes import children_of, command_line, is_alive, supervised_by

pytestmark = pytest.mark.long

TESTS = Path(__file__).parents[1]
WITHIN_S = 60.0


class Supervised:
    """A supervisor in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "support.supervised", *arguments],
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(TESTS)},
                start_new_session=True,
            )

    def copies(self) -> list[int]:
        return supervised_by(self.process.pid)

    def preforks(self) -> list[int]:
        return [
            child
            for child in children_of(self.process.pid)
            if b"spawn_main" in command_line(child) and is_alive(child)
        ]

    def copies_once(self, wanted: Callable[[list[int]], bool]) -> list[int]:
        copies: list[int] = wait_for(self.copies, wanted)
        return copies

    def logged(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(by)
        return self.process.wait(timeout=WITHIN_S)


def wait_for(look: Callable[[], Any], until: Callable[[Any], bool]) -> Any:
    end = time.monotonic() + WITHIN_S
    while not until(seen := look()) and time.monotonic() < end:
        time.sleep(0.02)
    assert until(seen), seen
    return seen


@contextlib.contextmanager
def supervised(folder: Path, *arguments: str) -> Iterator[Supervised]:
    started = Supervised(folder, *arguments)
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.process.pid, signal.SIGKILL)
        started.process.wait(timeout=WITHIN_S)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_copies_are_ended_in_good_order(tmp_path: Path, by: signal.Signals) -> None:
    with supervised(tmp_path, "3", "60", "beats") as running:
        copies = running.copies_once(lambda found: len(found) == 3)

        code = running.stop(by)

    assert code == 0
    assert [pid for pid in copies if is_alive(pid)] == []
    assert running.logged("process_replaced") == running.logged("process_killed") == []


def test_a_copy_that_was_killed_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    with supervised(tmp_path, "2", "60", "beats") as running:
        first, second = running.copies_once(lambda found: len(found) == 2)

        os.kill(first, signal.SIGKILL)
        after = running.copies_once(lambda found: len(found) == 2 and first not in found)
        (told,) = running.logged("process_replaced")

    assert second in after
    assert (told["pid"], told["exit_code"], told["why"]) == (first, -signal.SIGKILL, "ended")


def test_a_copy_that_hangs_is_replaced(tmp_path: Path) -> None:
    # So long that no copy which only waits for a core passes for one that hangs.
    with supervised(tmp_path, "2", "8", "beats") as running:
        first, second = running.copies_once(lambda found: len(found) == 2)
        wait_for(lambda: ignores(first, signal.SIGINT), bool)

        os.kill(first, signal.SIGSTOP)
        after = running.copies_once(lambda found: len(found) == 2 and first not in found)
        (told,) = running.logged("process_replaced")

    assert second in after
    assert (told["pid"], told["why"]) == (first, "hung")


def test_copies_that_never_start_end_neither_the_supervisor_nor_its_exit_code(tmp_path: Path) -> None:
    with supervised(tmp_path, "1", "60", "ends") as running:
        told = wait_for(lambda: running.logged("process_replaced"), lambda lines: len(lines) >= 3)

        assert running.process.poll() is None
        code = running.stop()

    assert {line["exit_code"] for line in told} == {7}
    pauses = [line["pause_s"] for line in told]
    assert pauses[:3] == [0.5, 1.0, 2.0]
    assert code == 0


def test_a_copy_that_does_not_end_in_time_is_killed(tmp_path: Path) -> None:
    with supervised(tmp_path, "1", "60", "deaf") as running:
        (copy,) = running.copies_once(lambda found: len(found) == 1)
        wait_for(lambda: ignores(copy, signal.SIGTERM), bool)

        code = running.stop()

    assert code == 0
    assert not is_alive(copy)
    assert [line["pid"] for line in running.logged("process_killed")] == [copy]


def test_copies_are_renewed_one_after_the_other(tmp_path: Path) -> None:
    with supervised(tmp_path, "2", "60", "beats") as running:
        before = running.copies_once(lambda found: len(found) == 2)

        running.process.send_signal(signal.SIGHUP)
        wait_for(lambda: running.logged("processes_renewed"), bool)
        after = running.copies()

    assert len(after) == 2
    assert not set(before) & set(after)
    assert running.logged("process_replaced") == []


def test_a_renewal_imports_everything_anew(tmp_path: Path) -> None:
    with supervised(tmp_path, "1", "60", "beats") as running:
        running.copies_once(lambda found: len(found) == 1)
        (before,) = running.preforks()

        running.process.send_signal(signal.SIGHUP)
        wait_for(lambda: running.logged("processes_renewed"), bool)
        (after,) = wait_for(running.preforks, lambda found: len(found) == 1)

    assert after != before


def test_copies_of_a_killed_prefork_end_and_are_replaced(tmp_path: Path) -> None:
    with supervised(tmp_path, "3", "60", "beats") as running:
        before = running.copies_once(lambda found: len(found) == 3)
        (prefork,) = running.preforks()

        os.kill(prefork, signal.SIGKILL)
        after = running.copies_once(lambda found: len(found) == 3 and not set(found) & set(before))
        wait_for(lambda: [pid for pid in before if is_alive(pid)], lambda left: not left)

        code = running.stop()

    assert code == 0
    assert [pid for pid in after if is_alive(pid)] == []


def test_nothing_is_left_of_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    with supervised(tmp_path, "3", "60", "beats") as running:
        all_of_it = [*running.copies_once(lambda found: len(found) == 3), *running.preforks()]

        running.process.kill()

        wait_for(lambda: [pid for pid in all_of_it if is_alive(pid)], lambda left: not left)


def test_a_supervisor_that_is_told_to_stop_while_it_starts_does_not_wait(tmp_path: Path) -> None:
    with supervised(tmp_path, "2", "60", "beats") as running:
        wait_for(running.preforks, bool)

        code = running.stop()

        wait_for(running.preforks, lambda left: not left)

    assert code == 0
    assert running.logged("process_killed") == []


def ignores(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(next(line for line in status.splitlines() if line.startswith("SigIgn")).split()[1], 16)
    return bool(ignored >> (number - 1) & 1)
