"""`make test-long` prints how much of the program it and `make test` have covered."""

import fnmatch
import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest
import slipcover
from slipcover.importer import SlipcoverLoader
from tools import measure_coverage, probed_code
from tools.coverage_watch import SOURCE
from tools.measure_coverage import HOW_TO_MEND, FileCoverage, coverage_of, report, unexplained

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
NUMBERS = ROOT / "src" / "bindery" / "base" / "numbers.py"

PROGRAM = """
import os, sys
from decimal import Decimal
from tools.coverage_watch import start_watch

watch = start_watch()
from bindery.base.numbers import in_dollars

watch.write_in_the_end()
in_dollars(12)
if sys.argv[1:] and os.fork() == 0:
    in_dollars(Decimal(12))
elif sys.argv[1:]:
    os.wait()
"""


def missed(folder: Path, *arguments: str) -> set[str]:
    """Run the program, and return the lines of a file that it did not run."""
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, "COVERAGE_FOLDER": str(folder)},
        check=True,
    )
    found = next(file for file in coverage_of(folder) if file.file == "numbers.py")
    lines = NUMBERS.read_text().splitlines()
    return {lines[int(at) - 1].strip() for at in found.missed if "->" not in at}


def test_what_a_process_and_its_forks_met_is_added_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_coverage, "SOURCE", NUMBERS.parent)
    cents, dollars = "return amount.quantize(ONE_CENT", "return int(amount.quantize(ONE_DOLLAR"

    alone, forked = missed(tmp_path / "alone"), missed(tmp_path / "forked", "fork")

    assert any(line.startswith(cents) for line in alone)
    assert not any(line.startswith(cents) for line in forked)
    assert any(line.startswith(dollars) for line in forked)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_only_processes_that_run_tests_are_watched(tmp_path: Path, workers: str) -> None:
    coverage = tmp_path / "coverage"
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("import bindery.base.numbers\n")
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n")
    # A run of its own, though this test may be in the worker of another one.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}

    subprocess.run(
        [sys.executable, "-m", "pytest", "--numprocesses", workers, "-p", "tools.coverage_plugin", tmp_path],
        cwd=ROOT,
        env={**own, "COVERAGE_FOLDER": str(coverage)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    written = [json.loads(file.read_bytes()) for file in coverage.glob("*.json")]

    assert len(written) == (int(workers) or 1)
    assert all(str(NUMBERS) in met for met in written)


BRANCHES = """
async def rows(count):
    for row in range(count):
        yield row

def chosen(it):
    match it:
        case [1, *_] | (2, _):
            return "first"
        case str():
            return "text"
    while it:
        it -= 1
        if it == 1:
            break
    else:
        return "none"
    try:
        return [at for at in (1, "\\0text", (1, 2)) if at]
    finally:
        it = (lambda: 7)()

FOUND = [chosen([1]), chosen("a"), chosen(0), chosen(3)]
"""


def met_by_slipcover(source: Path) -> tuple[Any, Any]:
    """Run a file as slipcover's own loader does, and return what was met and what the file found."""
    met = slipcover.Slipcover(branch=True, d_miss_threshold=probed_code.NEVER_TAKEN_OUT)
    loader = SlipcoverLoader(met, SourceFileLoader("choices", str(source)), str(source))
    spec = importlib.util.spec_from_file_location("choices", source, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return met.newly_seen[str(source)], module.FOUND


def met_by_kept_code(source: Path, folder: Path) -> tuple[Any, Any]:
    met = slipcover.Slipcover(branch=True, d_miss_threshold=probed_code.NEVER_TAKEN_OUT)
    found: dict[str, Any] = {}
    exec(probed_code.with_probes(probed_code.probed_code(source, folder).code, met), found)
    return met.newly_seen[str(source)], found["FOUND"]


def test_code_with_kept_probes_meets_what_slipcover_meets(tmp_path: Path) -> None:
    source, folder = tmp_path / "choices.py", tmp_path / "kept"
    source.write_text(BRANCHES)

    lines_and_branches, found = met_by_slipcover(source)

    assert {type(place) for place in lines_and_branches} == {int, tuple}
    for _ in ("made", "kept"):
        assert met_by_kept_code(source, folder) == (lines_and_branches, found)


def test_probes_are_set_once_and_again_when_the_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, folder = tmp_path / "choices.py", tmp_path / "kept"
    source.write_text(BRANCHES)
    met_by_kept_code(source, folder)
    made = []
    make = probed_code._make

    def noted(source: Path, text: bytes) -> probed_code.ProbedCode:
        made.append(text.decode())
        return make(source, text)

    monkeypatch.setattr(probed_code, "_make", noted)
    met_by_kept_code(source, folder)
    assert made == []

    changed = f"{BRANCHES}\nTHEN = 1\n"
    source.write_text(changed)
    assert met_by_kept_code(source, folder) == met_by_slipcover(source)
    assert made == [changed]


def test_files_below_are_listed_with_what_was_missed_and_why() -> None:
    files = [
        FileCoverage(50.0, "server/prefork.py", 1, 2, ("7",)),
        FileCoverage(90.0, "web/app.py", 9, 10, ("4->6",)),
        FileCoverage(100.0, "base/numbers.py", 4, 4, ()),
    ]

    said = report(files, 87.5, {"server/*": "it runs in processes that are killed"})

    assert "cover 87.5 % of src/" in said
    assert "files below: 2 of 3" in said
    assert "50.0 %  server/prefork.py: it runs in processes that are killed\n           7\n" in said
    assert "90.0 %  web/app.py: no reason is given\n           4->6\n" in said
    assert "numbers.py" not in said


@pytest.mark.parametrize(("covered", "code"), [(949, measure_coverage.TOO_LITTLE), (950, 0)])
def test_less_than_is_wanted_fails(covered: int, code: int) -> None:
    assert measure_coverage.judge(measure_coverage.percent_of(covered, 1000), []) == code


def test_a_file_below_without_a_reason_fails_and_the_report_says_how_to_mend_it() -> None:
    files = [
        FileCoverage(91.9, "web/app.py", 919, 1000, ("4->6",)),
        FileCoverage(91.9, "server/serve.py", 919, 1000, ("4->6",)),
        FileCoverage(92.0, "web/frame/route.py", 92, 100, ("7",)),
    ]
    reasons = {"server/*": "it runs in processes that are killed"}

    left = unexplained(files, reasons)

    assert [file.file for file in left] == ["web/app.py"]
    assert measure_coverage.judge(96.0, left) == measure_coverage.TOO_LITTLE
    assert f"Without a reason: web/app.py.\n{HOW_TO_MEND}" in report(files, 96.0, reasons)
    assert unexplained(files, {**reasons, "web/*.py": "a reason"}) == []
    assert HOW_TO_MEND not in report(files, 96.0, {**reasons, "web/*.py": "a reason"})


def test_cases_that_the_type_checker_proves_impossible_are_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_coverage, "SOURCE", tmp_path)
    (tmp_path / "choice.py").write_text(
        "def choose(it):\n    match it:\n        case 1:\n            return 2\n"
        "        case _:\n            assert_never(it)\n"
    )

    (found,) = coverage_of(tmp_path / "nothing was written")

    assert found.missed == ("1", "2", "3", "4", "2->4")


def test_every_reason_is_that_of_a_file() -> None:
    files = [str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py")]
    patterns = tomllib.loads(measure_coverage.REASONS.read_text())

    assert [pattern for pattern in patterns if not fnmatch.filter(files, pattern)] == []


def test_runs_that_wrote_nothing_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure_coverage, "SOURCE", NUMBERS.parent)

    assert measure_coverage.measure_coverage(tmp_path) == measure_coverage.TOO_LITTLE
    assert "The tests cover 0.0 % of src/" in capsys.readouterr().out
