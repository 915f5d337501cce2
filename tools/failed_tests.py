"""A plugin of pytest that writes the names of the tests that failed into a file.

A file that cannot be collected ends the run with the code that pytest has for it without workers. With them
pytest calls that a failed test; but its tests have not run, so no test that passes later makes up for it.
"""

from pathlib import Path

import pytest

OPTION = "--list-failed"


class _FailedTests:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._names: set[str] = set()
        self._is_collected = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._names.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._is_collected = False

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._is_collected:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        self._file.write_text("".join(f"{name}\n" for name in sorted(self._names)))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file."""
    parser.addoption(OPTION, metavar="FILE", help="write the names of tests that failed into FILE")


def pytest_configure(config: pytest.Config) -> None:
    """Collect the names in the process that all of them are reported to."""
    file = config.getoption(OPTION)
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_FailedTests(Path(file)))
