"""The manifests are right in the eyes of Kubernetes' own schemas, and of Checkov's rules of security."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.client_tools import run_tool
from support.manifests import OVERLAYS, manifests, rendered

HERE = Path(__file__).parent
VERSIONS = ("1.33", "1.35", "1.37")


def write(made: list[dict[str, Any]], folder: Path) -> Path:
    file = folder / "manifests.yaml"
    file.write_text(yaml.safe_dump_all(made))
    return file


def checkov(file: Path) -> list[str]:
    """Return what Checkov finds."""
    found = run_tool(
        "checkov",
        f"--config-file={HERE / 'checkov.yaml'}",
        f"--file={file}",
        "--output=json",
        folder=file.parent,
    )
    report = json.loads(found.stdout)
    assert report["summary"]["passed"] >= 50, found.stderr
    assert report["summary"]["parsing_errors"] == 0
    return [f"{check['check_id']} {check['resource']}" for check in report["results"]["failed_checks"]]


def flaws(file: Path, version: str) -> str:
    checked = run_tool(
        "kubernetes-validate", "--kubernetes-version", version, "--strict", file, folder=file.parent
    )
    return "" if checked.returncode == 0 else checked.stdout + checked.stderr


@pytest.mark.parametrize("source", ["base", *OVERLAYS])
def test_the_manifests_are_what_each_version_of_kubernetes_takes(source: str, tmp_path: Path) -> None:
    file = write(manifests() if source == "base" else rendered(source), tmp_path)

    assert {version: flaws(file, version) for version in VERSIONS} == dict.fromkeys(VERSIONS, "")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_field_that_kubernetes_does_not_have_is_found(version: str, tmp_path: Path) -> None:
    worse = manifests()
    (job,) = [made for made in worse if made["kind"] == "Job"]
    job["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {"httpGet": {"path": "/", "port": 1}}

    assert "readinesProbe" in flaws(write(worse, tmp_path), version)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_checkov_finds_nothing(overlay: str, tmp_path: Path) -> None:
    # The demo's image was loaded into the node by hand, and no registry has it.
    overlooked = {"CKV_K8S_15"} if overlay == "demo" else set()

    found = checkov(write(rendered(overlay), tmp_path))

    assert [line for line in found if line.split()[0] not in overlooked] == []


def test_a_container_that_runs_as_root_is_found(tmp_path: Path) -> None:
    worse = manifests()
    (job,) = [made for made in worse if made["kind"] == "Job"]
    job["spec"]["template"]["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    job["spec"]["template"]["spec"]["securityContext"] = {"runAsUser": 0}

    assert {"CKV_K8S_16", "CKV_K8S_23"} <= {line.split()[0] for line in checkov(write(worse, tmp_path))}
