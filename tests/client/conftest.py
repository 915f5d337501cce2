from collections.abc import Iterator

import pytest

from support.processes import Running, demo_running


@pytest.fixture(scope="session")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A demo service in a process of its own, for all tests here."""
    with demo_running(server, template, tmp_path_factory.mktemp("demo")) as running:
        yield running
