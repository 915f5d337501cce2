"""`python fork_server.py CONTROL PROGRAM`: import the commands once, then fork for each that is asked for.

Most of what a command costs is its imports. A fork of a process that has them is otherwise what people start:
a process with an environment, a folder, streams and an end of its own. The server ends when nobody holds the
other end of its control socket any more, and the commands that still run end with it.

It is started as a file and not as a module, because the command line takes its name from how it was started.
It leaves signals and standard streams alone, so that a command finds them as the interpreter made them.

A command that ends as it should does not take apart everything that was imported, as an interpreter does in
the end: in a fork that copies all of its memory, which costs more than most commands. Before that, threads
are waited for, what is registered for the end is run, and the streams are flushed.
"""

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

exit_codes: list[int] = []
"""In a command that has ended: its exit code."""


@atexit.register  # the first, so that it is called last
def end_at_once() -> None:
    """Leave without taking anything apart; a stream that cannot be flushed is the interpreter's to report."""
    with contextlib.suppress(OSError, ValueError):
        for code in exit_codes:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


watch = None
if "COVERAGE_FOLDER" in os.environ:
    sys.path.append(str(Path(__file__).parents[2]))
    from tools.coverage_watch import start_watch

    watch = start_watch()

from bindery.cli.main import COMMANDS, main  # noqa: E402 - what is imported earlier is not watched

LONGEST_ORDER = 1 << 18
WHEN_THEY_RUN = ("anyio._backends._asyncio", "httpcore", "rich._emoji_codes", "typer._adapters")
"""What the libraries of the commands import only when a command runs: half of what a short one costs."""


class Order(NamedTuple):
    """What is to be run, and where."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]


class Command(NamedTuple):
    """A command that runs."""

    pid: int
    ended: int
    """Is readable from its end on."""
    reply: int
    """Where its exit code is waited for; whoever closes the other end wants it killed."""


class Server:
    """Forks for every order that comes over a socket, and answers each with an exit code."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.running: dict[int, Command] = {}
        self.events = select.poll()
        self.events.register(control, select.POLLIN)

    def serve(self) -> Order | None:
        """Return the order in the process that is to run it, and nothing once nobody gives orders."""
        while True:
            # One event at a time: a number that is closed for the first may be another file by the second.
            ready = self.events.poll()[0][0]
            if command := self.running.get(ready):
                self.answer(command) if ready == command.ended else kill(command)
                continue
            message, streams, _, _ = socket.recv_fds(self.control, LONGEST_ORDER, 4, socket.MSG_CMSG_CLOEXEC)
            if not message:
                break
            if self.fork(*streams):
                return Order(*json.loads(message))
        for command in self.running.values():
            kill(command)
        return None

    def fork(self, *streams: int) -> bool:
        """Fork, and tell whether this is the child."""
        *standard, reply = streams
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            for number, stream in enumerate(standard):
                os.dup2(stream, number)
            for command in set(self.running.values()):
                os.close(command.ended)
                os.close(command.reply)
            for file in (self.control.detach(), *streams):
                os.close(file)
            return True
        os.setpgid(pid, pid)
        for stream in standard:
            os.close(stream)
        command = Command(pid, os.pidfd_open(pid), reply)
        self.running[command.ended] = self.running[reply] = command
        self.events.register(command.ended, select.POLLIN)
        self.events.register(reply, 0)
        return False

    def answer(self, command: Command) -> None:
        """Report the exit code of a command that has ended."""
        code = os.waitstatus_to_exitcode(os.waitpid(command.pid, 0)[1])
        with contextlib.suppress(BrokenPipeError):  # nobody may wait for it any more
            os.write(command.reply, str(code).encode())
        for file in (command.ended, command.reply):
            self.events.unregister(file)
            del self.running[file]
            os.close(file)


def kill(command: Command) -> None:
    os.killpg(command.pid, signal.SIGKILL)


def run(program: str, order: Order) -> NoReturn:
    """Run a command as the program does; in the process that was forked for it."""
    os.environ.clear()
    os.environ.update(order.environment)
    os.chdir(order.folder)
    sys.argv = [program, *order.arguments]
    try:
        main()
        sys.exit(0)
    except SystemExit as ended:
        if isinstance(ended.code, int):
            exit_codes.append(ended.code)
        raise


if __name__ == "__main__":
    given, started_as = sys.argv[1:]
    for module in (*(f"bindery.cli.{known.place.partition(':')[0]}" for known in COMMANDS), *WHEN_THEY_RUN):
        import_module(module)
    if watch:
        watch.write_in_the_end()
    # What is here now stays; no command has to look through it for garbage.
    gc.freeze()
    taken = Server(socket.socket(fileno=int(given))).serve()
    if taken:
        run(started_as, taken)
