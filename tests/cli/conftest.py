from collections.abc import Iterator
from pathlib import Path

import pytest

from support.processes import Program, Running, demo_running


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on a migrated database of the test's own."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn})


@pytest.fixture
def bare(tmp_path: Path) -> Program:
    """The command line without any database."""
    return Program(tmp_path)


@pytest.fixture(scope="session")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A demo service in a process of its own, for tests that leave its clock and its webhooks alone."""
    with demo_running(server, template, tmp_path_factory.mktemp("demo")) as running:
        yield running
