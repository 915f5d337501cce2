import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from bindery.base.ahead import one_ahead


class Parts:
    """Parts that are noted as they are asked for; one of them may fail."""

    def __init__(self, *, failing: int | None = None) -> None:
        self.asked: list[int] = []
        self.is_closed = False
        self._failing = failing

    async def all(self) -> AsyncGenerator[int]:
        try:
            for part in range(3):
                self.asked.append(part)
                await asyncio.sleep(0)
                if part == self._failing:
                    raise ConnectionError("away")
                yield part
        finally:
            self.is_closed = True


async def test_the_next_part_is_asked_for_before_one_is_used_by_somebody_who_never_waits() -> None:
    parts = Parts()

    asked_when_used = [(part, list(parts.asked)) async for part in one_ahead(parts.all())]

    assert asked_when_used == [(0, [0, 1]), (1, [0, 1, 2]), (2, [0, 1, 2])]
    assert parts.is_closed


async def test_a_failure_comes_after_the_parts_before_it() -> None:
    parts = Parts(failing=1)
    ahead = one_ahead(parts.all())

    assert await anext(ahead) == 0
    with pytest.raises(ConnectionError, match="away"):
        await anext(ahead)


async def test_nothing_more_is_asked_for_once_nobody_uses_the_parts() -> None:
    parts = Parts()

    async with aclosing(one_ahead(parts.all())) as ahead:
        async for _part in ahead:
            break

    assert parts.asked == [0, 1]
    assert parts.is_closed
