"""Makes and seals documents in child processes, the presses; requests beyond their number wait in order."""

import asyncio
import contextlib
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Any, Final, Self

import structlog

from bindery.base.tracing import span
from bindery.contract.documents import DocumentType
from bindery.documents import MissingFacts
from bindery.documents.press_child import DOCUMENT, HEADER, MISSING_FACTS, REQUEST, STAMP_REFUSED, Work, do
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.seal import SealKey, StampRefused

TIME_LIMIT_S: Final = 30.0
"""For one document, the start of its press included; an ordinary one takes a tenth of a second at most."""
IDLE_S: Final = 180.0
TRIES: Final = 2

# Not every event loop closes what was made inheritable, such as the listening socket of `serve`: before
# anything else the child closes all files but the standard three.
_CHILD: Final = (
    "import os; os.closerange(3, os.sysconf('SC_OPEN_MAX'));"
    "from bindery.documents.press_child import main; main()"
)
# A press has one thread, so that two presses do not fight over two cores.
_ENVIRONMENT: Final = {"RAYON_NUM_THREADS": "1"}
_MOST_BUFFERED: Final = 1024 * 1024

log = structlog.get_logger()


class PressFailed(RuntimeError):
    """A document could not be made."""


class Presses:
    """Child processes that typeset documents, started when they are first needed.

    A press that dies, or takes longer than the limit and is killed, is replaced, and its document tried
    once more. Each ends by itself when this process is gone. If `count` is 0, threads do the work instead.
    """

    def __init__(
        self,
        count: int | None = None,
        *,
        time_limit_s: float = TIME_LIMIT_S,
        idle_s: float = IDLE_S,
        niceness: int = 0,
    ) -> None:
        cores = os.cpu_count() or 1
        self._count = cores if count is None else count
        self._time_limit_s = time_limit_s
        self._idle_s = idle_s
        self._niceness = niceness
        self.at_once = self._count or cores
        self._turns = asyncio.Semaphore(self.at_once)
        self._threads = ThreadPoolExecutor(cores, thread_name_prefix="press")
        self._idle: list[_Press] = []
        self._all: set[_Press] = set()
        self._closed = False

    async def typeset(self, kind: DocumentType, facts: DocumentFacts) -> bytes:
        """Make a document; callers are served in the order in which they came.

        Raises:
            MissingFacts: the facts lack what this document is about.
            PressFailed: two presses were lost over it, or it met a bug.
        """
        with span("render", document=kind):
            return await self._do(Work.TYPESET, kind, facts, named=kind)

    async def seal(self, pdf: bytes, key: SealKey, *, at: datetime, room_for_stamp: bool = False) -> bytes:
        """Seal a document; see `documents.seal.seal_pdf`.

        Raises:
            PressFailed: as in making one.
        """
        with span("seal"):
            return await self._do(Work.SEAL, pdf, key, at=at, room_for_stamp=room_for_stamp)

    async def stamp_request(self, sealed: bytes) -> bytes:
        """Return what to ask a time-stamp server for."""
        return await self._do(Work.ASK_FOR_STAMP, sealed)

    async def stamp(self, sealed: bytes, request: bytes, answer: bytes) -> bytes:
        """Put a stamp into a seal that has room for it.

        Raises:
            StampRefused: the answer is no stamp of this seal.
            PressFailed: as in making a document.
        """
        return await self._do(Work.STAMP, sealed, request, answer)

    async def _do(self, work: Work, *arguments: object, named: str = "seal", **options: Any) -> bytes:  # noqa: ANN401 - those of the work
        async with self._turns:
            if not self._count:
                call = partial(do, work, *arguments, **options)
                return await asyncio.get_running_loop().run_in_executor(self._threads, call)
            request = pickle.dumps((work, arguments, options))
            for _ in range(TRIES):
                if self._closed:
                    break
                try:
                    answer, body = await self._ask(request)
                except (OSError, EOFError) as lost:
                    why = "hung" if isinstance(lost, TimeoutError) else "ended"
                    if not self._closed:
                        log.warning("press_lost", why=why, document=named)
                else:
                    return _document(answer, body)
        raise PressFailed(f"No press could make a {named}" if not self._closed else "The presses are closed")

    @property
    def pids(self) -> list[int]:
        return [press.pid for press in self._all]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all presses; documents in the making are not finished."""
        self._closed = True
        await asyncio.gather(*(self._end(press) for press in list(self._all)))
        self._threads.shutdown(wait=False)

    async def _ask(self, request: bytes) -> tuple[bytes, bytes]:
        press: _Press | None = None
        try:
            async with asyncio.timeout(self._time_limit_s):
                press = self._take_idle() or await self._start()
                answer = await press.ask(request)
        except BaseException:
            # Also when the caller no longer waits: what comes out of this press is for nobody.
            if press is not None:
                press.kill()
            raise
        self._put_back(press)
        return answer

    def _take_idle(self) -> "_Press | None":
        """Reuse the most recently used worker, so idle ones time out."""
        while self._idle:
            press = self._idle.pop()
            press.stop_waiting()
            if press.is_alive:
                return press
        return None

    async def _start(self) -> "_Press":
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-c",
            _CHILD,
            str(self._niceness),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_ENVIRONMENT,
            # Out of reach of Ctrl-C: this process decides when its presses end.
            start_new_session=True,
            limit=_MOST_BUFFERED,
        )
        press = _Press(process)
        self._all.add(press)
        press.watch = asyncio.create_task(self._reap(press))
        if self._closed:
            await self._end(press)
        return press

    def _put_back(self, press: "_Press") -> None:
        if self._closed:
            press.kill()
            return
        self._idle.append(press)
        press.waiting = asyncio.get_running_loop().call_later(self._idle_s, self._retire, press)

    def _retire(self, press: "_Press") -> None:
        self._idle.remove(press)
        press.kill()

    async def _reap(self, press: "_Press") -> None:
        await press.process.wait()
        self._all.discard(press)
        if press in self._idle:
            self._idle.remove(press)
            press.stop_waiting()

    async def _end(self, press: "_Press") -> None:
        press.kill()
        assert press.watch is not None, "set where the press is started"
        await press.watch


class _Press:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None, "asked for as a pipe"
        assert process.stdout is not None, "asked for as a pipe"
        self.pid = process.pid
        self.watch: asyncio.Task[None] | None = None
        self.waiting: asyncio.TimerHandle | None = None
        self.process = process
        self._requests = process.stdin
        self._answers = process.stdout

    @property
    def is_alive(self) -> bool:
        return self.process.returncode is None and not self._requests.is_closing()

    async def ask(self, request: bytes) -> tuple[bytes, bytes]:
        if not self.is_alive:
            raise BrokenPipeError
        self._requests.write(HEADER.pack(REQUEST, len(request)) + request)
        await self._requests.drain()
        answer, size = HEADER.unpack(await self._answers.readexactly(HEADER.size))
        return answer, await self._answers.readexactly(size)

    def stop_waiting(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


def _document(answer: bytes, body: bytes) -> bytes:
    if answer == DOCUMENT:
        return body
    if answer == MISSING_FACTS:
        raise MissingFacts(body.decode())
    if answer == STAMP_REFUSED:
        raise StampRefused(body.decode())
    raise PressFailed(body.decode())
