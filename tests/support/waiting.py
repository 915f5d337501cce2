"""Waiting for a condition, with an end so far away that only a fault reaches it."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

T = TypeVar("T")
A_LONG_TIME_S = 90.0


@overload
async def eventually(
    look: Callable[[], Awaitable[T]], until: Callable[[T], bool] = bool, *, every_s: float = 0.02
) -> T: ...


@overload
async def eventually(
    look: Callable[[], T], until: Callable[[T], bool] = bool, *, every_s: float = 0.02
) -> T: ...


async def eventually(
    look: Callable[[], T | Awaitable[T]], until: Callable[[T], bool] = bool, *, every_s: float = 0.02
) -> T:
    """Look until what is seen is right, and return it."""
    end = time.monotonic() + A_LONG_TIME_S
    while True:
        found = look()
        seen = await found if inspect.isawaitable(found) else found
        if until(seen):
            return seen
        assert time.monotonic() < end, f"in vain; last seen: {seen!r}"
        await asyncio.sleep(every_s)
