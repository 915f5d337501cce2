import asyncio

import pytest

from bindery.base.batching import Batcher


async def test_the_first_item_starts_at_once_and_the_rest_follow_together() -> None:
    batches: list[list[int]] = []

    async def together(items: list[int]) -> list[int | Exception]:
        batches.append(items)
        await asyncio.sleep(0.01)
        return [item * 10 for item in items]

    batcher = Batcher(together, most=4)

    results = await asyncio.gather(*(batcher.do(number) for number in range(7)))

    assert results == [0, 10, 20, 30, 40, 50, 60]
    assert batches == [[0, 1, 2, 3], [4, 5, 6]]


async def test_a_fault_of_one_item_is_its_own() -> None:
    async def together(items: list[int]) -> list[int | Exception]:
        return [ValueError("odd") if item % 2 else item for item in items]

    batcher = Batcher(together, most=8)

    outcomes = await asyncio.gather(*(batcher.do(number) for number in range(4)), return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [int, ValueError, int, ValueError]


async def test_a_fault_of_the_batch_reaches_every_caller_and_the_next_batch_works() -> None:
    calls = 0

    async def together(items: list[int]) -> list[int | Exception]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError("gone")
        return list(items)

    batcher = Batcher(together, most=8)

    outcomes = await asyncio.gather(batcher.do(1), batcher.do(2), return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [OSError, OSError]
    assert await batcher.do(3) == 3


async def test_a_caller_who_leaves_takes_nobody_along() -> None:
    release = asyncio.Event()

    async def together(items: list[int]) -> list[int | Exception]:
        await release.wait()
        return list(items)

    batcher = Batcher(together, most=8)
    leaving, staying = asyncio.create_task(batcher.do(1)), asyncio.create_task(batcher.do(2))
    await asyncio.sleep(0)

    leaving.cancel()
    release.set()

    assert await staying == 2
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_no_wake_up_is_lost_under_load_and_when_idle() -> None:
    async def together(items: list[int]) -> list[int | Exception]:
        await asyncio.sleep(0)
        return list(items)

    batcher = Batcher(together, most=5, at_once=2)

    async def caller(start: int) -> int:
        total = 0
        for number in range(start, start + 200):
            total += await asyncio.wait_for(batcher.do(number), timeout=60)
            if number % 17 == 0:
                await asyncio.sleep(0.001)
        return total

    totals = await asyncio.gather(*(caller(start) for start in range(0, 4000, 200)))

    assert sum(totals) == sum(range(4000))


async def test_a_caller_who_comes_back_at_once_is_served() -> None:
    async def together(items: list[int]) -> list[int | Exception]:
        return list(items)

    batcher = Batcher(together, most=4)

    async with asyncio.timeout(60):
        assert [await batcher.do(number) for number in range(100)] == list(range(100))


async def test_who_comes_while_a_batch_is_under_way_is_in_the_next() -> None:
    batches: list[list[int]] = []
    release = asyncio.Event()

    async def together(items: list[int]) -> list[int | Exception]:
        batches.append(items)
        await release.wait()
        return list(items)

    batcher = Batcher(together, most=8)
    first = asyncio.create_task(batcher.do(1))
    await asyncio.sleep(0.01)
    later = [asyncio.create_task(batcher.do(number)) for number in (2, 3)]
    await asyncio.sleep(0.01)

    assert batches == [[1]]
    release.set()

    assert await asyncio.gather(first, *later) == [1, 2, 3]
    assert batches == [[1], [2, 3]]
