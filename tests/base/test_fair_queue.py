"""Turns are fair between callers, and the queue says when it is full."""

import asyncio
from contextlib import ExitStack

import pytest

from bindery.base.fair_queue import FairQueue, QueueFull


class Turns:
    """Callers whose turns end when the test says so."""

    def __init__(self, at_once: int = 2) -> None:
        self.queue = FairQueue(at_once=at_once, most_of_one=100, most_in_all=100)
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, *names: str) -> None:
        """Ask for turns; the first letter of a name is the caller."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._take(name))
            await self._settle()

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await self._settle()

    async def call_off(self, name: str) -> None:
        self._tasks[name].cancel()
        await self._settle()

    async def end_all(self) -> None:
        for end in self._ends.values():
            end.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _take(self, name: str) -> None:
        async with self.queue.turn(name[0]):
            self.begun.append(name)
            await self._ends[name].wait()

    async def _settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


async def test_a_caller_has_one_turn_at_a_time_though_there_is_room() -> None:
    turns = Turns(at_once=3)

    await turns.ask("a1", "a2", "b1")
    at_first = list(turns.begun)
    await turns.end("a1")

    assert at_first == ["a1", "b1"]
    assert turns.begun == ["a1", "b1", "a2"]
    await turns.end_all()


async def test_no_more_turns_than_places_are_taken() -> None:
    turns = Turns(at_once=2)

    await turns.ask("a1", "b1", "c1")
    at_first = list(turns.begun)
    await turns.end("b1")

    assert at_first == ["a1", "b1"]
    assert turns.begun == ["a1", "b1", "c1"]
    await turns.end_all()


async def test_callers_come_in_turn_however_many_one_of_them_has_waiting() -> None:
    turns = Turns(at_once=1)
    await turns.ask("a1", "a2", "a3", "a4", "b1", "b2", "c1")

    for name in ("a1", "b1", "c1", "a2", "b2", "a3"):
        await turns.end(name)

    assert turns.begun == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
    await turns.end_all()


async def test_a_newcomer_waits_for_one_turn_of_another_at_most() -> None:
    turns = Turns(at_once=1)
    await turns.ask("a1", "a2", "a3")
    await turns.end("a1")

    await turns.ask("b1")
    await turns.end("a2")

    assert turns.begun == ["a1", "a2", "b1"]
    await turns.end_all()


async def test_one_who_gives_up_waiting_holds_up_nobody() -> None:
    turns = Turns(at_once=1)
    await turns.ask("a1", "b1", "c1")

    await turns.call_off("b1")
    await turns.end("a1")

    assert turns.begun == ["a1", "c1"]
    await turns.end_all()


async def test_a_turn_that_is_called_off_makes_room() -> None:
    turns = Turns(at_once=1)
    await turns.ask("a1", "b1")

    await turns.call_off("a1")

    assert turns.begun == ["a1", "b1"]
    await turns.end_all()


async def test_one_who_is_let_in_and_gives_up_in_the_same_moment_makes_room() -> None:
    queue = FairQueue(at_once=1, most_of_one=9, most_in_all=9)
    begun = []

    async def take(name: str) -> None:
        async with queue.turn(name):
            begun.append(name)

    async with queue.turn("a"):
        second = asyncio.create_task(take("b"))
        third = asyncio.create_task(take("c"))
        await asyncio.sleep(0)
    # The place is b's from here on, but b has not run yet.
    second.cancel()
    await asyncio.wait_for(third, 30)

    assert begun == ["c"]
    assert second.cancelled()


@pytest.mark.parametrize(
    ("callers", "refused"), [("aaa", False), ("aaaa", True), ("aaabb", False), ("aaabbc", True)]
)
async def test_beyond_so_many_of_one_or_of_all_the_next_is_refused(callers: str, refused: bool) -> None:
    queue = FairQueue(at_once=1, most_of_one=3, most_in_all=5)

    with ExitStack() as stack:
        for caller in callers[:-1]:
            stack.enter_context(queue.admitted(caller))
        if refused:
            with pytest.raises(QueueFull):
                stack.enter_context(queue.admitted(callers[-1]))
        else:
            stack.enter_context(queue.admitted(callers[-1]))

    # Whoever left is not counted any more.
    with queue.admitted(callers[-1]):
        pass
