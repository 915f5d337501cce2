"""A server that ends breaks no connection under a request: whoever still sends one is answered and told."""

import asyncio
import os
import signal
import time

import pytest

from bindery.server.connections import ConnectionLimits
from bindery.server.prefork import LEAVING
from bindery.server.serve import FAREWELL_S
from support.service import Service
from support.wire import PATIENCE_S, Wire, listening

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIVEZ = "GET /livez HTTP/1.1\r\nHost: service\r\n\r\n"
CLOSES = b"connection: close\r\n"


async def end(wire: Wire, by: signal.Signals) -> None:
    """Tell the server to end, and wait until it accepts no connection any more."""
    wire.server.handle_exit(by, None)
    async with asyncio.timeout(PATIENCE_S):
        while any(server.is_serving() for server in wire.server.servers):  # noqa: ASYNC110 - it offers no event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("said_before", ["", LIVEZ], ids=["new", "used"])
async def test_a_connection_that_was_idle_has_one_more_request_answered(
    shared: Service, said_before: str, by: signal.Signals
) -> None:
    async with listening(shared) as wire:
        line = await wire.say(said_before)
        if said_before:
            assert CLOSES not in (await line.answer())[1].lower()
        await end(wire, by)

        await line.say(LIVEZ)
        status, head, body = await line.answer()

        assert (status, body) == (200, b"ok\n")
        assert CLOSES in head.lower()
        assert await line.rest() == b""


async def test_every_answer_says_that_it_is_the_last_before_the_server_ends(shared: Service) -> None:
    async with listening(shared) as wire:
        line = await wire.say(LIVEZ)
        await line.answer()
        wire.server.handle_exit(LEAVING, None)

        await line.say(LIVEZ)
        _, head, _ = await line.answer()
        # It is still listening.
        _, head_of_a_new_one, _ = await (await wire.say(LIVEZ)).answer()

        assert CLOSES in head.lower()
        assert CLOSES in head_of_a_new_one.lower()
        assert await line.rest() == b""


async def test_a_request_that_lies_unread_is_answered_though_the_server_ends_at_once(shared: Service) -> None:
    async with listening(shared) as wire:
        line = await wire.say(LIVEZ)
        await line.answer()

        # Nothing else runs between the two, so the request lies with the operating system when the end comes.
        os.write(line.writer.get_extra_info("socket").fileno(), LIVEZ.encode())
        wire.server.handle_exit(signal.SIGINT, None)
        for connection in list(wire.server.server_state.connections):
            connection.shutdown()
        status, head, _ = await line.answer()

        assert status == 200
        assert CLOSES in head.lower()


async def test_who_keeps_quiet_is_let_go_after_a_while_and_at_once_on_an_interrupt(shared: Service) -> None:
    took_s = {}
    for by in (signal.SIGINT, signal.SIGTERM):
        async with listening(shared, ConnectionLimits(look_every_s=0.05)) as wire:
            line = await wire.say(LIVEZ)
            await line.answer()
            started = time.monotonic()
            await end(wire, by)
            assert await line.rest() == b""
            took_s[by] = time.monotonic() - started

    assert took_s[signal.SIGTERM] >= FAREWELL_S
    assert took_s[signal.SIGINT] < took_s[signal.SIGTERM]
