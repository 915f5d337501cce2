"""«Production from nothing»: its commands, as printed, lead from an empty server to the first quote."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from bindery.settings import load_settings
from support.containers import OURS, environment_of
from support.debian_postgres import debian_postgres
from support.processes import EXAMPLES, PROGRAM, free_port, kept_variables
from support.source_tree import ROOT

PAGE: Final = (ROOT / "docs" / "production.md").read_text("utf-8")
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ASSIGNED: Final = re.compile(r"^(BINDERY_\w+)=(.*)$", re.MULTILINE)
ENVIRONMENT_FILE: Final = (ROOT / "deploy" / "bindery.env").read_text("utf-8")
MANY_S: Final = 300


def settings_in(text: str) -> dict[str, str]:
    return dict(ASSIGNED.findall(text))


def test_the_page_the_settings_file_and_the_container_name_the_same_settings() -> None:
    of_page, of_file = settings_in(PAGE), settings_in(ENVIRONMENT_FILE)
    secrets = {"BINDERY_SECRET_KEY", "BINDERY_METRICS_TOKEN"}

    assert list(of_page) == list(of_file)
    assert {name: of_page[name] for name in of_page if name not in secrets} == {
        name: value for name, value in of_file.items() if name not in secrets
    }
    assert {name: of_file[name] for name in secrets} == dict.fromkeys(secrets, "")
    for service in OURS:
        assert {name for name in environment_of(service) if name.startswith("BINDERY_")} <= set(of_file)
    units = sorted((ROOT / "deploy").glob("*.service"))
    for unit in units:
        text = unit.read_text("utf-8")
        assert "EnvironmentFile=/etc/bindery/bindery.env" in text
        assert f"BINDERY_DATA_DIR={of_file['BINDERY_DATA_DIR']}" in text
    assert len(units) == 3


def test_the_settings_of_the_page_are_those_that_production_starts_with(tmp_path: Path) -> None:
    key = "0123456789abcdef0123456789abcdef"
    given = settings_in(PAGE) | {"BINDERY_SECRET_KEY": key, "BINDERY_METRICS_TOKEN": key}

    settings = load_settings(given, env_file=tmp_path / "none")

    assert (settings.is_demo, settings.platform_url) == (False, "https://quotes.example.com")


@pytest.fixture
def server() -> Iterator[str]:
    """A PostgreSQL with an administrator and no role of ours; give the folder of its socket."""
    with debian_postgres() as server:
        folder = str(server.folder)
        admin = "create role admin login superuser"
        subprocess.run(["psql", server.dsn, "-c", admin], check=True, stdout=subprocess.DEVNULL)
        renamed = ["psql", f"postgresql://admin@/postgres?host={folder}", "-c"]
        subprocess.run(
            [*renamed, "alter role bindery rename to installer"], check=True, stdout=subprocess.DEVNULL
        )
        yield folder


@pytest.mark.long
def test_the_commands_of_the_page_lead_from_an_empty_server_to_the_first_quote(
    server: str, tmp_path: Path
) -> None:
    etc, data, port, metrics = tmp_path / "etc", tmp_path / "data", free_port(), free_port()
    etc.mkdir()
    (tmp_path / "examples").symlink_to(EXAMPLES)
    script = "\n".join(BLOCK.findall(PAGE))
    # What is this machine's: the server, folders, ports, and no bucket or mail server to reach.
    for printed, here in (
        ("@db.internal/bindery", f"@/bindery?host={server}"),
        ("/etc/bindery", str(etc)),
        ("/var/lib/bindery", str(data)),
        ("s3://bindery-files", f"file://{tmp_path}/files"),
        ("smtp://mail.internal:587", f"smtp://127.0.0.1:{free_port()}"),
        ("127.0.0.1:8000", f"127.0.0.1:{port}"),
        ("--port 8000", f"--port {port}"),
        ("BINDERY_METRICS_PORT=9401", f"BINDERY_METRICS_PORT={metrics}"),
    ):
        assert printed in script
        script = script.replace(printed, here)
    variables = {
        **kept_variables(),
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
        "ADMIN_URL": f"postgresql://admin@/postgres?host={server}",
    }

    with (tmp_path / "output").open("w+") as output:
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = shell.wait(MANY_S)
        finally:
            # The shell leads a group of its own, with the API and the worker that it has left running.
            os.killpg(shell.pid, signal.SIGTERM)
        output.seek(0)
        said = output.read()

    assert code == 0, said
    assert "The database is at revision" in said
    assert "https://quotes.example.com/sign-in" in said
    assert "ready" in said
    assert '"webhooks":[]' in said.replace(" ", "")
    assert "published" in said
    assert "whsec_" in said
    assert (tmp_path / "bindery.dump").stat().st_size > 10_000
    assert (etc / "bindery.env").stat().st_mode & 0o777 == 0o600
    figures = (tmp_path / "metrics.txt").read_text("utf-8")
    assert "bindery_http_requests_total" in figures
    assert "bindery_job_seconds" in figures
    # Everything was set: no process misses a setting.
    logs = (tmp_path / "serve.log").read_text("utf-8") + (tmp_path / "work.log").read_text("utf-8")
    assert "setting_missing" not in logs
    assert re.search(r'"level":\s*"info"', logs)
    assert not re.search(r'"level":\s*"error"', logs)
