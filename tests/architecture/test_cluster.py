"""The cluster to try out: the settings that were found to matter, and what its scripts refuse."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from support.source_tree import ROOT

FOLDER = ROOT / "deploy" / "cluster"
SCRIPTS = ("start", "stop", "kill-node", "status", "backup", "restore")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cluster"


def run(script: str, *arguments: str, folder: Path, account: int = 1000) -> subprocess.CompletedProcess[str]:
    """Run a script that is told that its account has a number, whoever runs the tests."""
    programs = folder.with_name("programs")
    programs.mkdir(exist_ok=True)
    (programs / "id").write_text(f"#!/bin/sh\necho {account}\n")
    (programs / "id").chmod(0o755)
    return subprocess.run(
        [FOLDER / script, *arguments],
        env={"PATH": f"{programs}:{os.environ['PATH']}", "CLUSTER_FOLDER": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", [*SCRIPTS, "common.sh"])
def test_a_script_is_sound_and_may_be_run(script: str) -> None:
    path = FOLDER / script

    subprocess.run(["bash", "-n", str(path)], check=True)
    assert os.access(path, os.X_OK) is (script in SCRIPTS)


@pytest.mark.parametrize("script", ["start", "stop", "kill-node", "backup", "restore"])
def test_root_is_refused(script: str, folder: Path) -> None:
    ended = run(script, "1", folder=folder, account=0)

    assert ended.returncode == 2
    assert "PostgreSQL does not run as root" in ended.stderr
    assert not folder.exists()


@pytest.mark.parametrize(
    ("version", "is_taken"), [("3.0.2", False), ("3.0.3", True), ("3.0.10", True), ("4.1.5", True)]
)
def test_a_patroni_that_takes_the_lead_back_from_its_successor_is_refused(
    version: str, is_taken: bool, tmp_path: Path
) -> None:
    program = tmp_path / "patroni"
    program.write_text(f"#!/bin/sh\necho patroni {version}\n")
    program.chmod(0o755)

    ended = subprocess.run(
        ["bash", "-c", ". deploy/cluster/common.sh && check_patroni"],
        cwd=ROOT,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == (0 if is_taken else 2)
    assert ("3.0.3 or newer is needed: pip install" in ended.stderr) is not is_taken


@pytest.mark.parametrize("arguments", [(), ("4",), ("1; ls",)])
def test_a_node_that_does_not_exist_is_not_killed(arguments: tuple[str, ...], folder: Path) -> None:
    ended = run("kill-node", *arguments, folder=folder)

    assert (ended.returncode, ended.stderr) == (2, "kill-node: say which node: 1, 2 or 3.\n")


def test_a_node_that_does_not_run_is_not_killed(folder: Path) -> None:
    ended = run("kill-node", "2", folder=folder)

    assert (ended.returncode, ended.stderr) == (2, "kill-node: node 2 does not run.\n")


def test_a_folder_that_is_not_empty_is_not_restored_into(folder: Path) -> None:
    (folder / "target").mkdir(parents=True)
    (folder / "target" / "kept").write_text("x")

    ended = run("restore", "--to", "2027-03-01 12:00:00+00", str(folder / "target"), folder=folder)

    assert ended.returncode == 2
    assert ended.stderr == f"restore: {folder / 'target'} is not empty: nothing was restored.\n"
    assert [entry.name for entry in (folder / "target").iterdir()] == ["kept"]


def test_without_a_backup_nothing_is_restored(folder: Path) -> None:
    ended = run("restore", "--to", "2027-03-01 12:00:00+00", str(folder / "target"), folder=folder)

    assert (ended.returncode, ended.stderr) == (2, f"restore: there is no backup in {folder}.\n")


def test_the_settings_that_keep_acknowledged_data_are_there() -> None:
    node = yaml.safe_load(re.sub(r"@\w+@", "1", (FOLDER / "node.yml").read_text()))
    shared = node["bootstrap"]["dcs"]

    assert shared["synchronous_mode"] is True
    assert shared["synchronous_mode_strict"] is True
    assert (shared["ttl"], shared["loop_wait"], shared["retry_timeout"]) == (20, 2, 4)
    assert shared["loop_wait"] + 2 * shared["retry_timeout"] <= shared["ttl"]
    assert shared["maximum_lag_on_failover"] == 1_048_576
    assert shared["primary_start_timeout"] == 0
    assert shared["postgresql"]["use_pg_rewind"] is True
    assert "data-checksums" in node["bootstrap"]["initdb"]
    assert node["postgresql"]["remove_data_directory_on_diverged_timelines"] is True
    assert node["postgresql"]["remove_data_directory_on_rewind_failure"] is True
    assert "statement_timeout" not in (FOLDER / "node.yml").read_text()


def test_sessions_do_not_stay_on_a_demoted_primary_and_standbys_behind_are_left_out() -> None:
    routing = (FOLDER / "haproxy.cfg").read_text()

    assert "on-marked-down shutdown-sessions" in routing
    assert "option httpchk OPTIONS /primary\n" in routing
    assert "option httpchk OPTIONS /replica?lag=16MB\n" in routing


def test_statements_are_pooled_by_transaction() -> None:
    assert "pool_mode = transaction\n" in (FOLDER / "pgbouncer.ini").read_text()
