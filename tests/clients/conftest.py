"""Other people's tools on a running demo; `make test-clients` installs them and runs this folder."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.client_tools import ANSWERS_WITHIN_S
from support.processes import Running, demo_running

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
