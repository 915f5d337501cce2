"""`make test` runs a failed test once more alone: it fails if it fails twice, and three may try again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.run_tests import MOST_SECOND_TRIES

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]

TEST = """
from pathlib import Path

import pytest

@pytest.mark.parametrize("number", range({unsteady}))
def test_unsteady(number):
    seen = Path(__file__).with_name("seen" + str(number))
    times = len(seen.read_text()) if seen.exists() else 0
    seen.write_text("x" * (times + 1))
    assert times >= {passes_after}

def test_steady():
    seen = Path(__file__).with_name("steady")
    seen.write_text((seen.read_text() if seen.exists() else "") + "x")
"""


def run(folder: Path, passes_after: int, unsteady: int = 1, *options: str) -> tuple[int, str]:
    (folder / "test_seeded.py").write_text(TEST.format(passes_after=passes_after, unsteady=unsteady))
    done = subprocess.run(
        [sys.executable, "-m", "tools.run_tests", *options, "--quiet", "--numprocesses=1", "."],
        cwd=folder,
        # Without the plugins of the project's own tests, which take their time to load.
        env={
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "",
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
def test_only_tests_that_fail_twice_fail(tmp_path: Path, passes_after: int, code: int) -> None:
    ended, printed = run(tmp_path, passes_after)

    assert ended == code, printed
    assert ("Once more, one after the other:" in printed) == (passes_after > 0)
    assert f"Second tries: {min(passes_after, 1)} (at most 3)" in printed
    assert ("test_seeded.py::test_unsteady[0]" in printed.partition("Second tries")[2]) == (passes_after > 0)
    assert (tmp_path / "seen0").read_text() == "x" * min(passes_after + 1, 2)
    assert (tmp_path / "steady").read_text() == "x"


@pytest.mark.parametrize(("unsteady", "code"), [(MOST_SECOND_TRIES, 0), (MOST_SECOND_TRIES + 1, 1)])
def test_more_than_three_second_tries_fail_the_run(tmp_path: Path, unsteady: int, code: int) -> None:
    ended, printed = run(tmp_path, 1, unsteady)

    assert ended == code, printed
    assert ("Second tries: 3 (at most 3)" in printed) == (code == 0)
    assert ("4 failed; above 3 none gets a second try." in printed) == (code == 1)


@pytest.mark.parametrize("passes_after", [0, 1])
def test_a_file_that_cannot_be_imported_fails_whatever_else_passes(tmp_path: Path, passes_after: int) -> None:
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")

    ended, printed = run(tmp_path, passes_after)

    assert ended == pytest.ExitCode.INTERRUPTED, printed
    assert "No module named 'no_such_module'" in printed


@pytest.mark.parametrize(
    ("passes_after", "command", "code", "last"),
    [
        (0, "true", 0, "true: passed"),
        (0, "sh -c 'echo too long; exit 5'", 5, "sh -c 'echo too long; exit 5': FAILED\n  too long"),
        (2, "true", 1, "true: passed"),
        (2, "sh -c 'exit 5'", 1, "sh -c 'exit 5': FAILED"),
    ],
)
def test_a_check_beside_the_tests_fails_the_run_and_is_shown_last(
    tmp_path: Path, passes_after: int, command: str, code: int, last: str
) -> None:
    ended, printed = run(tmp_path, passes_after, 1, "--beside", command)

    assert ended == code, printed
    assert printed.rstrip().endswith(last)


def test_before_a_first_run_one_process_compiles_the_tests(tmp_path: Path) -> None:
    imports = tmp_path / "imports"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "conftest.py").write_text(
        f"with open({str(imports)!r}, 'a') as file: file.write('x')"
    )

    run(tmp_path, 0)
    first = len(imports.read_text())
    run(tmp_path, 0)
    second = len(imports.read_text()) - first

    assert first == second + 1
