"""Uploads under pressure: one partner's trouble is that partner's, and what waits is on the disk."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from bindery.runtime import MOST_UPLOADS_OF_A_PARTNER
from support import papers
from support.hostile_papers import finder_patterns
from support.processes import Program, Running
from support.service import Service
from support.uploads import processed

pytestmark = pytest.mark.long

SMALL = papers.qr_code("anything")
SLOW = finder_patterns(4_000_000)
"""A picture that takes a reader some seconds of processor time, far longer than the other."""
LARGE = SMALL.ljust(24_000_000, b"\x00")
LARGE_OF_A_PARTNER = 8
MOST_GROWTH = 100_000_000
"""A quarter of what the large ones are together."""


@contextlib.asynccontextmanager
async def caller(server: Running, service: Service) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=server.url,
        headers=service.headers,
        timeout=500,
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
    ) as http:
        yield http


async def send(http: httpx.AsyncClient, quote: dict[str, Any], content: bytes) -> httpx.Response:
    return await http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"]},
        files={"file": ("paper.png", content)},
    )


def readers_of(server: Running) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(server.process.pid).children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE and "upload_reader" in " ".join(child.cmdline())
    ]


async def test_another_partner_waits_for_none_of_sixteen_slow_uploads(
    service: Service, program: Program
) -> None:
    other = await service.new_partner("quick")
    quote, others_quote = await processed(service), await processed(other)
    with program.serving() as server:
        async with caller(server, service) as http, caller(server, other) as others_http:
            slow = [asyncio.create_task(send(http, quote, SLOW)) for _ in range(16)]
            while not readers_of(server):  # noqa: ASYNC110 - a process tells nobody
                await asyncio.sleep(0.02)

            answer = await send(others_http, others_quote, SMALL)

            done_before = sum(task.done() for task in slow)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)

    assert answer.status_code == 200, answer.text
    # By its own turn, and not when the sixteen were through: one of them may have ended in the meantime.
    assert done_before <= 2


async def test_beyond_a_number_of_a_partner_the_next_upload_is_refused_at_once(
    service: Service, program: Program
) -> None:
    other = await service.new_partner("quick")
    quote, others_quote = await processed(service), await processed(other)
    with program.serving() as server:
        async with caller(server, service) as http, caller(server, other) as others_http:
            slow = [
                asyncio.create_task(send(http, quote, SLOW)) for _ in range(MOST_UPLOADS_OF_A_PARTNER + 3)
            ]
            refused, waiting = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
            while len(refused) < 3:
                more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                refused |= more
            well = await send(others_http, others_quote, SMALL)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    answers = [task.result() for task in refused if task.result().status_code != 200]
    assert [answer.status_code for answer in answers] == [503, 503, 503]
    assert {answer.json()["code"] for answer in answers} == {"too_many_uploads"}
    assert {answer.headers["Retry-After"] for answer in answers} == {"10"}
    assert well.status_code == 200


@pytest.mark.timeout(600)
async def test_large_uploads_wait_on_the_disk_and_not_in_memory(service: Service, program: Program) -> None:
    partners = [service, await service.new_partner("second")]
    quotes = [await processed(partner) for partner in partners]
    with program.serving() as server:
        process = psutil.Process(server.process.pid)
        async with caller(server, partners[0]) as first, caller(server, partners[1]) as second:
            for http, quote in zip((first, second), quotes, strict=True):
                assert (await send(http, quote, SMALL)).status_code == 200
            before = highest = process.memory_info().rss
            uploads = [
                asyncio.create_task(send(http, quote, LARGE))
                for http, quote in zip((first, second), quotes, strict=True)
                for _ in range(LARGE_OF_A_PARTNER)
            ]
            everything = asyncio.gather(*uploads)
            while not everything.done():
                highest = max(highest, process.memory_info().rss)
                await asyncio.sleep(0.02)
            answers = await everything

    assert [answer.status_code for answer in answers] == [200] * 2 * LARGE_OF_A_PARTNER
    assert highest - before < MOST_GROWTH


async def test_nothing_of_an_upload_is_left_when_the_process_is_killed(
    service: Service, program: Program
) -> None:
    quote = await processed(service)
    incoming = program.data / "incoming"
    with program.serving() as server:
        async with caller(server, service) as http:
            uploads = [asyncio.create_task(send(http, quote, SLOW)) for _ in range(4)]
            while not _open_in(server.process.pid, incoming):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.01)

            server.kill()
            await asyncio.gather(*uploads, return_exceptions=True)

    assert list(incoming.iterdir()) == []


def _open_in(pid: int, folder: Path) -> list[str]:
    """Return the files of a folder that a process has open, also those without a name."""
    found = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            target = str(descriptor.readlink())
            if target.startswith(str(folder)):
                found.append(target)
    return found
