"""The containers of the manifests without a cluster: their words, settings, file of secrets and probes."""

import signal
import subprocess
import uuid
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.manifests import OVERLAYS, manifests, secrets_of_the_page, settings_of
from support.postgres import create_database, drop_database
from support.processes import NO_TLS, PROGRAM, free_port, kept_variables
from support.waiting import eventually

pytestmark = pytest.mark.long
ENDS_WITHIN_S = 90


@pytest.fixture
async def empty_database(server: str) -> AsyncIterator[str]:
    name = f"pods_{uuid.uuid4().hex}"
    yield await create_database(server, name)
    await drop_database(server, name)


def containers() -> dict[str, dict[str, Any]]:
    specs = [
        made["spec"]["template"]["spec"] for made in manifests() if made["kind"] in {"Job", "Deployment"}
    ]
    return {container["name"]: container for spec in specs for container in spec["containers"]}


async def answers(port: int, path: str) -> int:
    async with httpx.AsyncClient(timeout=30, verify=NO_TLS) as http:
        try:
            return (await http.get(f"http://127.0.0.1:{port}{path}")).status_code
        except httpx.TransportError:
            return 0


@pytest.mark.parametrize("overlay", OVERLAYS)
async def test_the_containers_of_an_overlay_start_in_their_order_and_answer_their_probes(
    overlay: str, empty_database: str, tmp_path: Path
) -> None:
    secrets = secrets_of_the_page() | {"BINDERY_DATABASE_URL": empty_database}
    mounted = tmp_path / "etc"
    mounted.mkdir()
    (mounted / ".env").write_text("".join(f"{name}={value}\n" for name, value in secrets.items()))
    (mounted / ".env").chmod(0o440)
    mounted.chmod(0o550)
    ports = {"http": free_port(), "metrics": free_port()}
    settings = settings_of(overlay) | {
        "BINDERY_DATA_DIR": str(tmp_path / "var" / "data"),
        "BINDERY_BLOBS_URL": f"file://{tmp_path}/blobs",
        "BINDERY_METRICS_PORT": str(ports["metrics"]),
        "BINDERY_DRAIN_SECONDS": "1",
    }
    found = containers()

    def start(name: str) -> "subprocess.Popen[bytes]":
        words = [str(ports["http"]) if word == "8000" else word for word in found[name]["args"]]
        return subprocess.Popen([PROGRAM, *words], cwd=mounted, env={**kept_variables(), **settings})

    assert start("migrate").wait(ENDS_WITHIN_S) == 0
    staying = {name: start(name) for name in ("serve", "work")}
    try:
        for name in staying:
            for kind in ("startup", "liveness", "readiness"):
                asked = found[name][f"{kind}Probe"]["httpGet"]
                ask = partial(answers, ports[asked["port"]], asked["path"])
                await eventually(ask, lambda status: status == 200)
        for process in staying.values():
            process.send_signal(signal.SIGTERM)
        ends = {name: process.wait(ENDS_WITHIN_S) for name, process in staying.items()}
    finally:
        for process in staying.values():
            process.kill()

    assert ends == {"serve": 0, "work": 0}
    assert [file.name for file in mounted.iterdir()] == [".env"]
