"""Commands as forks of a process that has imported the program; `fork_server` is that process."""

import contextlib
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from select import PIPE_BUF

CHUNK = 1 << 16
SERVER = Path(__file__).with_name("fork_server.py")


class ForkServer:
    """A process that runs commands for this one, and ends with it."""

    def __init__(self, program: Path, environment: dict[str, str]) -> None:
        # Every packet is an order, so that threads may give theirs at once.
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # No terminal, since the streams of a command are not one.
            self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 - until it is stopped
            self.process = subprocess.Popen(
                # What is next to that file is not for the program to import.
                [sys.executable, "-P", SERVER, str(theirs.fileno()), program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                env=environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def run(
        self,
        arguments: Sequence[str],
        *,
        input: str | None,  # noqa: A002 - named as `subprocess.run` names it
        timeout: float,
        cwd: Path,
        env: dict[str, str],
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end, as `subprocess.run` does.

        Raises:
            TimeoutExpired: it took too long, and was killed.
        """
        with contextlib.ExitStack() as ends:
            given, feed = _pipe(ends)
            stdout, printed = _pipe(ends)
            stderr, complained = _pipe(ends)
            reply, ended = _pipe(ends)
            theirs = (given, printed, complained, ended)
            order = json.dumps([arguments, str(cwd), env]).encode()
            socket.send_fds(self.control, [order], [end.fileno() for end in theirs])
            for end in theirs:
                end.close()
            try:
                said = _exchange((stdout, stderr, reply), feed, (input or "").encode(), timeout)
            except TimeoutError as fault:
                raise subprocess.TimeoutExpired(arguments, timeout) from fault
        assert said[2], f"the server of commands has ended: {self._last_words()}"
        return subprocess.CompletedProcess(arguments, int(said[2]), said[0], said[1])

    def stop(self) -> None:
        """End it, and every command that still runs."""
        self.control.close()
        with self.process, self.complaints:
            pass

    def _last_words(self) -> str:
        self.complaints.seek(0)
        return self.complaints.read().decode()


_servers: list[ForkServer] = []
_starting = threading.Lock()


def fork_server(program: Path, environment: dict[str, str]) -> ForkServer:
    """Return the server of this process; the first to ask starts it."""
    with _starting:
        if not _servers:
            _servers.append(ForkServer(program, environment))
        return _servers[0]


def stop_fork_server() -> None:
    while _servers:
        _servers.pop().stop()


def _pipe(ends: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    read, write = os.pipe()
    return ends.enter_context(FileIO(read)), ends.enter_context(FileIO(write, "w"))


def _exchange(sources: Sequence[FileIO], sink: FileIO, content: bytes, timeout: float) -> list[str]:
    """Write what there is to write and read every source to its end.

    Raises:
        TimeoutError: that took too long.
    """
    until = time.monotonic() + timeout
    read = dict.fromkeys(sources, b"")
    with selectors.DefaultSelector() as ready:
        ready.register(sink, selectors.EVENT_WRITE, sink)
        for source in sources:
            ready.register(source, selectors.EVENT_READ, source)
        while ready.get_map():
            if (left := until - time.monotonic()) <= 0:
                raise TimeoutError
            for key, _ in ready.select(left):
                if key.data is not sink:
                    chunk = os.read(key.fd, CHUNK)
                    read[key.data] += chunk
                    done = not chunk
                else:
                    # A pipe that is ready takes this much without waiting; a reader that has left takes
                    # nothing.
                    with contextlib.suppress(BrokenPipeError):
                        os.write(sink.fileno(), content[:PIPE_BUF])
                    content = content[PIPE_BUF:]
                    done = not content
                if done:
                    ready.unregister(key.fileobj)
                    key.data.close()
    return [read[source].decode().replace("\r\n", "\n") for source in sources]
