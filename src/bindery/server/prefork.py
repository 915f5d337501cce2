"""A process that has imported everything and forks copies of itself, so that a copy starts without imports.

It is a fresh process of one thread, with no event loop and no connection, which is what makes forking safe.
Its own parent cannot do that: it has checked the database and the settings before.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import RawArray
from typing import Any, Final

from bindery.base.memory import keep_for_good

_spawn: Final = multiprocessing.get_context("spawn")
_fork: Final = multiprocessing.get_context("fork")

ENDS_WITHIN_S: Final = 5.0

Beat = Callable[[], None]
Work = Callable[[Beat], None]

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals meant for copies; one that is sent to a whole process group also reaches this process."""

LEAVING: Final = signal.SIGUSR1
"""Tells a copy at work that it will be asked to end soon."""


@dataclass(eq=False)
class Copy:
    """A copy, from the moment that it is asked for; the prefork process reports its pid and exit code."""

    prefork: "Prefork"
    place: int
    pid: int | None = None
    exit_code: int | None = None
    started_at: float = field(default_factory=time.monotonic)
    ends_at_once: bool = False

    @property
    def is_alive(self) -> bool:
        return self.exit_code is None

    @property
    def beat_at(self) -> float:
        """Return when it last showed that it is well, 0 before the first time."""
        return self.prefork.beat_at(self.place)

    def leave(self) -> None:
        # One that is not at work yet would not know what to make of it.
        if self.beat_at:
            self._send(LEAVING)

    def end(self) -> None:
        self.ends_at_once = True
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def record(self, pid: int | None, exit_code: int | None) -> None:
        self.pid, self.exit_code = pid, exit_code
        if self.ends_at_once:
            self.end()

    def _send(self, number: signal.Signals) -> None:
        if self.is_alive and self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)


class Prefork:
    """The supervisor's side: asks for copies, and receives their pids and exit codes."""

    def __init__(self, work: Work, places: int) -> None:
        self._beats = RawArray("d", places)
        self._copies: dict[int, Copy] = {}
        self._asked_for = 0
        self._has_reported = False
        self.pipe, theirs = _spawn.Pipe()
        self._process = _spawn.Process(target=_raise_copies, args=(work, self._beats, theirs))
        self._process.start()
        theirs.close()
        self.is_there = True

    @property
    def is_empty(self) -> bool:
        return not self._copies

    def beat_at(self, place: int) -> float:
        moment: float = self._beats[place]
        return moment

    def start(self, place: int) -> Copy:
        """Ask for a copy; no other of this prefork may be alive in its place."""
        self._beats[place] = 0.0
        copy = Copy(self, place)
        self._asked_for += 1
        self._copies[self._asked_for] = copy
        try:
            self.pipe.send((self._asked_for, place))
        except OSError:
            self.kill()
        return copy

    def listen(self) -> None:
        try:
            while self.is_there and self.pipe.poll():
                number, pid, exit_code = self.pipe.recv()
                self._has_reported = True
                self._copies[number].record(pid, exit_code)
                if exit_code is not None:
                    del self._copies[number]
        except (EOFError, OSError):
            self.kill()

    def give_up_unborn(self) -> None:
        """End it if it is still importing, and has made no copy that could be asked to end."""
        self.listen()
        if self.is_there and not self._has_reported:
            self.kill()

    def close(self) -> None:
        """End it; remaining copies notice and shut down cleanly."""
        if self.is_there:
            self.pipe.close()
            self._process.join(ENDS_WITHIN_S)
            self.kill()

    def kill(self) -> None:
        """End it at once and give up its copies, who see that they are alone and end in good order."""
        self._process.kill()
        self._process.join()
        for copy in self._copies.values():
            copy.record(copy.pid, self._process.exitcode)
        self._copies.clear()
        self.pipe.close()
        self.is_there = False


_parent_gone: int | None = None
"""In a copy: a descriptor that is readable as soon as its prefork process is gone."""


def end_with_parent() -> None:
    """Shut this copy down cleanly when its parent is gone, so that none is left behind."""
    assert _parent_gone is not None, "a copy comes from a prefork"
    threading.Thread(target=_end_with, args=(_parent_gone,), daemon=True).start()


def _end_with(parent_gone: int) -> None:
    connection.wait([parent_gone])
    os.kill(os.getpid(), signal.SIGTERM)


def _raise_copies(work: Work, beats: Any, pipe: "connection.Connection[Any, Any]") -> None:  # noqa: ANN401 - ctypes' array
    """Fork a copy for each request, and report its pid and exit code, until the supervisor is gone."""
    # Blocked and not ignored: a signal that comes while a copy is being made waits until the copy handles it.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    # Reads as ended when this process is gone: copies close the end that writes, so nobody else holds it.
    gone, alive = os.pipe()
    keep_for_good()
    copies: dict[int, tuple[int, ForkProcess]] = {}
    with contextlib.suppress(EOFError, OSError):
        while True:
            for ready in connection.wait([pipe, *copies]):
                if ready is pipe:
                    number, place = pipe.recv()
                    copy = _fork.Process(target=_live, args=(work, beats, place, pipe, gone, alive))
                    try:
                        copy.start()
                    except OSError as fault:  # no memory, or too many processes
                        pipe.send((number, None, fault.errno))
                        continue
                    copies[copy.sentinel] = number, copy
                    pipe.send((number, copy.pid, None))
                else:
                    assert isinstance(ready, int)
                    number, copy = copies.pop(ready)
                    copy.join()
                    pipe.send((number, copy.pid, copy.exitcode))
    # Leave without waiting for the copies, who now see that they are alone.
    os._exit(0)


def _live(
    work: Work,
    beats: Any,  # noqa: ANN401 - ctypes' array
    place: int,
    pipe: "connection.Connection[Any, Any]",
    gone: int,
    alive: int,
) -> None:
    global _parent_gone  # noqa: PLW0603 - set once, in a process that was just made
    pipe.close()
    os.close(alive)
    _parent_gone = gone
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def beat() -> None:
        beats[place] = time.monotonic()

    work(beat)
