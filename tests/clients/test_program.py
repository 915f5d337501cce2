"""The program as it is given away: a wheel and a source distribution, installed where nothing else is."""

import subprocess
import sys
from pathlib import Path

import pytest
from tools.packages import build_python

from support.client_tools import TOOLS
from support.processes import Program, free_port
from support.source_tree import ROOT

WHEELS = TOOLS / "wheels"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bindery` of an environment that has the wheel, built from the source distribution."""
    folder = tmp_path_factory.mktemp("program")
    archive = build_python(ROOT, folder, "sdist")
    subprocess.run(["tar", "--extract", f"--file={archive}", f"--directory={folder}"], check=True)
    wheel = build_python(folder / archive.name.removesuffix(".tar.gz"), folder, "wheel")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    offline = ("--no-index", f"--find-links={WHEELS}", "--disable-pip-version-check", "--quiet")
    subprocess.run([folder / "venv" / "bin" / "python", "-m", "pip", "install", *offline, wheel], check=True)
    return folder / "venv" / "bin" / "bindery"


def test_the_demo_runs_from_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    program = Program(tmp_path, forked=False, path=installed)
    port = free_port()
    try:
        with program.start("demo", "--port", str(port)) as demo:
            demo.url = f"http://127.0.0.1:{port}"
            demo.wait_until_ready()

            quoted = program.run("quote", str(program.data / "first_request.json"), "--wait")

            assert quoted.code == 0, quoted.stderr
            assert "published" in quoted.stdout
    finally:
        program.run("database", "stop")
