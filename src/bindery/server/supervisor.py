"""Several processes that do the same: one that ends or hangs is replaced, whatever the reason."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import RawValue
from typing import Any, Final

import structlog

LOOK_EVERY_S: Final = 0.5
STARTED_WITHIN_S: Final = 120.0
HUNG_AFTER_S: Final = 30.0
"""How long a copy's event loop may stand still; nothing that is served keeps it for a second."""

SHORTEST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
LIVED_LONG_S: Final = 60.0
"""A copy that lived for this long is replaced at once; one that ends sooner, ever more slowly."""

log = structlog.get_logger()
_spawn: Final = multiprocessing.get_context("spawn")

Beat = Callable[[], None]
Work = Callable[[Beat], None]


class _SharedBeat:
    """A moment that a copy writes and its parent reads; both clocks count since the machine's start."""

    def __init__(self) -> None:
        self._at = RawValue("d", 0.0)

    def __call__(self) -> None:
        self._at.value = time.monotonic()

    @property
    def at(self) -> float:
        """Return when the copy was last known to be well, 0 before the first time."""
        moment: float = self._at.value
        return moment


@dataclass
class _Copy:
    process: SpawnProcess
    beat: _SharedBeat
    started_at: float = field(default_factory=time.monotonic)

    def is_hung(self, after_s: float) -> bool:
        """Whether it has been silent for longer than a healthy one ever is."""
        heard_at = self.beat.at
        if heard_at:
            return time.monotonic() - heard_at > after_s
        return time.monotonic() - self.started_at > STARTED_WITHIN_S


class Supervisor:
    """Keep a number of copies at work until told to stop.

    SIGTERM and SIGINT end the copies in good order, and a second one at once; SIGHUP replaces them one after
    the other, each when its successor is at work. The supervisor itself ends only when told to.
    """

    def __init__(
        self, work: Work, count: int, *, ends_within_s: float, hung_after_s: float = HUNG_AFTER_S
    ) -> None:
        self._work = work
        self._ends_within_s = ends_within_s
        self._hung_after_s = hung_after_s
        self._copies: list[_Copy | None] = [None] * count
        self._pauses_s = [SHORTEST_PAUSE_S] * count
        self._start_at = [0.0] * count
        self._wake_read, self._wake_write = _spawn.Pipe(duplex=False)
        self._told_to_stop = 0
        self._told_to_renew = False

    def run(self) -> None:
        """Work until told to stop."""
        with self._signals():
            try:
                while not self._told_to_stop:
                    self._look_after_all()
                    if self._told_to_renew:
                        self._told_to_renew = False
                        self._renew()
                    self._wait()
            finally:
                self._end_all()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(_number: int, _frame: object) -> None:
            self._told_to_stop += 1
            self._wake_write.send_bytes(b".")

        def renew(_number: int, _frame: object) -> None:
            self._told_to_renew = True
            self._wake_write.send_bytes(b".")

        handlers: dict[signal.Signals, Any] = {
            signal.SIGTERM: stop,
            signal.SIGINT: stop,
            signal.SIGHUP: renew,
        }
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _wait(self) -> None:
        """Wait until a copy ends, a signal comes, or it is time to look again."""
        sentinels = [copy.process.sentinel for copy in self._copies if copy is not None]
        if self._wake_read in connection.wait([self._wake_read, *sentinels], timeout=LOOK_EVERY_S):
            while self._wake_read.poll():
                self._wake_read.recv_bytes()

    def _look_after_all(self) -> None:
        for place, copy in enumerate(self._copies):
            if copy is None:
                if time.monotonic() >= self._start_at[place]:
                    self._copies[place] = self._start()
            elif not copy.process.is_alive():
                self._lose(place, copy, "ended")
            elif copy.is_hung(self._hung_after_s):
                copy.process.kill()
                copy.process.join()
                self._lose(place, copy, "hung")

    def _lose(self, place: int, copy: _Copy, why: str) -> None:
        """Have a copy that ended replaced, the later the sooner it ended."""
        lived_s = time.monotonic() - copy.started_at
        pause_s = 0.0 if lived_s >= LIVED_LONG_S else self._pauses_s[place]
        self._pauses_s[place] = min(pause_s * 2, LONGEST_PAUSE_S) if pause_s else SHORTEST_PAUSE_S
        self._start_at[place] = time.monotonic() + pause_s
        self._copies[place] = None
        log.error(
            "process_replaced",
            pid=copy.process.pid,
            exit_code=copy.process.exitcode,
            why=why,
            lived_s=round(lived_s, 1),
            pause_s=pause_s,
        )

    def _start(self) -> _Copy:
        beat = _SharedBeat()
        process = _spawn.Process(target=self._work, args=(beat,))
        process.start()
        return _Copy(process, beat)

    def _renew(self) -> None:
        """Replace every copy by one that is at work already; one that fails to start changes nothing."""
        for place, old in enumerate(self._copies):
            new = self._start()
            while not (new.beat.at or new.is_hung(self._hung_after_s) or self._told_to_stop):
                if not new.process.is_alive():
                    break
                time.sleep(LOOK_EVERY_S / 10)
            if not new.beat.at:
                log.error("process_not_renewed", pid=new.process.pid, exit_code=new.process.exitcode)
                self._end([new])
                return
            self._copies[place] = new
            if old is not None:
                self._end([old])
        log.info("processes_renewed", count=len(self._copies))

    def _end_all(self) -> None:
        self._end([copy for copy in self._copies if copy is not None])

    def _end(self, copies: list[_Copy]) -> None:
        """Tell copies to end, and kill those that have not ended in time or when told a second time."""
        for copy in copies:
            copy.process.terminate()
        until = time.monotonic() + self._ends_within_s
        left = copies
        while left and time.monotonic() < until and self._told_to_stop <= 1:
            connection.wait([copy.process.sentinel for copy in left], timeout=LOOK_EVERY_S)
            left = [copy for copy in left if copy.process.is_alive()]
        for copy in left:
            log.error("process_killed", pid=copy.process.pid)
            copy.process.kill()
        for copy in copies:
            copy.process.join()


def end_with_parent() -> None:
    """Have this copy end in good order when its supervisor is gone, so that none is left behind."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a copy has a parent"
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(parent_sentinel: int) -> None:
    connection.wait([parent_sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
