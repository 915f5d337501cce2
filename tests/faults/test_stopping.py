"""Told to stop, a server answers what it was asked, keeps nobody waiting, and ends with 0."""

import asyncio
import os
import signal
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from support.processes import NO_TLS, Program, Running, copies_of, wait_for
from support.service import Service, request_body

pytestmark = pytest.mark.long

Waiting = asyncio.Task[httpx.Response]

LONG_S = 30.0
"""A minute is waited for; whoever is let go when its process ends is answered in a part of that."""


async def not_ready(service: Service) -> str:
    receipt = await service.submit()
    identifier: str = receipt["quotes"][0]["quote_identifier"]
    return identifier


async def wait_for_quote(http: httpx.AsyncClient, identifier: str, sent: asyncio.Semaphore) -> httpx.Response:
    async def trace(event: str, _info: object) -> None:
        if event == "http11.send_request_body.complete":
            sent.release()

    return await http.get(
        f"/v2/quotes/{identifier}", headers={"Prefer": "wait=60"}, extensions={"trace": trace}
    )


async def taken_in(server: Running, http: httpx.AsyncClient, identifier: str) -> list[Waiting]:
    """Ask for a quote that is not ready, and return who waits for it once the server knows of all."""
    sent = asyncio.Semaphore(0)
    waiting = [asyncio.create_task(wait_for_quote(http, identifier, sent)) for _ in range(6)]
    for _ in waiting:
        await sent.acquire()
    # Whoever answers these has taken in what was sent before.
    for _ in range(20):
        async with httpx.AsyncClient(verify=NO_TLS) as other:
            assert (await other.get(f"{server.url}/readyz", timeout=30)).status_code == 200
    assert not [task for task in waiting if task.done()]
    return waiting


@pytest.mark.parametrize(
    ("processes", "by"),
    [
        ("1", signal.SIGTERM),
        ("1", signal.SIGINT),
        ("1", signal.SIGHUP),
        ("2", signal.SIGTERM),
        ("2", signal.SIGINT),
    ],
)
async def test_whoever_waits_for_a_quote_is_answered_at_once_when_the_server_is_told_to_stop(
    service: Service, program: Program, by: signal.Signals, processes: str
) -> None:
    identifier = await not_ready(service)
    with program.serving("--processes", processes) as server:
        async with httpx.AsyncClient(base_url=server.url, headers=service.headers, timeout=120) as http:
            waiting = await taken_in(server, http, identifier)

            told = time.monotonic()
            code = await asyncio.to_thread(server.stop, by)
            took_s = time.monotonic() - told
            answers = await asyncio.gather(*waiting)

    assert {answer.status_code for answer in answers} == {202}
    assert {answer.headers["Connection"] for answer in answers} == {"close"}
    assert code == 0
    assert took_s < LONG_S
    assert "Traceback" not in server.stderr


async def test_a_hangup_replaces_the_copies_and_answers_those_who_wait(
    service: Service, program: Program
) -> None:
    identifier = await not_ready(service)
    with program.serving("--processes", "2") as server:
        before = await wait_for(lambda: copies_of(server), until=lambda found: len(found) == 2)
        async with httpx.AsyncClient(base_url=server.url, headers=service.headers, timeout=120) as http:
            waiting = await taken_in(server, http, identifier)

            told = time.monotonic()
            os.kill(server.process.pid, signal.SIGHUP)
            answers = await asyncio.gather(*waiting)
            took_s = time.monotonic() - told
            after = await wait_for(
                lambda: copies_of(server),
                until=lambda found: len(found) == 2 and not set(found) & set(before),
                seconds=60,
            )
        server.wait_until_ready()

    assert {answer.status_code for answer in answers} == {202}
    assert took_s < LONG_S
    assert not set(before) & set(after)


async def test_a_server_that_finishes_its_last_requests_refuses_new_connections(
    service: Service, program: Program
) -> None:
    with program.serving("--processes", "2") as server:
        place = (urlsplit(server.url).hostname, urlsplit(server.url).port)
        head = (
            f"POST /v2/quotes HTTP/1.1\r\nHost: {place[0]}\r\nContent-Type: application/json\r\n"
            f"Authorization: {service.headers['Authorization']}\r\nContent-Length: 2\r\n\r\n{{"
        )
        with socket.create_connection(place) as under_way:
            under_way.sendall(head.encode())
            # Whoever answers these has taken in what was sent before.
            for _ in range(20):
                server.wait_until_ready()
            server.process.send_signal(signal.SIGTERM)
            refused = await wait_for(lambda: is_refused(place), until=bool, seconds=10)
            was_at_work = server.process.poll() is None
            under_way.sendall(b"}")
            answer = under_way.recv(1000)

        code = await asyncio.to_thread(server.process.wait, 60)

    assert refused
    assert was_at_work
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert code == 0
    assert "Traceback" not in server.stderr
    assert '"level":"error"' not in server.stderr


def is_refused(place: tuple[str | None, int | None]) -> bool:
    """Whether a connection is refused; one that is only queued would be reset when the server ends."""
    try:
        with socket.create_connection(place, timeout=0.5):
            return False
    except ConnectionRefusedError:
        return True
    except TimeoutError:
        return False


async def test_a_caller_who_leaves_frees_its_place(service: Service, program: Program) -> None:
    identifier = await not_ready(service)
    with program.serving(BINDERY_LONG_POLLS="1") as server:
        path = f"{server.url}/v2/quotes/{identifier}"
        headers = {**service.headers, "Prefer": "wait=60"}
        async with httpx.AsyncClient(timeout=httpx.Timeout(30, read=1)) as impatient:
            # The demo holds ten times as many.
            left = await asyncio.gather(
                *(impatient.get(path, headers=headers) for _ in range(10)), return_exceptions=True
            )

        answers = []
        async with httpx.AsyncClient(timeout=30) as http:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                answers.append(await http.get(path, headers={**headers, "Prefer": "wait=1"}))
                if answers[-1].status_code == 202:
                    break

    assert {type(outcome) for outcome in left} == {httpx.ReadTimeout}
    assert answers[-1].status_code == 202


@pytest.mark.parametrize("processes", ["1", "2"])
async def test_a_server_that_is_about_to_stop_serves_on_and_is_not_ready(
    service: Service, program: Program, processes: str
) -> None:
    with program.serving("--processes", processes, BINDERY_DRAIN_SECONDS="300") as server:
        if processes == "2":
            await wait_for(lambda: copies_of(server), until=lambda found: len(found) == 2)
        async with httpx.AsyncClient(base_url=server.url, headers=service.headers, timeout=60) as http:
            server.process.send_signal(signal.SIGTERM)
            until = time.monotonic() + 60
            while (ready := await http.get("/readyz")).status_code == 200:
                assert time.monotonic() < until, "it is still ready"
            created = [(await http.post("/v2/quotes", json=request_body())).status_code for _ in range(20)]
        assert server.process.poll() is None

        told = time.monotonic()
        code = await asyncio.to_thread(server.stop, signal.SIGTERM)

    assert (ready.status_code, ready.text) == (503, "leaving\n")
    assert created == [200] * 20
    assert code == 0
    assert time.monotonic() - told < 60
    assert "Traceback" not in server.stderr


async def test_an_interrupt_ends_a_server_without_further_ado(service: Service, program: Program) -> None:
    with program.serving(BINDERY_DRAIN_SECONDS="300") as server:
        told = time.monotonic()
        code = await asyncio.to_thread(server.stop, signal.SIGINT)

    assert code == 0
    assert time.monotonic() - told < 60
