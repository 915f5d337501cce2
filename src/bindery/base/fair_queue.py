"""Waiting for one's turn: a few at a time, some of each caller, and the callers in turn."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager


class QueueFull(Exception):
    """This caller, or all callers together, have as many requests here as they may."""


class FairQueue:
    """Lets work in by turns, so that nobody waits for more than one turn of each of the others."""

    def __init__(self, *, at_once: int, most_of_one: int, most_in_all: int, at_once_of_one: int = 1) -> None:
        self._free = at_once
        self._at_once_of_one = at_once_of_one
        self._most_of_one = most_of_one
        self._most_in_all = most_in_all
        self._here: Counter[Hashable] = Counter()
        self._busy: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}

    @contextmanager
    def admitted(self, caller: Hashable) -> Iterator[None]:
        """Count the caller as here, waiting or not; raise `QueueFull` where too many are."""
        if self._here[caller] >= self._most_of_one or self._here.total() >= self._most_in_all:
            raise QueueFull
        self._here[caller] += 1
        try:
            yield
        finally:
            self._here[caller] -= 1
            if not self._here[caller]:
                del self._here[caller]

    @asynccontextmanager
    async def turn(self, caller: Hashable) -> AsyncIterator[None]:
        let_in: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(let_in)
        self._let_in()
        try:
            await let_in
        except asyncio.CancelledError:
            if let_in.done() and not let_in.cancelled():
                # Let in and called off in the same moment.
                self._leave(caller)
            raise
        try:
            yield
        finally:
            self._leave(caller)

    def _leave(self, caller: Hashable) -> None:
        self._busy[caller] -= 1
        if not self._busy[caller]:
            del self._busy[caller]
        self._free += 1
        if line := self._waiting.pop(caller, None):
            # To the end: callers who have come by now are let in before this one's next.
            self._waiting[caller] = line
        self._let_in()

    def _let_in(self) -> None:
        while self._free:
            caller = next(
                (caller for caller in self._waiting if self._busy[caller] < self._at_once_of_one), None
            )
            if caller is None:
                return
            first = self._waiting[caller].popleft()
            if not self._waiting[caller]:
                del self._waiting[caller]
            if first.cancelled():
                continue
            self._free -= 1
            self._busy[caller] += 1
            first.set_result(None)
