"""How a command that stays is told to stop: once in good order, and a second time at once."""

import asyncio
import os
import signal

import pytest

from bindery.cli.common import stop_on_signal, unless_stopped


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
async def test_the_first_signal_is_an_event_and_the_next_one_ends_the_process(number: signal.Signals) -> None:
    with stop_on_signal() as stop:
        os.kill(os.getpid(), number)
        await stop.wait()

        left_to = [signal.getsignal(caught) for caught in (signal.SIGINT, signal.SIGTERM)]

    assert left_to == [signal.default_int_handler, signal.SIG_DFL]


async def test_a_command_that_was_not_told_to_stop_leaves_signals_as_they_always_are() -> None:
    with stop_on_signal() as stop:
        pass

    assert not stop.is_set()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


async def test_what_comes_before_the_stop_is_waited_for() -> None:
    assert await unless_stopped(asyncio.sleep(0), asyncio.Event())


async def test_what_does_not_come_is_given_up_at_the_stop() -> None:
    stop, given_up = asyncio.Event(), asyncio.Event()

    async def never() -> None:
        stop.set()
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    assert not await unless_stopped(never(), stop)

    assert given_up.is_set()


async def test_what_fails_before_the_stop_fails_for_whoever_waits() -> None:
    async def fail() -> None:
        raise ConnectionError("The database is away.")

    with pytest.raises(ConnectionError, match=r"^The database is away\.$"):
        await unless_stopped(fail(), asyncio.Event())
