"""Other people's tools on a running demo; `make test-clients` installs them and runs this folder."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tools.packages import write_packages

from support.client_tools import ANSWERS_WITHIN_S, NODE_MODULES, TOOLS, run_tool
from support.processes import EXAMPLES, Running, demo_running

WHEELS = TOOLS / "wheels"
LONGEST_TEST_S = 3_600
"""Against a test that hangs. Several tools run in one test, each for a minute where nothing else runs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow each test time for a slow and busy machine, unless it says how long it takes."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LONGEST_TEST_S))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print the outcome as the last line."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(config, "workerinput"):
        failed = len(reporter.getreports("failed")) + len(reporter.getreports("error"))
        reporter.write_line(f"{len(reporter.getreports('passed'))} passed, {failed} failed")


@pytest.fixture(scope="session")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A demo of this run's own."""
    with demo_running(server, template, tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture(scope="session")
def document(demo: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document that the demo serves, as a file."""
    file = tmp_path_factory.mktemp("document") / "openapi.json"
    file.write_bytes(
        httpx.get(f"{demo.url}/v2/openapi.json", timeout=ANSWERS_WITHIN_S).raise_for_status().content
    )
    return file


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the built wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("python")
    (wheel,) = (made for made in write_packages(folder / "packages") if made.suffix == ".whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    installed = folder / "venv" / "bin" / "python"
    offline = ("--no-index", f"--find-links={WHEELS}", "--disable-pip-version-check", "--quiet")
    subprocess.run([installed, "-m", "pip", "install", *offline, wheel], check=True)
    return installed


@pytest.fixture(scope="session")
def node_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packed tarball installed, the examples and the story."""
    folder = tmp_path_factory.mktemp("node")
    (tarball,) = (made for made in write_packages(folder / "packages") if made.suffix == ".tgz")
    for source in (*(EXAMPLES / "typescript").iterdir(), Path(__file__).parent / "sdks" / "story.ts"):
        shutil.copy(source, folder)
    installed = run_tool("npm", "install", "--offline", "--no-audit", "--no-fund", tarball, folder=folder)
    assert installed.returncode == 0, installed.stderr
    (folder / "node_modules" / "@types").symlink_to(NODE_MODULES / "@types")
    (folder / "node_modules" / "undici-types").symlink_to(NODE_MODULES / "undici-types")
    return folder
