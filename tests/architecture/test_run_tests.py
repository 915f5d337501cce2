"""`make test` runs what failed once more alone, and only what fails twice fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TEST = """
from pathlib import Path

def test_unsteady():
    seen = Path(__file__).with_name("seen")
    times = len(seen.read_text()) if seen.exists() else 0
    seen.write_text("x" * (times + 1))
    assert times >= {passes_after}

def test_steady():
    pass
"""


def run(folder: Path, passes_after: int) -> tuple[int, str]:
    (folder / "test_seeded.py").write_text(TEST.format(passes_after=passes_after))
    done = subprocess.run(
        [sys.executable, "-m", "tools.run_tests", "--quiet", "--numprocesses=1", "."],
        cwd=folder,
        # Without the plugins of the project's own tests, which take their time to load.
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "xdist.plugin",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(("passes_after", "code"), [(0, 0), (1, 0), (2, 1)])
def test_what_fails_twice_fails(tmp_path: Path, passes_after: int, code: int) -> None:
    ended, printed = run(tmp_path, passes_after)

    assert ended == code, printed
    assert ("failed. Once more" in printed) == (passes_after > 0)
    assert ("failed once and passed alone" in printed) == (passes_after == 1)
    assert (tmp_path / "seen").read_text() == "x" * min(passes_after + 1, 2)


@pytest.mark.parametrize("passes_after", [0, 1])
def test_a_file_that_cannot_be_imported_fails_whatever_else_passes(tmp_path: Path, passes_after: int) -> None:
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")

    ended, printed = run(tmp_path, passes_after)

    assert ended == pytest.ExitCode.INTERRUPTED, printed
    assert "No module named 'no_such_module'" in printed
    assert "passed alone" not in printed
