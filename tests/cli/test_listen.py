"""`bindery listen` and the example receiver: what integrators run on their own machine."""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from bindery.base.signatures import secret_text, signed_headers
from bindery.domain.messages.webhooks import new_secret
from support.processes import EXAMPLES, NO_TLS, Program, Running, free_port
from support.receiver import receiving

KEY = new_secret(random.Random(3))
EVENT = {
    "type": "quote.published",
    "timestamp": "2026-08-15T12:00:00Z",
    "data": {"premium": 1536, "näme": "é"},
}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def deliver(port: int, *, key: bytes = KEY, event: Any = EVENT, message_id: str = "msg_1") -> httpx.Response:
    """Send what the service would send, as soon as somebody listens."""
    body = msgspec.json.encode(event)
    headers = signed_headers([key], message_id=message_id, timestamp=int(time.time()), body=body)
    until = time.monotonic() + 120
    while True:
        try:
            return httpx.post(
                f"http://127.0.0.1:{port}/", content=body, headers=headers, timeout=30, verify=NO_TLS
            )
        except httpx.ConnectError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def listening(program: Program, port: int) -> Iterator[Running]:
    command = ["listen", "--no-register", "--port", str(port), "--secret", secret_text(KEY)]
    with program.start(*command, stdout=subprocess.PIPE) as running:
        yield running


def test_a_right_delivery_is_taken_and_printed(listening: Running, port: int) -> None:
    answer = deliver(port)

    listening.stop()
    printed = listening.process.stdout.read() if listening.process.stdout else ""
    assert answer.status_code == 204
    assert f"Listening on http://127.0.0.1:{port}/" in printed
    assert "✓ quote.published  msg_1" in printed
    assert '"premium": 1536' in printed
    assert '"näme": "é"' in printed


def test_a_forged_delivery_is_refused_and_said_to_be(listening: Running, port: int) -> None:
    answer = deliver(port, key=b"another key")

    listening.stop()
    printed = listening.process.stdout.read() if listening.process.stdout else ""
    assert answer.status_code == 400
    assert "✗ quote.published" in printed
    assert "no signature matches the secret" in printed


async def test_what_is_right_is_forwarded_as_it_came_and_the_answer_goes_back(
    program: Program, port: int
) -> None:
    async with receiving() as behind:
        command = [
            *["listen", "--no-register", "--port", str(port)],
            *["--secret", secret_text(KEY), "--forward", behind.url],
        ]
        with program.start(*command):
            taken = await asyncio.to_thread(deliver, port)
            forged = await asyncio.to_thread(deliver, port, key=b"another key", message_id="msg_2")

    (received,) = behind.got
    assert (taken.status_code, taken.text) == (200, "thank you")
    assert forged.status_code == 400
    assert received.id == "msg_1"
    assert received.json == EVENT
    assert received.headers["webhook-signature"].startswith("v1,")


def test_nobody_to_forward_to_is_a_bad_gateway(program: Program, port: int) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/"
    with program.start("listen", "--no-register", "--port", str(port), "--forward", nobody):
        assert deliver(port).status_code == 502


def test_without_a_secret_everything_is_shown_with_a_warning(program: Program, port: int) -> None:
    with program.start("listen", "--no-register", "--port", str(port), stdout=subprocess.PIPE) as running:
        answer = deliver(port, key=b"any")
        running.stop()
        printed = running.process.stdout.read() if running.process.stdout else ""

    assert answer.status_code == 204
    assert "Signatures are not verified" in printed
    assert "• quote.published" in printed
    assert "✓" not in printed


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--secret", "nonsense"],
            "A secret is whsec_ and base64 of at least 24 bytes, "  # noqa: ISC004 - one sentence
            "as returned by POST /v2/settings/webhook_secret.",
        ),
        (["--forward", "localhost:3000"], "--forward needs an address that begins with http:// or https://."),
        (["--endpoint", "localhost"], "--endpoint needs an address that begins with http:// or https://."),
        ([], "There is no token: set BINDERY_TOKEN or pass --token (`bindery token issue` creates one)."),
        (
            ["--token", "of-nobody", "--url", "http://127.0.0.1:9/v2", "--port", str(free_port())],
            "There is no answer from http://127.0.0.1:9/v2: All connection attempts failed. "  # noqa: ISC004 - one
            "Is the service running? --no-register listens without it.",
        ),
    ],
)
def test_a_wrong_option_is_one_sentence(program: Program, arguments: list[str], complaint: str) -> None:
    assert program.run("listen", *arguments).complaint == complaint


def test_a_port_that_is_taken_is_one_sentence(program: Program, listening: Running, port: int) -> None:
    deliver(port)

    ended = program.run("listen", "--no-register", "--port", str(port))

    assert f"Cannot listen on port {port}: " in ended.complaint


def test_the_example_receiver_verifies_and_shows_each_event_once(tmp_path: Path, port: int) -> None:
    source = EXAMPLES / "webhook_receiver.py"
    environment = {**os.environ, "WEBHOOK_SECRET": secret_text(KEY), "PORT": str(port)}
    with subprocess.Popen(
        [sys.executable, source],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            answers = [deliver(port), deliver(port), deliver(port, key=b"another key", message_id="msg_2")]
        finally:
            process.kill()
        assert process.stdout is not None
        printed = process.stdout.read()

    assert [answer.status_code for answer in answers] == [204, 204, 400]
    assert printed.splitlines() == [f"quote.published {EVENT['data']}"]
    assert len(source.read_text("utf-8").splitlines()) <= 40


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-S"], "First: pip install standardwebhooks"),  # without the packages of this environment
        ([], "Set WEBHOOK_SECRET to what POST /v2/settings/webhook_secret returned."),
    ],
)
def test_the_example_receiver_says_what_it_needs(options: list[str], said: str) -> None:
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}

    ended = subprocess.run(
        [sys.executable, *options, EXAMPLES / "webhook_receiver.py"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", f"{said}\n")
