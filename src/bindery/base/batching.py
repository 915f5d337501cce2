"""Work that many callers ask for at the same time, done together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

Together = Callable[[list[Item]], Awaitable[list[Result | Exception]]]
"""Does a list of things and returns, for each in order, its result or what it failed with."""


class Batcher(Generic[Item, Result]):
    """Collect what comes in while the batch before is being worked on, and do it as the next batch.

    Nobody waits for company: the first item starts at once, alone. Under load the batches grow by themselves
    up to `most`, which is what makes many small transactions cheap.
    """

    def __init__(self, together: Together[Item, Result], *, most: int, at_once: int = 1) -> None:
        self._together = together
        self._most = most
        self._at_once = at_once
        self._waiting: deque[tuple[Item, asyncio.Future[Result]]] = deque()
        self._working: set[asyncio.Task[None]] = set()

    async def do(self, item: Item) -> Result:
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        # No await stands between this look and the worker's last one: a wake-up cannot be lost.
        if len(self._working) < self._at_once:
            self._working.add(asyncio.create_task(self._work()))
        return await future

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._do_next()
        finally:
            # Here and in no callback of the task: a caller who was just answered and comes back at once runs
            # before any callback does, and must not find a worker that looks no more.
            task = asyncio.current_task()
            assert task is not None, "a worker is a task"
            self._working.discard(task)

    async def _do_next(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
        outcomes: list[Any]
        try:
            outcomes = await self._together([item for item, _ in batch])
        except Exception as fault:  # noqa: BLE001 - the callers receive it, whatever it is
            outcomes = [fault] * len(batch)
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            if future.done():
                continue  # its caller has left
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
