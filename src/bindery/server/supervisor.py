"""Several processes that do the same: one that ends or hangs is replaced, whatever the reason."""

import multiprocessing
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, Final

import structlog

from bindery.server.prefork import Copy, Prefork, Work

LOOK_EVERY_S: Final = 0.5
ACCEPT_FOR_S: Final = 0.3
"""A copy stops accepting connections within a tenth of a second after it is asked to end."""
STARTED_WITHIN_S: Final = 120.0
HUNG_AFTER_S: Final = 30.0
"""How long a copy's event loop may stand still; nothing that is served keeps it for a second."""

SHORTEST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
LIVED_LONG_S: Final = 60.0
"""A copy that lived for this long is replaced at once; one that ends sooner, ever more slowly."""

log = structlog.get_logger()


class Supervisor:
    """Keep a number of copies at work until a signal ends them.

    SIGTERM and SIGINT end the copies in good order, and a second one at once; before SIGTERM does, they serve
    on for a while in which they are not ready, which another signal ends. SIGHUP replaces them one after the
    other, each when its successor is at work, by copies of a process that imports everything again. The
    supervisor itself ends only by a signal.
    """

    def __init__(
        self,
        work: Work,
        count: int,
        *,
        ends_within_s: float,
        hung_after_s: float = HUNG_AFTER_S,
        listening: socket.socket | None = None,
        drains_for_s: float = 0,
    ) -> None:
        self._work = work
        self._drains_for_s = drains_for_s
        self._listening = listening
        self._ends_within_s = ends_within_s
        self._hung_after_s = hung_after_s
        self._prefork: Prefork
        self._former: list[Prefork] = []
        self._copies: list[Copy | None] = [None] * count
        self._pauses_s = [SHORTEST_PAUSE_S] * count
        self._start_at = [0.0] * count
        self._wake_read, self._wake_write = multiprocessing.Pipe(duplex=False)
        self._stop_signals = 0
        self._must_drain = False
        self._must_renew = False

    def run(self) -> None:
        with self._signals():
            self._prefork = Prefork(self._work, len(self._copies))
            try:
                while not self._stop_signals:
                    self._look_after_all()
                    if self._must_renew:
                        self._must_renew = False
                        self._renew()
                    self._wait()
                self._drain()
            finally:
                self._end_all()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(number: int, _frame: object) -> None:
            self._must_drain = number == signal.SIGTERM and not self._stop_signals
            self._stop_signals += 1
            self._wake_write.send_bytes(b".")

        def renew(_number: int, _frame: object) -> None:
            self._must_renew = True
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

    def _wait(self, timeout_s: float = LOOK_EVERY_S) -> None:
        """Wait until a copy starts or ends, a signal comes, or it is time to look again."""
        preforks = [prefork for prefork in (self._prefork, *self._former) if prefork.is_there]
        ready = connection.wait([self._wake_read, *(prefork.pipe for prefork in preforks)], timeout=timeout_s)
        if self._wake_read in ready:
            while self._wake_read.poll():
                self._wake_read.recv_bytes()
        for prefork in preforks:
            prefork.listen()

    def _look_after_all(self) -> None:
        for place, copy in enumerate(self._copies):
            if copy is None:
                if time.monotonic() >= self._start_at[place]:
                    self._copies[place] = self._start(place)
            elif not copy.is_alive:
                self._lose(place, copy, "ended")
            elif self._is_hung(copy):
                self._kill(copy)
                self._lose(place, copy, "hung")
        for prefork in [prefork for prefork in self._former if prefork.is_empty]:
            prefork.close()
            self._former.remove(prefork)

    def _is_hung(self, copy: Copy) -> bool:
        if copy.beat_at:
            return time.monotonic() - copy.beat_at > self._hung_after_s
        return time.monotonic() - copy.started_at > STARTED_WITHIN_S

    def _kill(self, copy: Copy) -> None:
        """End a copy at once; a prefork process that does not report its end has to go as well."""
        copy.kill()
        until = time.monotonic() + self._ends_within_s
        while copy.is_alive and time.monotonic() < until:
            self._wait()
        if copy.is_alive:
            copy.prefork.kill()

    def _lose(self, place: int, copy: Copy, why: str) -> None:
        """Plan the replacement of a copy that ended; the sooner it ended, the longer the pause."""
        lived_s = time.monotonic() - copy.started_at
        pause_s = 0.0 if lived_s >= LIVED_LONG_S else self._pauses_s[place]
        self._pauses_s[place] = min(pause_s * 2, LONGEST_PAUSE_S) if pause_s else SHORTEST_PAUSE_S
        self._start_at[place] = time.monotonic() + pause_s
        self._copies[place] = None
        log.error(
            "process_replaced",
            pid=copy.pid,
            exit_code=copy.exit_code,
            why=why,
            lived_s=round(lived_s, 1),
            pause_s=pause_s,
        )

    def _start(self, place: int) -> Copy:
        if not self._prefork.is_there:
            self._prefork = Prefork(self._work, len(self._copies))
        return self._prefork.start(place)

    def _renew(self) -> None:
        """Replace every copy by one that is at work already; one that fails to start changes nothing."""
        former, self._prefork = self._prefork, Prefork(self._work, len(self._copies))
        # From now on, because it reports which of the old copies have ended.
        self._former.append(former)
        for place, old in enumerate(self._copies):
            new = self._prefork.start(place)
            while not (new.beat_at or self._is_hung(new) or self._stop_signals) and new.is_alive:
                self._wait(LOOK_EVERY_S / 10)
            if not new.beat_at:
                log.error("process_not_renewed", pid=new.pid, exit_code=new.exit_code)
                self._end([new])
                self._former[-1], self._prefork = self._prefork, former
                break
            self._copies[place] = new
            if old is not None:
                self._end([old])
        else:
            log.info("processes_renewed", count=len(self._copies))

    def _drain(self) -> None:
        """Let the copies serve on and not be ready, for a while or until a second signal."""
        if not (self._must_drain and self._drains_for_s):
            return
        log.info("draining", seconds=self._drains_for_s)
        for copy in self._copies:
            if copy is not None:
                copy.leave()
        until = time.monotonic() + self._drains_for_s
        while self._must_drain and time.monotonic() < until:
            self._wait(min(LOOK_EVERY_S, max(0.0, until - time.monotonic())))
        self._stop_signals = 1

    def _end_all(self) -> None:
        self._prefork.give_up_unborn()
        copies = [copy for copy in self._copies if copy is not None]
        self._stop_listening(copies)
        self._end(copies)
        for prefork in (self._prefork, *self._former):
            prefork.close()

    def _stop_listening(self, copies: list[Copy]) -> None:
        """Have copies accept what is queued, and refuse later connections while they finish their work.

        This process holds the port as long as they do. Connections that were queued there with nobody left to
        accept them would be reset at the end, and their clients could not know whether they were served.
        """
        if self._listening is None:
            return
        self._listening.listen(0)
        for copy in copies:
            copy.end()
        self._wait(ACCEPT_FOR_S)
        with suppress(OSError):  # some systems cannot, and close the port when this process ends
            self._listening.shutdown(socket.SHUT_RDWR)

    def _end(self, copies: list[Copy]) -> None:
        """Ask copies to shut down, and kill those that have not in time or when asked a second time."""
        for copy in copies:
            copy.end()
        until = time.monotonic() + self._ends_within_s
        while (left := [copy for copy in copies if copy.is_alive]) and self._stop_signals <= 1:
            if time.monotonic() >= until:
                break
            self._wait()
        for copy in left:
            log.error("process_killed", pid=copy.pid)
            self._kill(copy)
