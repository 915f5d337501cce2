"""The disk fills up under the database: writes are answered 503, and work again when there is room."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.processes import Program, free_port
from support.service import request_body

pytestmark = pytest.mark.long

SIZE_MB = 320
BACK_WITHIN_S = 90.0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m,mode=0755", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> Path:
    """Take all the room that is left."""
    file = folder / "filler"
    with file.open("ab", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(b"\0" * 65536)
    return file


async def test_a_full_disk_is_answered_503_until_there_is_room(small_disk: Path, tmp_path: Path) -> None:
    program = Program(tmp_path, {"BINDERY_DATA_DIR": str(small_disk / "data")})
    port = free_port()
    try:
        with program.start("demo", "--port", str(port)) as demo:
            demo.url = f"http://127.0.0.1:{port}"
            demo.wait_until_ready()
            token = (small_disk / "data" / "demo_token").read_text()
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=demo.url, headers=headers, timeout=60) as http:

                async def post(number: int) -> httpx.Response:
                    return await http.post(
                        "/v2/quotes", json=request_body(), headers={"Idempotency-Key": f"full-{number}"}
                    )

                before = [await post(number) for number in range(3)]
                filler = await asyncio.to_thread(fill, small_disk)
                during: list[httpx.Response] = []
                # As often as it takes: what the database has in reserve may last for a while.
                until = time.monotonic() + BACK_WITHIN_S
                while not any(a.status_code == 503 for a in during) and time.monotonic() < until:
                    numbers = range(3 + len(during), 43 + len(during))
                    during += await asyncio.gather(*(post(number) for number in numbers))
                    await asyncio.to_thread(fill, small_disk)
                alive = demo.process.poll()
                filler.unlink()
                until = time.monotonic() + BACK_WITHIN_S
                while (after := await post(1_000_000)).status_code == 503 and time.monotonic() < until:  # noqa: ASYNC110 - another process has no event
                    await asyncio.sleep(0.2)
                replayed = [await post(number) for number in range(3)]
            code = await asyncio.to_thread(demo.stop, signal.SIGTERM)
    finally:
        program.run("database", "stop")

    assert alive is None
    assert {answer.status_code for answer in before} == {200}
    assert {answer.status_code for answer in during} <= {200, 503}
    assert 503 in {answer.status_code for answer in during}
    assert {answer.headers.get("Retry-After") for answer in during if answer.status_code == 503} == {"2"}
    assert after.status_code == 200
    assert [answer.content for answer in replayed] == [answer.content for answer in before]
    assert code == 0
