"""What `make` would do, without doing it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools.chromium import browser
from tools.install import Seen, pinned_names
from tools.npm_lock import without_addresses

from support.source_tree import ROOT

NOTHING_TO_DO = "Nothing to be done for 'setup'"
TARGETS = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
STAMPS = (".made_in", ".runtime", ".dev", ".js")
OF_THE_OUTER_MAKE = {"MAKEFLAGS", "COVERAGE_FOLDER"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder, with a space in its name, whose environment looks complete."""
    folder = tmp_path / "first place"
    for name in ("Makefile", "pyproject.toml", "requirements", "tests/js"):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    latest = max(path.stat().st_mtime for path in folder.rglob("*"))
    for age, name in enumerate(STAMPS, start=1):
        stamp = folder / ".venv" / name
        stamp.write_text(f"{folder}\n" if name == ".made_in" else "")
        os.utime(stamp, (latest + age, latest + age))
    return folder


def dry_run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *arguments],
        cwd=folder,
        # What the `make` that runs these tests was told is not meant for this one.
        env={
            name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "COVERAGE_FOLDER"}
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_complete_environment_is_left_alone(checkout: Path) -> None:
    assert NOTHING_TO_DO in dry_run(checkout, "setup")


def test_a_moved_checkout_makes_its_environment_anew_and_keeps_its_data(checkout: Path) -> None:
    moved = checkout.rename(checkout.with_name("second place"))

    planned = dry_run(moved, "setup")

    assert "rm -rf .venv\n" in planned
    # The locked pip first: the one that Python brings takes twice as long for all that follows.
    assert 0 < planned.find("requirements/pip.txt") < planned.find("tools/install.py")
    assert ".bindery" not in planned


def test_a_copied_checkout_does_not_run_the_first_ones_code(checkout: Path) -> None:
    copied = shutil.copytree(checkout, checkout.with_name("copy"), symlinks=True)

    assert "rm -rf .venv\n" in dry_run(copied, "setup")
    assert NOTHING_TO_DO in dry_run(checkout, "setup")


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Path) -> None:
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")

    assert "rm -rf .venv\n" in dry_run(checkout, "setup")


@pytest.mark.parametrize(
    ("arguments", "command"),
    [(["demo"], "bindery demo"), (["demo", "PORT=8105"], "bindery demo --port 8105")],
)
def test_the_demos_port_can_be_chosen(checkout: Path, arguments: list[str], command: str) -> None:
    assert dry_run(checkout, *arguments).strip().endswith(command)


def test_the_bar_counts_what_was_fetched_and_what_was_unpacked() -> None:
    wanted = pinned_names(
        "alpha==1 \\\n    --hash=sha256:00\nbeta-two[extra]==2\ngamma==3 ; os_name == 'nt'\n"
    )
    seen = Seen(wanted)

    assert wanted == {"alpha", "beta_two", "gamma"}
    assert seen.share() == 0
    seen.read(["Collecting alpha (from -r x)\n", "  Downloading alpha.whl\n"])
    assert (seen.package, seen.share()) == ("alpha", 1 / 6)
    seen.read(["Installing collected packages: pytest, certainly-not-here\n"])
    assert seen.share() == 0.75


def commands_for(target: str) -> str:
    return dry_run(ROOT, "PYTHON=/usr/bin/python3.11", "VENV=/some/where", target)


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "help"])
def test_a_target_uses_the_folder_it_is_told(target: str) -> None:
    commands = commands_for(target)

    assert "/some/where" in commands
    assert ".venv" not in commands.replace("(.venv/bin/bindery)", "")


def test_setting_up_uses_the_interpreter_and_the_node_it_is_told() -> None:
    commands = commands_for("test")

    assert "/usr/bin/python3.11 -m venv /some/where" in commands
    assert 'PATH="/some/where/bin:$PATH" npm ci' in commands


def test_every_test_is_run_by_one_of_three_commands_and_two_of_them_by_ci() -> None:
    short, long, cluster = (commands_for(target) for target in ("test", "test-long", "test-cluster"))
    ci = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()

    assert '--beside "make --no-print-directory check"' in short
    assert short.rstrip().endswith('-m "not long"')
    assert long.rstrip().endswith('-m "long and not cluster"')
    assert cluster.rstrip().endswith("-m cluster tests/faults/test_cluster.py")
    marked = (
        path for path in (ROOT / "tests").rglob("test_*.py") if "mark.cluster" in path.read_text("utf-8")
    )
    assert [path.name for path in marked if path.name != Path(__file__).name] == ["test_cluster.py"]
    assert [line.split()[1] for line in ci if line.startswith("make test")] == [
        "test",
        "test-long",
        "test-clients",
    ]


def test_coverage_is_judged_when_both_commands_write_it() -> None:
    short, long = (dry_run(ROOT, "COVERAGE_FOLDER=/coverage", target) for target in ("test", "test-long"))

    assert "-p tools.coverage_plugin" in short
    assert "-p tools.coverage_plugin" in long
    assert long.rstrip().endswith("-m tools.measure_coverage")


def test_programs_that_make_starts_keep_compiled_code() -> None:
    printed = subprocess.run(
        ["make", "--no-print-directory", "--eval", 'shown:\n\t@echo "[$$PYTHONDONTWRITEBYTECODE]"', "shown"],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert printed.stdout == "[]\n"


def test_the_tools_that_judge_the_contract_have_an_environment_of_their_own() -> None:
    commands = commands_for("test-clients")

    assert "/some/where/bin/python -m venv /some/where/clients" in commands
    assert "/some/where/clients/bin/python tools/install.py" in commands
    assert 'cd /some/where/clients/js && PATH="/some/where/bin:$PATH" npm ci --ignore-scripts' in commands


def test_a_lock_file_of_npm_keeps_versions_and_hashes_and_no_addresses() -> None:
    package = {"version": "1.0.0", "integrity": "sha512-00", "dependencies": {"b": "^2"}}
    lock = {
        "packages": {"node_modules/a": {**package, "resolved": "https://r/a.tgz", "funding": {"url": "u"}}}
    }

    assert json.loads(without_addresses(json.dumps(lock))) == {"packages": {"node_modules/a": package}}


def test_pages_are_opened_without_windows_where_that_is_installed(tmp_path: Path) -> None:
    shell, whole = tmp_path / "chromium-headless-shell", tmp_path / "chromium"

    neither = browser((shell, whole))
    whole.touch()
    only_whole = browser((shell, whole))
    shell.touch()
    both = browser((shell, whole))

    assert (neither, only_whole, both) == (None, whole, shell)
