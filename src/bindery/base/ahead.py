"""Work on one part while the next is on its way."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")


async def one_ahead(parts: AsyncGenerator[T]) -> AsyncGenerator[T]:
    """Return what a generator returns, and have it work on the next part while one is used."""
    async with aclosing(parts):
        following = asyncio.ensure_future(anext(parts, None))
        try:
            while (part := await following) is not None:
                following = asyncio.ensure_future(anext(parts, None))
                # A task begins when others wait, and whoever uses this part may never wait.
                await asyncio.sleep(0)
                yield part
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
