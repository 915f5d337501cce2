"""The manifests for Kubernetes: of the base as they are written, of an overlay as kubectl makes them."""

import functools
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from dotenv import dotenv_values

from support.source_tree import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
BASE = FOLDER / "base"
OVERLAYS = ("demo", "production")
PAGE = (ROOT / "docs" / "kubernetes.md").read_text("utf-8")


def read(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return content


def manifests() -> list[dict[str, Any]]:
    """Return those of the base."""
    files = [BASE / name for name in read(BASE / "kustomization.yaml")["resources"]]
    return [manifest for file in files for manifest in yaml.safe_load_all(file.read_text("utf-8"))]


@functools.cache
def rendered(overlay: str) -> list[dict[str, Any]]:
    """Return those of an overlay; without kubectl the test is skipped."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not installed here; other tests read the base and the overlays apart")
    done = subprocess.run(
        [kubectl, "kustomize", str(FOLDER / "overlays" / overlay)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def settings_of(overlay: str) -> dict[str, str]:
    """What the settings of an overlay are: the base's, and its own over them."""
    files = (BASE / "settings.env", FOLDER / "overlays" / overlay / "settings.env")
    return {name: value or "" for file in files for name, value in dotenv_values(file).items()}


def secrets_of_the_page() -> dict[str, str]:
    """The file of secrets that the page has people write, with random values in it."""
    (written,) = re.findall(r"cat > bindery\.env\) <<END\n(.*?)\n *END\n", PAGE, re.DOTALL)
    random = "4f6e1c0b9d8a7352ee01c4b7a9d2f385"
    lines = [line.replace("$(openssl rand -hex 32)", random) for line in written.splitlines()]
    return dict(line.strip().split("=", 1) for line in lines)
