"""Slow, idle and excess connections are closed; the others continue."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from prometheus_client import REGISTRY

from bindery.server.connections import ConnectionLimits
from support.service import Service
from support.wire import PATIENCE_S, Line, Wire, listening

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOST = "Host: service\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n"
LIVEZ = f"GET /livez HTTP/1.1\r\n{HOST}\r\n"
QUICK = ConnectionLimits(
    head_s=0.4,
    body_s=0.4,
    keep_alive_s=0.4,
    answer_s=0.4,
    linger_s=0.4,
    slowest_bytes_per_s=1_000_000,
    look_every_s=0.05,
)


@pytest_asyncio.fixture(loop_scope="module")
async def wire(shared: Service) -> AsyncIterator[Wire]:
    """The service with its own limits."""
    async with listening(shared) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def quick(shared: Service) -> AsyncIterator[Wire]:
    """The service in a hurry."""
    async with listening(shared, QUICK) as opened:
        yield opened


def closed(reason: str) -> float:
    return REGISTRY.get_sample_value("bindery_connections_closed_total", {"reason": reason}) or 0.0


async def check_lives(wire: Wire) -> None:
    line = await wire.say(LIVEZ)
    status, _, body = await line.answer()
    assert (status, body) == (200, b"ok\n")
    line.writer.close()


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110 - the service offers no event
            await asyncio.sleep(0.01)


def error_in(answer: bytes) -> dict[str, str]:
    """Return the error body of an answer on the wire, having looked at its request id."""
    head, _, body = answer.partition(b"\r\n\r\n")
    error: dict[str, str] = json.loads(body)
    assert f"x-request-id: {error['request_id']}".encode() in head.lower()
    return error


class TestSlowAndIdle:
    @pytest.mark.parametrize(
        ("said", "reason"),
        [
            ("", "slow_head"),
            ("\r\n\r\n", "slow_head"),
            ("GET /livez HT", "slow_head"),
            (f"GET /livez HTTP/1.1\r\n{HOST}X-Half: ", "slow_head"),
            (LIVEZ, "idle"),
            (f"{LIVEZ}\r\n", "idle"),
            (f"{LIVEZ}GET /li", "slow_head"),
            (f"POST /v2/quotes HTTP/1.1\r\n{HOST}Content-Length: 100\r\n\r\n{{", "slow_body"),
        ],
    )
    async def test_what_does_not_go_on_is_closed_and_counted(
        self, quick: Wire, said: str, reason: str
    ) -> None:
        before = closed(reason)

        line = await quick.say(said)
        await line.rest()

        # The end of what is sent may be told before the connection is closed.
        await until(lambda: closed(reason) == before + 1)
        await check_lives(quick)

    async def test_a_body_that_stops_halfway_is_closed_while_it_is_read(
        self, quick: Wire, shared: Service
    ) -> None:
        before = closed("slow_body")

        line = await quick.say(
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Authorization: Bearer {shared.token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )

        assert await line.rest() == b""
        assert closed("slow_body") == before + 1

    async def test_a_head_that_drips_is_closed_all_the_same(self, quick: Wire) -> None:
        before = closed("slow_head")
        line = await quick.say("GET /livez HTTP/1.1\r\n")

        async def drip() -> None:
            while True:
                await line.say("a: b\r\n")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        await line.rest()
        dripping.cancel()

        assert closed("slow_head") == before + 1

    async def test_a_body_that_drips_is_closed_all_the_same(self, quick: Wire, shared: Service) -> None:
        before = closed("slow_body")
        line = await quick.say(
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Authorization: Bearer {shared.token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
        )

        async def drip() -> None:
            while True:
                await line.say(" ")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        await line.rest()
        dripping.cancel()

        assert closed("slow_body") == before + 1

    async def test_a_client_that_does_not_read_its_answer_is_closed(self, quick: Wire) -> None:
        before = closed("slow_reader")
        line = await quick.connect()
        line.reader._limit = 1  # type: ignore[attr-defined] # ours reads ahead only so far

        for _ in range(400):
            await line.say(f"GET /v2/openapi.json HTTP/1.1\r\n{HOST}\r\n")
        await until(lambda: closed("slow_reader") > before)

        assert closed("slow_reader") == before + 1
        await check_lives(quick)

    async def test_an_answer_that_takes_its_time_is_waited_for(self, quick: Wire, shared: Service) -> None:
        receipt = await shared.submit()
        identifier = receipt["quotes"][0]["quote_identifier"]

        started = time.monotonic()
        line = await quick.say(
            f"GET /v2/quotes/{identifier} HTTP/1.1\r\n{HOST}Authorization: Bearer {shared.token}\r\n"
            "Prefer: wait=2\r\n\r\n"
        )
        status, _, _ = await line.answer()

        assert status == 202
        assert time.monotonic() - started >= 2

    async def test_one_connection_serves_many_requests(self, wire: Wire) -> None:
        line = await wire.connect()

        for _ in range(50):
            await line.say(LIVEZ)
            assert (await line.answer())[0] == 200
        await line.say(LIVEZ * 20)
        assert [(await line.answer())[0] for _ in range(20)] == [200] * 20

    async def test_the_limits_of_the_service_are_those_of_the_guide(self) -> None:
        limits = ConnectionLimits()

        assert (limits.head_s, limits.body_s, limits.keep_alive_s, limits.answer_s) == (10, 30, 75, 30)
        assert (limits.most_headers, limits.most_head_bytes) == (100, 65_536)
        assert limits.most_connections == 8_192


class TestTooMany:
    async def test_idle_connections_make_room_for_new_ones(self, shared: Service) -> None:
        before = closed("made_room")
        async with listening(shared, ConnectionLimits(most_connections=20)) as wire:
            idle = [await wire.connect() for _ in range(30)]
            for _ in range(30):
                await check_lives(wire)

            assert closed("made_room") - before >= 11
            # Those that have waited longest went first.
            assert await idle[0].rest() == b""
            assert await idle[9].rest() == b""

    async def test_connections_at_work_are_not_closed_and_the_new_one_is_told(self, shared: Service) -> None:
        receipt = await shared.submit()
        identifier = receipt["quotes"][0]["quote_identifier"]
        waiting = (
            f"GET /v2/quotes/{identifier} HTTP/1.1\r\n{HOST}Authorization: Bearer {shared.token}\r\n"
            "Prefer: wait=5\r\n\r\n"
        )
        before = closed("no_room")
        async with listening(shared, ConnectionLimits(most_connections=3)) as wire:
            at_work: list[Line] = [await wire.say(waiting) for _ in range(3)]
            await until(lambda: wire.at_work == 3)
            refused = await (await wire.connect()).rest()

            assert refused.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 2\r\n" in refused.lower()
            assert error_in(refused)["code"] == "unavailable"
            assert closed("no_room") == before + 1
            assert [(await line.answer())[0] for line in at_work] == [202, 202, 202]
            await check_lives(wire)


class TestHeads:
    async def test_a_hundred_headers_are_taken_and_one_more_is_not(self, wire: Wire) -> None:
        before = closed("head_too_large")
        many = "".join(f"X-{number}: y\r\n" for number in range(99))

        taken = await (await wire.say(f"GET /livez HTTP/1.1\r\n{HOST}{many}\r\n")).answer()
        refused = await (await wire.say(f"GET /livez HTTP/1.1\r\n{HOST}{many}X: y\r\n\r\n")).rest()

        assert taken[0] == 200
        assert refused.startswith(b"HTTP/1.1 431 ")
        assert error_in(refused)["code"] == "head_too_large"
        assert closed("head_too_large") == before + 1

    async def test_64_kb_of_head_are_taken_and_more_is_not(self, wire: Wire) -> None:
        def head(size: int) -> str:
            start = "GET /livez HTTP/1.1\r\nHost: service\r\nX-Long: "
            known = len("/livez") + len("HostserviceX-Long")
            return f"{start}{'a' * (size - known)}\r\n\r\n"

        taken = await (await wire.say(head(65_000))).answer()
        refused = await (await wire.say(head(65_537))).rest()

        assert taken[0] == 200
        assert refused.startswith(b"HTTP/1.1 431 ")

    @pytest.mark.parametrize("start", ["GET /", f"GET / HTTP/1.1\r\n{HOST}X-Long: "])
    async def test_a_head_without_end_is_refused_before_its_end(self, wire: Wire, start: str) -> None:
        before = closed("head_too_large")
        line = await wire.say(start)

        sent = 0
        async with asyncio.timeout(PATIENCE_S):
            while closed("head_too_large") == before:
                await line.say("a" * 4_096)
                sent += 4_096
                await asyncio.sleep(0)
        await line.rest()

        assert closed("head_too_large") == before + 1
        # What our side of the connection holds back has been sent, but not read.
        assert sent < 10_000_000

    async def test_a_request_without_host_is_refused(self, wire: Wire) -> None:
        status, _, body = await (await wire.say("GET /livez HTTP/1.1\r\n\r\n")).answer()

        assert status == 400
        assert json.loads(body)["errors"] == [{"path": "Host", "code": "required", "message": "is required"}]

    async def test_http_1_0_knows_no_host(self, wire: Wire) -> None:
        assert (await (await wire.say("GET /livez HTTP/1.0\r\n\r\n")).answer())[0] == 200

    @pytest.mark.parametrize("name", ["Authorization", "Host", "Idempotency-Key", "Content-Type"])
    async def test_a_header_that_counts_is_sent_once(self, wire: Wire, shared: Service, name: str) -> None:
        twice = f"{name}: Bearer {shared.token}\r\n" * (1 if name == "Host" else 2)
        status, _, body = await (await wire.say(f"GET /v2/events HTTP/1.1\r\n{HOST}{twice}\r\n")).answer()

        assert status == 400
        assert json.loads(body)["errors"] == [
            {"path": name, "code": "repeated_header", "message": "must be sent once"}
        ]

    @pytest.mark.parametrize(
        "said",
        [
            "nonsense\r\n\r\n",
            f"GET /livez HTTP/1.1\r\n{HOST}Bad Name: x\r\n\r\n",
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Content-Length: {'9' * 40}\r\n\r\n",
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Content-Length: -1\r\n\r\n",
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            f'POST /v2/quotes HTTP/1.1\r\n{HOST}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n',
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            f"POST /v2/quotes HTTP/1.1\r\n{HOST}{CHUNKED}{CHUNKED}\r\n0\r\n\r\n",
        ],
    )
    async def test_what_is_not_http_is_refused_in_our_own_words(self, wire: Wire, said: str) -> None:
        refused = await (await wire.say(said)).rest()

        assert refused.startswith(b"HTTP/1.1 400 ")
        assert error_in(refused)["code"] == "malformed_http"
