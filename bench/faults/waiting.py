import asyncio
import time
from collections.abc import Callable

LOOKS_EVERY_S = 0.05


async def come_true(condition: Callable[[], bool], *, within_s: float) -> bool:
    """Wait until something is so, and return whether it came to be."""
    until = time.monotonic() + within_s
    while not (true := condition()) and time.monotonic() < until:  # noqa: ASYNC110 - nobody tells when it is
        await asyncio.sleep(LOOKS_EVERY_S)
    return true
