from collections.abc import Awaitable, Callable
from typing import Final

from bindery.runtime import Runtime
from bindery.storage.database import Tx

PURGED_AT_ONCE: Final = 5_000

Purge = Callable[[Tx, int], Awaitable[int]]
"""Removes up to so many rows, and returns how many it removed."""


async def purge_in_batches(runtime: Runtime, purge: Purge) -> int:
    """Remove rows in short transactions until there are no more to remove, and return how many there were."""
    total = 0
    while True:
        async with runtime.database.transaction() as tx:
            count = await purge(tx, PURGED_AT_ONCE)
        total += count
        if count < PURGED_AT_ONCE:
            return total
