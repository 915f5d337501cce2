"""The Makefile works with another interpreter and another folder for what it installs."""

import re
import subprocess

import pytest

from support.source_tree import ROOT

TARGETS = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)


def commands_for(target: str) -> str:
    done = subprocess.run(
        ["make", "--dry-run", "PYTHON=/usr/bin/python3.11", "VENV=/some/where", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "help"])
def test_a_target_uses_the_folder_it_is_told(target: str) -> None:
    commands = commands_for(target)

    assert "/some/where" in commands
    assert ".venv" not in commands.replace("(.venv/bin/bindery)", "")


def test_setting_up_uses_the_interpreter_and_the_node_it_is_told() -> None:
    commands = commands_for("test")

    assert "/usr/bin/python3.11 -m venv /some/where" in commands
    assert 'PATH="/some/where/bin:$PATH" npm ci' in commands
