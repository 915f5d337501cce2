"""What the demo leaves in its data folder is for the account that runs it and nobody else."""

import asyncio
import os
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.postgres import create_database, drop_database
from support.processes import Program, Running, free_port

OLD_HASH = "ab" + "0" * 62
PDF = b"%PDF-1.7 a paper of an applicant"


@pytest.fixture(scope="module")
def careless(server: str, template: str) -> Iterator[Running]:
    """A demo under a umask that hides nothing, in a folder that an earlier version left open to everybody."""
    name = f"demo_{uuid.uuid4().hex}"
    dsn = asyncio.run(create_database(server, name, template=template))
    # Not below pytest's own folder, which other accounts cannot enter anyway.
    with tempfile.TemporaryDirectory(prefix="bindery-careless-", dir="/tmp") as place:
        Path(place).chmod(0o755)
        program = Program(Path(place), {"BINDERY_DATABASE_URL": dsn})
        umask = os.umask(0)
        try:
            leave_open(program.data)
            port = free_port()
            with program.start("demo", "--port", str(port), stdout=subprocess.PIPE) as running:
                os.umask(umask)
                running.url = f"http://127.0.0.1:{port}"
                running.wait_until_ready()
                running.read_until("Ctrl-C stops it")
                use(running)
                yield running
        finally:
            os.umask(umask)
            asyncio.run(drop_database(server, name))


def leave_open(data: Path) -> None:
    (data / "files" / "ab").mkdir(parents=True)
    for name in ("bindery.log", "demo_url", f"files/ab/{OLD_HASH}"):
        (data / name).write_text("old")


def use(running: Running) -> None:
    """Create files: documents by the worker, one by an upload."""
    with httpx.Client(
        base_url=running.url, headers={"Authorization": f"Bearer {running.token}"}, timeout=90
    ) as http:
        request = (running.program.data / "first_request.json").read_bytes()
        sent = http.post("/v2/quotes", content=request, headers={"Content-Type": "application/json"})
        identifier = sent.json()["quotes"][0]["quote_identifier"]
        seen = http.get(f"/v2/quotes/{identifier}", headers={"Prefer": "wait=60"})
        assert seen.status_code == 200, seen.text
        for kind in seen.json()["available_documents"]:
            assert http.get(f"/v2/quotes/{kind}/{identifier}").status_code == 200
        uploaded = http.post(
            "/v2/documents", data={"quote_identifier": identifier}, files={"file": ("a.pdf", PDF)}
        )
        assert uploaded.status_code == 200, uploaded.text


def test_every_file_and_folder_is_closed_to_others(careless: Running) -> None:
    data = careless.program.data
    modes = {path.relative_to(data).as_posix(): path.stat().st_mode & 0o777 for path in data.rglob("*")}

    assert data.stat().st_mode & 0o777 == 0o700
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    assert modes[f"files/ab/{OLD_HASH}"] == 0o600
    assert {"secret_key", "demo_token", "demo_url", "first_request.json", "bindery.log"} <= set(modes)
    assert len([name for name in modes if name.count("/") == 2]) > 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else for a moment")
def test_another_account_can_neither_list_nor_read(careless: Running) -> None:
    data = careless.program.data
    paper = next(path for path in data.glob("files/*/*") if path.read_bytes() == PDF)

    for command in (
        ("ls", data),
        ("ls", data / "files"),
        ("cat", paper),
        ("cat", data / "bindery.log"),
        ("cat", data / "demo_token"),
    ):
        tried = subprocess.run(command, user="nobody", extra_groups=[], capture_output=True, check=False)

        assert (tried.returncode != 0, tried.stdout) == (True, b"")
        assert b"Permission denied" in tried.stderr
