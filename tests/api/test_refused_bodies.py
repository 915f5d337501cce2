"""An answer that is given before the body has come is the last of its connection."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bindery.server.connections import ConnectionLimits
from support.service import Service
from support.wire import Line, Wire, listening

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIVEZ = "GET /livez HTTP/1.1\r\nHost: service\r\n\r\n"
TOO_LONG = 1_000_001


@pytest_asyncio.fixture(loop_scope="module")
async def wire(shared: Service) -> AsyncIterator[Wire]:
    async with listening(shared) as opened:
        yield opened


def head(service: Service, *lines: str, media_type: str = "application/json") -> str:
    named = [
        "POST /v2/quotes HTTP/1.1",
        "Host: service",
        f"Authorization: Bearer {service.token}",
        f"Content-Type: {media_type}",
        *lines,
    ]
    return "\r\n".join(named) + "\r\n\r\n"


async def check_is_last(line: Line, status: int) -> None:
    answered, answer_head, body = await line.answer()
    assert answered == status
    assert b"connection: close" in answer_head.lower()
    assert json.loads(body)["code"]
    await line.say(LIVEZ)
    assert await line.rest() == b""


@pytest.mark.parametrize(
    ("media_type", "lines", "status"),
    [
        ("application/json", [f"Content-Length: {TOO_LONG}"], 413),
        ("application/json", [f"Content-Length: {TOO_LONG}", "Expect: 100-continue"], 413),
        ("text/plain", ["Content-Length: 10"], 415),
        ("text/plain", ["Transfer-Encoding: chunked"], 415),
    ],
)
async def test_after_a_body_that_was_refused_the_next_request_does_not_hang(
    shared: Service, wire: Wire, media_type: str, lines: list[str], status: int
) -> None:
    line = await wire.say(head(shared, *lines, media_type=media_type))

    await check_is_last(line, status)


async def test_a_client_that_sends_all_of_a_refused_body_still_gets_the_answer(
    shared: Service, wire: Wire
) -> None:
    line = await wire.say(head(shared, f"Content-Length: {20 * TOO_LONG}"))
    for _ in range(20):
        await line.say(b"x" * TOO_LONG)

    status, _, body = await line.answer()

    assert (status, json.loads(body)["code"]) == (413, "too_large")
    assert await line.rest() == b""


async def test_a_request_after_a_refused_body_is_not_worked_on(shared: Service, wire: Wire) -> None:
    before = await shared.count("companies")
    line = await wire.say(head(shared, "Content-Length: 10", media_type="text/plain"))
    status, _, _ = await line.answer()

    body = json.dumps({"client": {}})
    await line.say("0123456789" + head(shared, f"Content-Length: {len(body)}") + body)

    assert status == 415
    assert await line.rest() == b""
    assert await shared.count("companies") == before


async def test_a_refused_body_that_came_whole_leaves_the_connection_open(shared: Service, wire: Wire) -> None:
    line = await wire.say(head(shared, "Content-Length: 10", media_type="text/plain") + "0123456789")
    status, answer_head, _ = await line.answer()
    await line.say(LIVEZ)
    next_status, _, body = await line.answer()

    assert status == 415
    assert b"connection: close" not in answer_head.lower()
    assert (next_status, body) == (200, b"ok\n")


async def test_a_client_that_goes_on_sending_for_ever_is_cut_off(shared: Service) -> None:
    async with listening(shared, ConnectionLimits(linger_s=0.3, look_every_s=0.05)) as wire:
        line = await wire.say(head(shared, "Transfer-Encoding: chunked", media_type="text/plain"))
        status, _, _ = await line.answer()

        while wire.server.server_state.connections:
            await line.say(b"400\r\n" + b"x" * 1024 + b"\r\n")

        assert status == 415
