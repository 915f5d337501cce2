"""A plugin of pytest that writes down what its processes meet of the program."""

from tools.reach import start_watch

# At its import, which comes before that of the tests and so of the program.
_watch = start_watch()


def pytest_unconfigure() -> None:
    """Write it when the tests are over."""
    if _watch is not None:
        _watch.write()
