"""Other people's tools on a running demo; `make test-clients` installs them and runs this folder."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.processes import Running, demo_running


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
    file.write_bytes(httpx.get(f"{demo.url}/v2/openapi.json").raise_for_status().content)
    return file
