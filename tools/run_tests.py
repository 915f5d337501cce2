"""`python -m tools.run_tests [--beside COMMAND] [OPTIONS]`: run the tests, and failed ones once more alone.

A machine that does five things at once now and then starves a test that waits for a process. Alone it passes;
a test that found a bug does not. Only tests that fail twice fail the run, and each second try is counted and
named: more than three are no accident, but a race or a test that waits for seconds.

The command beside the tests runs at the same time. Its output comes last, so that nobody has to look for it
above the tests' own, and its failure fails the run.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from tools.coverage_watch import FOLDER, PROBED, SOURCE
from tools.probed_code import keep_all

TESTS_FAILED: Final = 1
"""The exit code of pytest when tests failed, and nothing else was wrong."""
MOST_SECOND_TRIES: Final = 3
TESTS: Final = Path("tests")
ALONE: Final = ("--numprocesses=0", "--last-failed", "--last-failed-no-failures=none")


def compile_once() -> None:
    """Have one process compile the tests where nobody has yet; otherwise each worker compiles all of them.

    To do so four times takes half a minute of processor time more.
    """
    compiled = TESTS.glob(f"__pycache__/conftest.{sys.implementation.cache_tag}-pytest-*.pyc")
    if TESTS.is_dir() and not sys.dont_write_bytecode and not any(compiled):
        collect = (sys.executable, "-m", "pytest", "--collect-only", "--quiet", "--numprocesses=0")
        # What cannot be imported is for the run itself to report.
        subprocess.run(collect, check=False, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter and options


def run_tests(options: Sequence[str]) -> int:
    if coverage := os.environ.get(FOLDER):
        keep_all(SOURCE, Path(coverage, PROBED))
    compile_once()
    with tempfile.TemporaryDirectory() as folder:
        # The tests that failed are in pytest's own cache, which this run has for itself.
        pytest = (sys.executable, "-m", "pytest", "--override-ini", f"cache_dir={folder}", *options)
        code = subprocess.run(pytest, check=False).returncode  # noqa: S603 - our own interpreter and options
        file = Path(folder, "v", "cache", "lastfailed")
        failed = sorted(json.loads(file.read_bytes())) if file.is_file() else []
        if code == TESTS_FAILED and len(failed) <= MOST_SECOND_TRIES:
            _print("Once more, one after the other:", *failed)
            code = subprocess.run((*pytest, *ALONE), check=False).returncode  # noqa: S603 - as above
            _print(f"Second tries: {len(failed)} (at most {MOST_SECOND_TRIES})", *failed)
        elif code == TESTS_FAILED:
            _print(f"{len(failed)} failed; above {MOST_SECOND_TRIES} none gets a second try.")
        else:
            _print(f"Second tries: 0 (at most {MOST_SECOND_TRIES})")
    return code


def run_beside(command: str, options: Sequence[str]) -> int:
    """Run the tests while a command runs, and return the exit code of the first of both that failed."""
    with tempfile.TemporaryFile("w+") as output, _running(command, output) as beside:
        code = run_tests(options)
        ended = beside.wait()
        output.seek(0)
        _print(f"{command}: {'passed' if ended == 0 else 'FAILED'}", output.read().rstrip())
    return code or ended


@contextmanager
def _running(command: str, output: IO[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a command until its end, or until this run is interrupted."""
    process = subprocess.Popen(shlex.split(command), stdout=output, stderr=output)  # noqa: S603 - the Makefile's
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _print(*lines: str) -> None:
    sys.stdout.write("\n" + "\n  ".join(lines) + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    match arguments:
        case ["--beside", command, *options]:
            return run_beside(command, options)
        case _:
            return run_tests(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
