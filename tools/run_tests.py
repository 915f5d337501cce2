"""`python -m tools.run_tests [OPTIONS]`: run the tests; those that fail, once more alone.

A machine that does five things at once now and then starves a test that waits for a process. Alone it passes;
a test that found a bug does not. Only what fails twice fails, and what failed once is named. A file
that cannot be imported fails at once.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

TESTS_FAILED: Final = 1
"""What pytest ends with when tests failed, and nothing else was wrong."""
MOST_UNSTEADY: Final = 20
"""More failures than this are no accident."""


def run_tests(options: Sequence[str]) -> int:
    """Run the tests and return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "failed"
        code = _pytest(*options, "-p", "tools.failed_tests", f"--list-failed={file}")
        failed = file.read_text().splitlines() if file.is_file() else []
    if code != TESTS_FAILED or not 0 < len(failed) <= MOST_UNSTEADY:
        return code
    _say(f"{len(failed)} failed. Once more, one after the other:", failed)
    code = _pytest("--quiet", "--numprocesses=0", *failed)
    if code == 0:
        _say("These failed once and passed alone:", failed)
    return code


def _pytest(*arguments: str) -> int:
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own interpreter and options


def _say(sentence: str, names: Sequence[str]) -> None:
    sys.stdout.write("\n  ".join(("\n" + sentence, *names)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(run_tests(sys.argv[1:]))
