"""A plugin of pytest that records the coverage of the processes that run tests."""

import os
from collections.abc import Iterator

import pytest

from tools.coverage_watch import Watch, start_watch

_watches: list[Watch] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Begin before the tests are imported, and so the program; a process that has workers runs no tests."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if is_worker or not early_config.known_args_namespace.numprocesses:
        _watches.extend(filter(None, [start_watch()]))
    yield


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Write it when the tests are over; a worker may be ended as soon as it has said that they are."""
    while _watches:
        _watches.pop().write()
